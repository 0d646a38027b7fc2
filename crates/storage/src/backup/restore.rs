//! Brings a backup into an empty store: everything in one transaction, committed only when the checksum is right.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

use super::tables::{Column, META, TABLES, Table};
use super::{BackupSummary, FORMAT, Footer, Header, Line};
use crate::engine::{Arg, Bulk, Engine, Session};
use crate::random::hex;
use crate::{Options, Unavailable, schema};

const LONGEST_LINE: u64 = 256 << 20;
const BATCH: usize = 512;

/// Why a backup was not restored; the store is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The database could not be written.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The backup could not be read.
    #[error("the backup could not be read: {0}")]
    Source(#[from] std::io::Error),
    /// There is something in the store already.
    #[error("the store is not empty\n  hint: restore into a new database")]
    NotEmpty,
    /// It ends too early, or is not what was written.
    #[error("the backup is damaged: {0}\n  hint: nothing was restored; take another copy of the backup")]
    Damaged(String),
    /// It was made by a binary with another schema.
    #[error(
        "the backup has schema {found}, this binary knows {known}; restore it with the version that made it"
    )]
    Schema {
        /// Its schema.
        found: i64,
        /// The schema of this binary.
        known: i64,
    },
}

fn damaged(problem: impl Into<String>) -> RestoreError {
    RestoreError::Damaged(problem.into())
}

/// Restores a backup into an empty store, of either database.
pub async fn restore(
    options: Options,
    source: impl AsyncBufRead + Unpin + Send,
) -> Result<BackupSummary, RestoreError> {
    let engine = Engine::open(&options.database).await?;
    let restored = restore_into(&engine, source).await;
    engine.close().await;
    restored
}

async fn restore_into(
    engine: &Engine,
    source: impl AsyncBufRead + Unpin + Send,
) -> Result<BackupSummary, RestoreError> {
    let mut session = engine.writer().await?;
    schema::migrate(&mut session).await.map_err(schema::MigrateError::into_unavailable)?;
    session.begin_write().await?;
    let written = fill(&mut session, source).await;
    match written {
        Ok(summary) => {
            session.commit().await?;
            Ok(summary)
        }
        Err(error) => {
            // The session may be broken by the very error; dropping it rolls back as well.
            let _ = session.roll_back().await;
            Err(error)
        }
    }
}

/// Reads lines and counts their bytes into the checksum.
struct Lines<R> {
    source: R,
    digest: Sha256,
}

impl<R: AsyncBufRead + Unpin + Send> Lines<R> {
    /// The next line, with the checksum of everything before it.
    async fn next(&mut self) -> Result<Option<(Vec<u8>, String)>, RestoreError> {
        let before = hex(&self.digest.clone().finalize());
        let mut line = Vec::new();
        (&mut self.source).take(LONGEST_LINE).read_until(b'\n', &mut line).await?;
        if line.is_empty() {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') {
            return Err(damaged("it ends within a line"));
        }
        self.digest.update(&line);
        Ok(Some((line, before)))
    }
}

async fn fill(
    session: &mut Session,
    source: impl AsyncBufRead + Unpin + Send,
) -> Result<BackupSummary, RestoreError> {
    refuse_unless_empty(session).await?;
    let mut lines = Lines { source, digest: Sha256::new() };
    let (first, _) = lines.next().await?.ok_or_else(|| damaged("it is empty"))?;
    let header: Header = serde_json::from_slice(&first).map_err(|_| damaged("it is not a backup"))?;
    if header.format != FORMAT {
        return Err(damaged(format!("its format is `{}`", header.format)));
    }
    if header.schema != schema::VERSION {
        return Err(RestoreError::Schema { found: header.schema, known: schema::VERSION });
    }
    let mut pending: BTreeMap<usize, Vec<Arg>> = BTreeMap::new();
    let mut rows: BTreeMap<String, u64> = TABLES.iter().map(|table| (table.name.to_owned(), 0)).collect();
    loop {
        let (text, before) = lines.next().await?.ok_or_else(|| damaged("its end is missing"))?;
        let Ok(line) = serde_json::from_slice::<Line>(&text) else {
            let footer: Footer = serde_json::from_slice(&text).map_err(|_| damaged("a line is not a row"))?;
            if footer.sha256 != before || footer.rows != rows {
                return Err(damaged("the checksum does not match"));
            }
            break;
        };
        let index = TABLES.iter().position(|table| table.name == line.table);
        let index = index.ok_or_else(|| damaged(format!("no such table: {}", line.table)))?;
        let args = pending.entry(index).or_default();
        args.extend(arguments(&TABLES[index], line.row)?);
        *rows.entry(line.table).or_default() += 1;
        if args.len() >= BATCH * TABLES[index].columns.len() {
            insert(session, &TABLES[index], std::mem::take(args)).await?;
        }
    }
    if lines.next().await?.is_some() {
        return Err(damaged("something follows its end"));
    }
    for (index, args) in pending {
        insert(session, &TABLES[index], args).await?;
    }
    Ok(BackupSummary { revision: header.revision, rows })
}

async fn refuse_unless_empty(session: &mut Session) -> Result<(), RestoreError> {
    for table in TABLES.iter().filter(|table| table.name != META) {
        if !session.rows(format!("SELECT 1 FROM {} LIMIT 1", table.name), vec![]).await?.is_empty() {
            return Err(RestoreError::NotEmpty);
        }
    }
    let used = session.rows("SELECT 1 FROM meta WHERE revision > 0", vec![]).await?;
    if used.is_empty() { Ok(()) } else { Err(RestoreError::NotEmpty) }
}

async fn insert(session: &mut Session, table: &Table, args: Vec<Arg>) -> Result<(), RestoreError> {
    const META_SQL: &str = "UPDATE meta SET revision = $2, oldest = $3, format = $4, key_id = $5, \
         key_check = $6, records = $7 WHERE id = $1";
    let Some(head) = table.insert else {
        return Ok(session.run(META_SQL, args).await?);
    };
    let bulk = Bulk { head, width: table.columns.len(), tail: "" };
    Ok(bulk.run(session, args).await?)
}

fn arguments(table: &Table, row: Vec<Value>) -> Result<Vec<Arg>, RestoreError> {
    if row.len() != table.columns.len() {
        return Err(damaged(format!("a row of {} has {} columns", table.name, row.len())));
    }
    let each = row.into_iter().zip(table.columns).map(|(value, (name, column))| {
        let wrong = || damaged(format!("{}.{name} is not what it should be", table.name));
        match (column, value) {
            (Column::Int, value) => value.as_i64().map(Arg::Int).ok_or_else(wrong),
            (Column::Text, Value::String(text)) => Ok(Arg::Text(text)),
            (Column::Text, Value::Null) => Ok(Arg::MaybeText(None)),
            (Column::Bytes, Value::String(text)) => {
                STANDARD.decode(text).map(Arg::Bytes).map_err(|_| wrong())
            }
            (Column::Bytes, Value::Null) => Ok(Arg::NoBytes),
            _ => Err(wrong()),
        }
    });
    each.collect()
}
