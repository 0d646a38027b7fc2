//! The engine against cases: OpenFGA's own test data where it is at hand, and this crate's.

#![expect(clippy::unwrap_used, reason = "a test ends where its case is not what it seems")]

#[path = "fga/yaml.rs"]
mod yaml;

#[path = "fga/openfga.rs"]
mod openfga;
