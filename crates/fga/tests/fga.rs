//! The engine against cases: OpenFGA's own test data where it is at hand, and this crate's.

#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps")]

#[path = "fga/yaml.rs"]
mod yaml;

#[path = "fga/asking.rs"]
mod asking;
#[path = "fga/bounds.rs"]
mod bounds;
#[path = "fga/cases.rs"]
mod cases;
#[path = "fga/conditions.rs"]
mod conditions;
#[path = "fga/laws.rs"]
mod laws;
#[path = "fga/openfga.rs"]
mod openfga;
#[path = "fga/regressions.rs"]
mod regressions;
#[path = "fga/worlds.rs"]
mod worlds;
