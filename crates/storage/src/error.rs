//! Why the database did not answer, in terms a caller can act on.

use std::fmt;

/// The class of a database failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Someone else holds the lock, or all connections are taken.
    Busy,
    /// No space is left.
    DiskFull,
    /// The database accepts no writes.
    ReadOnly,
    /// The connection was lost or could not be made.
    Disconnected,
    /// What is stored cannot be read.
    Corrupt,
    /// The store was shut down.
    Closed,
    /// Anything else; the message says what.
    Other,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Busy => "the database is busy",
            Self::DiskFull => "the disk is full",
            Self::ReadOnly => "the database is read-only",
            Self::Disconnected => "the database cannot be reached",
            Self::Corrupt => "the database is damaged",
            Self::Closed => "the store is closed",
            Self::Other => "the database failed",
        })
    }
}

/// The database could not do it; trying again later may help. Nothing was changed, unless the connection was lost
/// while a commit was under way: then whether it happened is for a read to find out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}: {message}")]
pub struct Unavailable {
    /// The class of failure.
    pub reason: Reason,
    /// What the database said.
    pub message: String,
}

impl Unavailable {
    pub(crate) fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into() }
    }

    pub(crate) fn closed() -> Self {
        Self::new(Reason::Closed, "it was shut down")
    }

    pub(crate) fn corrupt(message: impl Into<String>) -> Self {
        Self::new(Reason::Corrupt, message)
    }
}
