//! The only place that knows there are two databases: connections, statements, rows and failures.
//!
//! Both speak the same SQL with `$1` parameters; a session that saw an error is never used again.

mod bulk;
mod fault;
mod postgres;
mod row;
mod session;
mod sqlite;

use sqlx::{PgPool, SqlitePool};

pub(crate) use bulk::Bulk;
pub(crate) use fault::classify;
pub(crate) use postgres::Wakeups;
pub(crate) use row::{Arg, Row};
pub(crate) use session::{Lock, Session};

use crate::{Database, Unavailable};

/// Which of the two it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

#[derive(Clone)]
enum Pool {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

/// One database: a single writing connection and a few reading ones.
#[derive(Clone)]
pub(crate) struct Engine {
    writer: Pool,
    readers: Pool,
}

impl Engine {
    /// Connects, and checks that the database is one this crate can use.
    pub async fn open(database: &Database) -> Result<Self, Unavailable> {
        match database {
            Database::Sqlite(path) => {
                let (writer, readers) = sqlite::open(path).await?;
                Ok(Self { writer: Pool::Sqlite(writer), readers: Pool::Sqlite(readers) })
            }
            Database::Postgres(url) => {
                let (writer, readers) = postgres::open(url).await?;
                Ok(Self { writer: Pool::Postgres(writer), readers: Pool::Postgres(readers) })
            }
        }
    }

    /// The writing connection; waits for whoever holds it.
    pub async fn writer(&self) -> Result<Session, Unavailable> {
        Session::acquire(&self.writer).await
    }

    /// A reading connection.
    pub async fn reader(&self) -> Result<Session, Unavailable> {
        Session::acquire(&self.readers).await
    }

    /// Notifications of other replicas' commits; SQLite has no other replicas.
    pub async fn wakeups(&self) -> Result<Option<Wakeups>, Unavailable> {
        match &self.readers {
            Pool::Sqlite(_) => Ok(None),
            Pool::Postgres(pool) => Wakeups::listen(pool).await.map(Some),
        }
    }

    /// Closes every connection.
    pub async fn close(&self) {
        for pool in [&self.readers, &self.writer] {
            match pool {
                Pool::Sqlite(pool) => pool.close().await,
                Pool::Postgres(pool) => pool.close().await,
            }
        }
    }
}
