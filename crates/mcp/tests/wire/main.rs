//! The wire over real sockets.

#![expect(clippy::unwrap_used, reason = "a test fails where it unwraps")]

mod client;
mod fuzz;
mod oauth;
mod round_trip;
mod server;
mod web;
