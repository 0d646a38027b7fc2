//! Forgets the past beyond what is to be kept, a bounded piece at a time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use model::Revision;

use crate::engine::Session;
use crate::{Retention, Unavailable};

/// Rows looked at in one transaction.
const BATCH: i64 = 2000;

/// Everything before these points in time may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cutoffs {
    history: i64,
    audit: i64,
}

impl Cutoffs {
    /// As of now.
    pub fn of(retention: Retention) -> Self {
        let now = millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
        Self { history: now - millis(retention.history), audit: now - millis(retention.audit) }
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 2)
}

/// Removes one piece within the current transaction; whether there may be more. The newest revision stays.
pub(crate) async fn prune(
    session: &mut Session,
    newest: Revision,
    cutoffs: Cutoffs,
) -> Result<bool, Unavailable> {
    let changes = horizon(
        session,
        "SELECT revision, at FROM changes WHERE revision < $1 ORDER BY revision, ordinal LIMIT $2",
        newest,
        cutoffs.history,
    )
    .await?;
    if let Some((revision, _)) = changes {
        session.run("DELETE FROM changes WHERE revision <= $1", vec![revision.into()]).await?;
        session.run("UPDATE meta SET oldest = $1 WHERE id = 1", vec![revision.into()]).await?;
    }
    let audit = horizon(
        session,
        "SELECT revision, at FROM audit WHERE revision < $1 ORDER BY revision, ordinal LIMIT $2",
        newest,
        cutoffs.audit,
    )
    .await?;
    if let Some((revision, _)) = audit {
        session.run("DELETE FROM audit WHERE revision <= $1", vec![revision.into()]).await?;
    }
    let more = denials(session, cutoffs.audit).await?;
    Ok(more || [changes, audit].into_iter().flatten().any(|(_, more)| more))
}

/// Removes the oldest denials that are too old; whether there may be more.
async fn denials(session: &mut Session, cutoff: i64) -> Result<bool, Unavailable> {
    const OLDEST: &str = "SELECT at, id FROM denials WHERE at < $1 ORDER BY at, id LIMIT $2";
    let rows = session.rows(OLDEST, vec![cutoff.into(), BATCH.into()]).await?;
    let Some(last) = rows.last() else { return Ok(false) };
    let args = vec![last.int(0)?.into(), last.text(1)?.into()];
    session.run("DELETE FROM denials WHERE (at, id) <= ($1, $2)", args).await?;
    Ok(rows.len() >= 2000)
}

/// The last revision of the leading ones that are all too old, and whether the batch ended before they did.
async fn horizon(
    session: &mut Session,
    sql: &'static str,
    newest: Revision,
    cutoff: i64,
) -> Result<Option<(i64, bool)>, Unavailable> {
    let rows = session.rows(sql, vec![newest.0.into(), BATCH.into()]).await?;
    let mut last = None;
    let mut expired = 0;
    for row in &rows {
        if row.int(1)? >= cutoff {
            break;
        }
        last = Some(row.int(0)?);
        expired += 1;
    }
    Ok(last.map(|revision| (revision, expired == rows.len() && rows.len() >= 2000)))
}
