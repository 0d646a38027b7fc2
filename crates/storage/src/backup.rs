//! A logical copy of everything, the same from both databases: JSON lines with a checksum at their end.
//!
//! Secrets stay sealed in it, and the key file is not part of it.

mod restore;
mod tables;

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::Revision;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use crate::engine::{Arg, Row, Session};
use crate::random::hex;
use crate::{Store, Unavailable, schema, writer};
use tables::{Column, TABLES, Table};

pub use restore::{RestoreError, restore};

const FORMAT: &str = "outfitter-backup-1";
const BATCH: i64 = 500;

/// What a backup holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupSummary {
    /// The revision it was taken at.
    pub revision: Revision,
    /// How many rows of each table.
    pub rows: BTreeMap<String, u64>,
}

/// Why a backup was not made.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The database could not be read.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// It could not be written to where it should go.
    #[error("the backup could not be written: {0}")]
    Sink(#[from] std::io::Error),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
    schema: i64,
    revision: Revision,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    table: String,
    row: Vec<Value>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Footer {
    rows: BTreeMap<String, u64>,
    sha256: String,
}

/// Writes lines and counts their bytes into the checksum.
struct Lines<W> {
    sink: W,
    digest: Sha256,
}

impl<W: AsyncWrite + Unpin + Send> Lines<W> {
    async fn write(&mut self, line: &impl Serialize) -> Result<(), std::io::Error> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.digest.update(&text);
        self.sink.write_all(&text).await
    }
}

impl Store {
    /// Writes everything as of one moment.
    pub async fn backup(&self, sink: impl AsyncWrite + Unpin + Send) -> Result<BackupSummary, BackupError> {
        let mut session = self.inner.engine.reader().await?;
        session.begin_read().await?;
        let revision = writer::revision(&mut session).await?;
        let mut lines = Lines { sink, digest: Sha256::new() };
        lines.write(&Header { format: FORMAT.to_owned(), schema: schema::VERSION, revision }).await?;
        let mut rows = BTreeMap::new();
        for table in &TABLES {
            rows.insert(table.name.to_owned(), dump(&mut session, table, &mut lines).await?);
        }
        session.commit().await?;
        let sha256 = hex(&lines.digest.clone().finalize());
        lines.write(&Footer { rows: rows.clone(), sha256 }).await?;
        lines.sink.flush().await?;
        Ok(BackupSummary { revision, rows })
    }
}

async fn dump<W: AsyncWrite + Unpin + Send>(
    session: &mut Session,
    table: &Table,
    lines: &mut Lines<W>,
) -> Result<u64, BackupError> {
    let mut count = 0;
    let mut after: Vec<Arg> = Vec::new();
    loop {
        let page = session.rows(table.page(!after.is_empty(), BATCH), after).await?;
        let Some(last) = page.last() else { return Ok(count) };
        after = table.key(last)?;
        for row in &page {
            lines.write(&Line { table: table.name.to_owned(), row: values(table, row)? }).await?;
            count += 1;
        }
    }
}

fn values(table: &Table, row: &Row) -> Result<Vec<Value>, Unavailable> {
    let each = table.columns.iter().enumerate().map(|(at, (_, column))| {
        Ok(match column {
            Column::Int => row.int(at)?.into(),
            Column::Text => row.maybe_text(at)?.into(),
            Column::Bytes => row.maybe_bytes(at)?.map(|bytes| STANDARD.encode(bytes)).into(),
        })
    });
    each.collect()
}
