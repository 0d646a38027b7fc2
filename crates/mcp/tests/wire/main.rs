//! The wire over real sockets.

#![expect(clippy::unwrap_used, reason = "a test fails where it unwraps")]

mod client;
mod oauth;
mod server;
mod web;
