//! The bounds of a server.

use std::time::Duration;

use super::Guard;

/// How much a server takes on, and for how long.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which hosts and origins may speak to it.
    pub guard: Guard,
    /// The largest body of a request.
    pub body: usize,
    /// How long a body may take to arrive.
    pub body_within: Duration,
    /// How many sessions there may be.
    pub sessions: usize,
    /// How many of them one caller may have.
    pub sessions_each: usize,
    /// How long a session lives without anything going on.
    pub idle: Duration,
    /// How many calls may be going on at once.
    pub calls: usize,
    /// How long a call may take before its answer becomes an event stream.
    pub settle: Duration,
    /// How often a silent event stream shows that it is alive.
    pub keep_alive: Duration,
    /// When a client should come back after its event stream was closed.
    pub retry: Duration,
    /// How many events one stream may hold for a client that does not read, or that may come back.
    pub queue: usize,
    /// The same in bytes; the newest event is always kept.
    pub queue_bytes: usize,
    /// How long an answered stream can still be resumed.
    pub resumable: Duration,
    /// How many calls may wait for input of modern clients.
    pub parked: usize,
    /// How long one may wait.
    pub park_for: Duration,
    /// How long a question to a legacy client may stay open.
    pub question: Duration,
    /// How many modern clients may listen for changes.
    pub listeners: usize,
    /// How often what was left alone is looked for.
    pub sweep: Duration,
    /// Where clients of HTTP+SSE post their messages.
    pub messages_path: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            guard: Guard::loopback(),
            body: 4 << 20,
            body_within: Duration::from_secs(30),
            sessions: 10_000,
            sessions_each: 1_000,
            idle: Duration::from_mins(5),
            calls: 10_000,
            settle: Duration::from_millis(100),
            keep_alive: Duration::from_secs(15),
            retry: Duration::from_secs(1),
            queue: 256,
            queue_bytes: 1 << 20,
            resumable: Duration::from_mins(1),
            parked: 1_000,
            park_for: Duration::from_mins(10),
            question: Duration::from_mins(10),
            listeners: 10_000,
            sweep: Duration::from_secs(5),
            messages_path: "/messages".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_design() {
        let settings = Settings::default();
        assert_eq!(settings.body, 4_194_304);
        assert_eq!((settings.sessions, settings.sessions_each, settings.calls), (10_000, 1_000, 10_000));
        assert_eq!((settings.queue, settings.queue_bytes), (256, 1_048_576));
        assert_eq!((settings.parked, settings.listeners), (1_000, 10_000));
        let seconds = [settings.body_within, settings.idle, settings.keep_alive, settings.retry]
            .map(|time| time.as_secs());
        assert_eq!(seconds, [30, 300, 15, 1]);
        let seconds = [settings.resumable, settings.park_for, settings.question, settings.sweep]
            .map(|time| time.as_secs());
        assert_eq!(seconds, [60, 600, 600, 5]);
        assert_eq!(settings.settle, Duration::from_millis(100));
    }

    #[test]
    fn the_bounds_that_cannot_be_set_are_these() {
        use super::super::{announce, legacy, parked, session, stdio};
        assert_eq!((announce::MOST_URI, parked::EACH), (8_192, 100));
        assert_eq!(
            (legacy::MOST_ABOUT, legacy::MOST_RUNNING, announce::MOST_RESOURCES),
            (2_048, 1_000, 1_000)
        );
        assert_eq!(
            (session::KEPT_STREAMS, session::READ_BYTES, session::MOST_QUESTIONS),
            (8, 67_108_864, 1_000)
        );
        assert_eq!((stdio::WRITE_WITHIN.as_secs(), stdio::DRAIN_WITHIN.as_secs()), (30, 10));
    }
}
