//! SQLite: one writing connection and four reading ones on a write-ahead log.

use std::path::Path;
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

use super::classify;
use crate::{Reason, Unavailable};

/// 3.51.3 is the first without the fault that could lose a commit when the log starts over.
const OLDEST: i32 = 3_051_003;
const READERS: u32 = 4;
const WAIT: Duration = Duration::from_secs(5);

pub(super) async fn open(path: &Path) -> Result<(SqlitePool, SqlitePool), Unavailable> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .foreign_keys(false)
        .busy_timeout(WAIT)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .statement_cache_capacity(256)
        .pragma("wal_autocheckpoint", "4000")
        .pragma("journal_size_limit", "67108864")
        .disable_statement_logging();
    let writer = pool(1).connect_lazy_with(options.clone());
    check(&writer).await?;
    let readers =
        pool(READERS).connect_lazy_with(options.create_if_missing(false).pragma("query_only", "on"));
    Ok((writer, readers))
}

fn pool(connections: u32) -> SqlitePoolOptions {
    // A file does not hang up: connections live as long as the store, and need no test before use.
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(WAIT + Duration::from_secs(1))
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
}

async fn check(writer: &SqlitePool) -> Result<(), Unavailable> {
    if libsqlite3_sys::SQLITE_VERSION_NUMBER < OLDEST {
        return Err(too_old("the SQLite this was built with"));
    }
    let version: String = sqlx::query_scalar("SELECT sqlite_version()")
        .fetch_one(writer)
        .await
        .map_err(|error| classify(&error))?;
    if number(&version) < OLDEST {
        return Err(too_old(&format!("SQLite {version}")));
    }
    Ok(())
}

fn number(version: &str) -> i32 {
    version.split('.').fold(0, |sum, part| sum * 1000 + part.parse::<i32>().unwrap_or(0))
}

fn too_old(what: &str) -> Unavailable {
    Unavailable::new(Reason::Other, format!("{what} is too old; 3.51.3 or newer is needed"))
}

#[cfg(test)]
mod tests {
    use super::{OLDEST, number};

    #[test]
    fn versions_compare_as_numbers() {
        assert_eq!(number("3.51.3"), OLDEST);
        assert!(number("3.51.2") < OLDEST);
        assert!(number("3.100.0") > OLDEST);
    }
}
