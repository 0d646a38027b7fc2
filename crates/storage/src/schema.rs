//! Brings a database to the schema this binary knows, one numbered step at a time.
//!
//! Our own runner rather than sqlx's: it keeps one text for both databases. Each step and the row that records
//! it are one transaction, so a kill at any time leaves a database that the next start completes.

mod steps;

use crate::engine::{Dialect, Session};
use crate::{Reason, Unavailable};

use steps::STEPS;

/// Any number, as long as every replica uses the same.
const LOCK: &str = "SELECT pg_advisory_xact_lock(6512984093)";
const VERSIONS: &str = "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL PRIMARY KEY)";

/// The version of the newest step.
pub(crate) const VERSION: i64 = 10;

/// Why a schema could not be brought up to date.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MigrateError {
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    #[error("schema {found} is newer than {VERSION}")]
    Newer { found: i64 },
}

/// Runs the steps that are missing.
pub(crate) async fn migrate(session: &mut Session) -> Result<(), MigrateError> {
    debug_assert_eq!(usize::try_from(VERSION), Ok(STEPS.len()), "the version counts the steps");
    loop {
        session.begin_write().await?;
        if session.dialect() == Dialect::Postgres {
            session.run(LOCK, vec![]).await?;
        }
        let version = version(session).await?;
        if version > VERSION {
            session.roll_back().await?;
            return Err(MigrateError::Newer { found: version });
        }
        let index =
            usize::try_from(version).map_err(|_| Unavailable::corrupt("a negative schema version"))?;
        let Some(step) = STEPS.get(index) else {
            session.commit().await?;
            return Ok(());
        };
        apply(session, step, version + 1).await?;
        session.commit().await?;
        tracing::info!(schema = version + 1, "database schema updated");
    }
}

async fn version(session: &mut Session) -> Result<i64, Unavailable> {
    session.run(VERSIONS, vec![]).await?;
    let rows = session.rows("SELECT MAX(version) FROM schema_version", vec![]).await?;
    let newest = rows.first().map(|row| row.maybe_int(0)).transpose()?;
    Ok(newest.flatten().unwrap_or(0))
}

async fn apply(session: &mut Session, step: &str, version: i64) -> Result<(), Unavailable> {
    let (text, bytes, clustered) = match session.dialect() {
        Dialect::Sqlite => ("TEXT", "BLOB", " WITHOUT ROWID"),
        Dialect::Postgres => ("TEXT COLLATE \"C\"", "BYTEA", ""),
    };
    let ddl = step.replace("{text}", text).replace("{bytes}", bytes).replace("{clustered}", clustered);
    for statement in ddl.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
        session.run(statement.to_owned(), vec![]).await.map_err(|error| {
            Unavailable::new(error.reason, format!("schema step {version}: {}", error.message))
        })?;
    }
    session.run("INSERT INTO schema_version (version) VALUES ($1)", vec![version.into()]).await
}

/// The message for people, when the schema is too new.
pub(crate) fn newer(found: i64) -> String {
    format!(
        "this database was written by a newer outfitter (schema {found}, this binary knows {VERSION}); \
         upgrade the binary or restore a backup"
    )
}

impl MigrateError {
    /// As a failure of the database, where no other is distinguished.
    pub(crate) fn into_unavailable(self) -> Unavailable {
        match self {
            Self::Unavailable(unavailable) => unavailable,
            Self::Newer { found } => Unavailable::new(Reason::Other, newer(found)),
        }
    }
}
