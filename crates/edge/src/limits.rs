//! The bounds every listener keeps.

use std::time::Duration;

/// How much a client may send, and how long it may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections from the network at one time.
    pub connections: usize,
    /// Connections on the Unix socket at one time.
    pub local_connections: usize,
    /// From the first byte of a request to the end of its head.
    pub head: Duration,
    /// Between two pieces of a body.
    pub body_pause: Duration,
    /// From accepting a TLS connection to the end of its handshake.
    pub handshake: Duration,
    /// How long running requests may go on after shutdown began.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4096,
            local_connections: 1024,
            head: Duration::from_secs(10),
            body_pause: Duration::from_secs(30),
            handshake: Duration::from_secs(10),
            drain: Duration::from_secs(5),
        }
    }
}
