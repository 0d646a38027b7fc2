//! What a peer sent that nobody could use.

use std::sync::atomic::{AtomicU64, Ordering};

/// How often a peer sent what nobody could use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Answers to calls that were answered or given up before.
    pub late: u64,
    /// Answers to calls never made.
    pub unknown: u64,
    /// Messages that are none.
    pub malformed: u64,
    /// Lines that are no JSON or too long.
    pub skipped_lines: u64,
    /// Requests of a peer that may make none.
    pub unexpected_requests: u64,
    /// Messages with repeated keys below the envelope.
    pub repeated_keys: u64,
}

/// The same while it is counted.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) late: AtomicU64,
    pub(crate) unknown: AtomicU64,
    pub(crate) malformed: AtomicU64,
    pub(crate) skipped_lines: AtomicU64,
    pub(crate) unexpected_requests: AtomicU64,
    pub(crate) repeated_keys: AtomicU64,
}

/// One more.
pub(crate) fn more(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Tally {
    pub(crate) fn read(&self) -> Counts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            late: of(&self.late),
            unknown: of(&self.unknown),
            malformed: of(&self.malformed),
            skipped_lines: of(&self.skipped_lines),
            unexpected_requests: of(&self.unexpected_requests),
            repeated_keys: of(&self.repeated_keys),
        }
    }
}
