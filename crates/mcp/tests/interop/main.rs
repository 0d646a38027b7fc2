//! This crate and programs made by others speak with each other.
//!
//! Every program comes pinned from a lock file; a test whose program is not installed says so and skips.

#![expect(clippy::unwrap_used, reason = "a test fails where it unwraps")]

mod fixture;
mod inspector;
mod python;
mod remote;
mod run;
mod tour;
mod upstream;
