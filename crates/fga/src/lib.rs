//! Relationship authorization in the language of OpenFGA, schema 1.1: models, tuples, conditions, and the questions
//! check, list objects, list users and explain.
//!
//! Pure: no I/O, no clock. A [`Model`] is compiled from text, a [`Graph`] holds tuples that fit it, a [`Query`] asks.

pub mod condition;
mod graph;
mod model;
mod query;
pub mod schema;
pub mod store;
mod tuple;

pub use condition::Context;
pub use graph::{Actor, Graph, Held, Link, Node, Overlay, Tuples, Unfit};
pub use model::{Model, ModelError, RelationId, TypeId};
pub use query::{Because, Error, Limits, Query, Reason, UserFilter};
pub use tuple::{MAX_OBJECT, MAX_SUBJECT, Malformed, Object, Subject, Tuple, TupleCondition};
