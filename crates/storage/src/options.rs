//! What a store is told when it opens.

use std::path::PathBuf;
use std::time::Duration;

/// Where the data lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// A SQLite file; created when missing, its directory must exist.
    Sqlite(PathBuf),
    /// The URL of a PostgreSQL database, version 15 or newer.
    Postgres(String),
}

/// How long the past is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// For watches: a watcher further behind starts over with a list.
    pub history: Duration,
    /// For the audit log.
    pub audit: Duration,
}

impl Default for Retention {
    fn default() -> Self {
        const DAY: Duration = Duration::from_hours(24);
        Self { history: 30 * DAY, audit: 365 * DAY }
    }
}

/// The settings of a store.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the data lives.
    pub database: Database,
    /// How long the past is kept.
    pub retention: Retention,
}
