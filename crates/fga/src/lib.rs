//! Relationship authorization in the language of OpenFGA, schema 1.1.

pub mod condition;
pub mod schema;
