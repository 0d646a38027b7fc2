//! The edge's parts over real sockets.

#![expect(clippy::unwrap_used, reason = "a test fails where it unwraps")]

#[path = "edge/oidc.rs"]
mod oidc;
