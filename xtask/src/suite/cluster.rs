//! One PostgreSQL cluster for all test programs of a run.

use std::thread;

use anyhow::{Result, anyhow};
use testkit::postgres::Postgres;

/// A running cluster; it ends when this is dropped.
pub(super) struct Cluster {
    _postgres: Postgres,
    /// A database from which others can be made.
    pub(super) url: String,
}

/// Starts the cluster.
pub(super) fn start() -> Result<Cluster> {
    // The driver panics, as suits tests; here the rest of the run goes on without it.
    let starting = thread::spawn(|| {
        let postgres = Postgres::start_private();
        let url = postgres.database();
        Cluster { _postgres: postgres, url }
    });
    starting.join().map_err(|_| anyhow!("the cluster did not start; the reason is above"))
}
