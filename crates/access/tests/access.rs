//! Decisions as tables, stories and laws.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails by panicking")]

#[path = "access/laws.rs"]
mod laws;
#[path = "access/model.rs"]
mod model_tests;
#[path = "access/table.rs"]
mod table;
#[path = "access/world.rs"]
mod world;
