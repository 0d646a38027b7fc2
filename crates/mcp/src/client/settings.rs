//! What a session is told when it is made, and what it says about itself.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::eras::EraCache;

/// Which era to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Whatever the peer speaks; modern when it speaks both.
    #[default]
    Auto,
    /// Only after a handshake.
    Legacy,
    /// Only with everything in each request.
    Modern,
}

/// What a session is told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What we are: a JSON object with `name` and `version`.
    pub info: Bytes,
    /// What we can do: a JSON object.
    pub capabilities: Bytes,
    /// Which era to speak.
    pub era: Choice,
    /// Until the peer has agreed on a revision.
    pub connect: Duration,
    /// Until a call is answered or makes progress.
    pub call: Duration,
    /// Until a call is answered, whatever progress it makes.
    pub cap: Duration,
    /// How long a silent peer is only asked the modern way.
    pub grace: Duration,
    /// How long a peer may refuse to take a written byte.
    pub write: Duration,
    /// What was learnt about peers before.
    pub eras: Option<Arc<EraCache>>,
    /// What a peer on a pipe is remembered by; HTTP peers are by their URL.
    pub known_as: Option<String>,
}

impl Settings {
    /// Usual bounds, no capabilities.
    pub fn new(info: Bytes) -> Self {
        Self {
            info,
            capabilities: Bytes::from_static(b"{}"),
            era: Choice::Auto,
            connect: Duration::from_secs(30),
            call: Duration::from_mins(1),
            cap: Duration::from_hours(1),
            grace: Duration::from_secs(10),
            write: Duration::from_secs(30),
            eras: None,
            known_as: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_bounds_are_these() {
        let usual = Settings::new(Bytes::from_static(b"{}"));
        let seconds =
            [usual.connect, usual.call, usual.cap, usual.grace, usual.write].map(|time| time.as_secs());
        assert_eq!(seconds, [30, 60, 3600, 10, 30]);
        assert_eq!((usual.era, &usual.capabilities[..]), (Choice::Auto, &b"{}"[..]));
    }
}
