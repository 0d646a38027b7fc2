//! One connection in use. A session that fails, or is dropped inside a transaction, takes its connection with
//! it: closing rolls back on both databases, and the pool makes another.

use std::borrow::Cow;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{AssertSqlSafe, Postgres, SqlSafeStr, Sqlite};

use super::{Arg, Dialect, Pool, Row, classify, postgres};
use crate::{Reason, Unavailable};

/// No statement of ours runs longer; a database that stopped answering must not hang its callers.
const LONGEST: Duration = Duration::from_secs(30);

/// Commits of up to this many parameters are one text; of larger ones there are too many shapes to keep them prepared.
const AT_ONCE: usize = 4000;

/// How to begin and lock: SQLite takes both statements at once, which saves a turn of its thread.
#[derive(Clone, Copy)]
pub(crate) struct Lock {
    /// Begins with `BEGIN IMMEDIATE;`.
    pub sqlite: &'static str,
    /// Ends with `FOR UPDATE`.
    pub postgres: &'static str,
}

enum Link {
    Sqlite(PoolConnection<Sqlite>),
    Postgres(PoolConnection<Postgres>),
}

/// A connection taken from the pool.
pub(crate) struct Session {
    /// Always there until the session is dropped.
    link: Option<Link>,
    /// Whether it may go back to the pool as it is.
    clean: bool,
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.clean {
            return;
        }
        // Detached rather than closed politely: a dead server must not keep the pool waiting for a farewell.
        match self.link.take() {
            Some(Link::Sqlite(connection)) => drop(connection.detach()),
            Some(Link::Postgres(connection)) => drop(connection.detach()),
            None => {}
        }
    }
}

macro_rules! bound {
    ($sql:expr, $args:expr) => {{
        let mut query = sqlx::query(AssertSqlSafe($sql).into_sql_str());
        for arg in $args {
            query = match arg {
                Arg::Int(value) => query.bind(value),
                Arg::Text(value) => query.bind(value),
                Arg::MaybeText(value) => query.bind(value),
                Arg::Bytes(value) => query.bind(value),
                Arg::NoBytes => query.bind(None::<Vec<u8>>),
            };
        }
        query
    }};
}

impl Session {
    pub(super) async fn acquire(pool: &Pool) -> Result<Self, Unavailable> {
        let link = match pool {
            Pool::Sqlite(pool) => pool.acquire().await.map(Link::Sqlite),
            Pool::Postgres(pool) => pool.acquire().await.map(Link::Postgres),
        };
        Ok(Self { link: Some(link.map_err(|error| classify(&error))?), clean: true })
    }

    pub fn dialect(&self) -> Dialect {
        match &self.link {
            Some(Link::Postgres(_)) => Dialect::Postgres,
            _ => Dialect::Sqlite,
        }
    }

    /// Runs a statement and returns its rows. The text holds no value of a user: those are all in `args`.
    pub async fn rows(
        &mut self,
        sql: impl Into<Cow<'static, str>>,
        args: Vec<Arg>,
    ) -> Result<Vec<Row>, Unavailable> {
        let before = std::mem::replace(&mut self.clean, false);
        let sql: Cow<'static, str> = sql.into();
        let answer = match &mut self.link {
            // SQLite has its own deadline for locks, and nothing else to wait for.
            Some(Link::Sqlite(connection)) => bound!(sql, args)
                .fetch_all(&mut **connection)
                .await
                .map(|rows| rows.into_iter().map(Row::Sqlite).collect()),
            Some(Link::Postgres(connection)) => {
                let query = bound!(sql, args);
                match tokio::time::timeout(LONGEST, query.fetch_all(&mut **connection)).await {
                    Ok(rows) => rows.map(|rows| rows.into_iter().map(Row::Postgres).collect()),
                    Err(_) => {
                        return Err(Unavailable::new(Reason::Disconnected, "no answer within 30 s"));
                    }
                }
            }
            None => return Err(Unavailable::closed()),
        };
        let rows = answer.map_err(|error| classify(&error))?;
        self.clean = before;
        Ok(rows)
    }

    /// Runs a statement for its effect.
    pub async fn run(
        &mut self,
        sql: impl Into<Cow<'static, str>>,
        args: Vec<Arg>,
    ) -> Result<(), Unavailable> {
        self.rows(sql, args).await.map(drop)
    }

    /// Starts a transaction that sees one state of the database throughout.
    pub async fn begin_read(&mut self) -> Result<(), Unavailable> {
        let sql = match self.dialect() {
            Dialect::Sqlite => "BEGIN",
            Dialect::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        };
        self.run(sql, vec![]).await?;
        self.clean = false;
        Ok(())
    }

    /// Starts a transaction that will write.
    pub async fn begin_write(&mut self) -> Result<(), Unavailable> {
        let sql = match self.dialect() {
            Dialect::Sqlite => "BEGIN IMMEDIATE",
            Dialect::Postgres => "BEGIN",
        };
        self.run(sql, vec![]).await?;
        self.clean = false;
        Ok(())
    }

    /// Starts a transaction that will write, by reading what no one else may write until it ends. SQLite answers
    /// another question in the same turn of its thread; its rows come after the locked one.
    pub async fn begin_locked(
        &mut self,
        lock: Lock,
        question: Option<(String, Vec<Arg>)>,
    ) -> Result<Vec<Row>, Unavailable> {
        if self.dialect() == Dialect::Sqlite {
            let rows = match question {
                Some((sql, args)) => self.rows(format!("{}; {sql}", lock.sqlite), args).await?,
                None => self.rows(lock.sqlite, vec![]).await?,
            };
            self.clean = false;
            return Ok(rows);
        }
        self.begin_write().await?;
        self.rows(lock.postgres, vec![]).await
    }

    /// Runs statements whose answers do not matter, ends the transaction durably and tells other replicas.
    pub async fn finish(&mut self, statements: Vec<(String, Vec<Arg>)>) -> Result<(), Unavailable> {
        let parameters: usize = statements.iter().map(|(_, args)| args.len()).sum();
        if self.dialect() == Dialect::Sqlite && parameters <= AT_ONCE {
            // Its parameters are not numbered, so statements can be joined: one turn of its thread for all.
            let (mut texts, args): (Vec<_>, Vec<_>) = statements.into_iter().unzip();
            texts.push("COMMIT".to_owned());
            self.run(texts.join("; "), args.concat()).await?;
            self.clean = true;
            return Ok(());
        }
        for (sql, args) in statements {
            self.run(sql, args).await?;
        }
        if self.dialect() == Dialect::Postgres {
            self.run(format!("NOTIFY {}", postgres::CHANNEL), vec![]).await?;
        }
        self.commit().await
    }

    /// Ends a transaction, durably if it wrote.
    pub async fn commit(&mut self) -> Result<(), Unavailable> {
        self.run("COMMIT", vec![]).await?;
        self.clean = true;
        Ok(())
    }

    /// Ends a transaction without effect.
    pub async fn roll_back(&mut self) -> Result<(), Unavailable> {
        self.run("ROLLBACK", vec![]).await?;
        self.clean = true;
        Ok(())
    }
}
