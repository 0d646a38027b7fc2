//! The wire over real sockets.

#![expect(clippy::unwrap_used, reason = "a test fails where it unwraps")]

#[path = "wire/web.rs"]
mod web;
