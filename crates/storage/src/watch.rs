//! Everything that was committed after a revision, in order, each revision whole and exactly once.

use std::collections::VecDeque;
use std::sync::Arc;

use model::{Change, Changes, Collection, RecordChange, Revision};

use crate::engine::{Row, Session};
use crate::store::Inner;
use crate::writer::Latest;
use crate::{Store, Unavailable, record};

/// Changes read at once; a larger revision is still read whole.
const BATCH: i64 = 500;
const AFTER: &str = "SELECT revision, kind, name, scope, holder, resource_id, record FROM changes \
     WHERE revision > $1 ORDER BY revision, ordinal LIMIT $2";
const WHOLE: &str = "SELECT revision, kind, name, scope, holder, resource_id, record FROM changes \
     WHERE revision = $1 ORDER BY ordinal";

/// Why a watch has nothing to say.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    /// What came after the revision is no longer kept: list again, and watch from the list's revision.
    #[error("the history before revision {oldest} is no longer kept")]
    Compacted {
        /// The earliest revision that a watch can start from.
        oldest: Revision,
    },
    /// The database could not be read; asking again goes on where it stopped.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The store was shut down.
    #[error("the store was shut down")]
    Closed,
}

/// A position in the history.
pub struct Watch {
    inner: Arc<Inner>,
    latest: tokio::sync::watch::Receiver<Latest>,
    /// The last revision read.
    position: Revision,
    read: VecDeque<Changes>,
}

impl Store {
    /// Everything after `from`.
    pub fn watch(&self, from: Revision) -> Watch {
        let latest = self.inner.latest.clone();
        Watch { inner: Arc::clone(&self.inner), latest, position: from, read: VecDeque::new() }
    }
}

impl Watch {
    /// The next revision's changes; waits for one. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Changes, WatchError> {
        loop {
            if let Some(changes) = self.read.pop_front() {
                return Ok(changes);
            }
            let latest = self.latest.borrow_and_update().revision;
            if latest > self.position {
                self.fill().await?;
            } else {
                self.latest.changed().await.map_err(|_| WatchError::Closed)?;
            }
        }
    }

    /// Whether everything after the position is still kept.
    pub async fn retained(&self) -> Result<(), WatchError> {
        let oldest = oldest(&mut self.inner.engine.reader().await?).await?;
        if self.position < oldest { Err(WatchError::Compacted { oldest }) } else { Ok(()) }
    }

    async fn fill(&mut self) -> Result<(), WatchError> {
        let mut session = self.inner.engine.reader().await?;
        let batch = vec![self.position.0.into(), BATCH.into()];
        let rows = session.rows(AFTER, batch).await?;
        let mut read = group(&rows)?;
        // The batch may end within a revision: leave that for the next, unless it is all there is.
        if i64::try_from(rows.len()).is_ok_and(|count| count >= BATCH)
            && let Some(cut) = read.pop_back()
            && read.is_empty()
        {
            read = group(&session.rows(WHOLE, vec![cut.revision.0.into()]).await?)?;
        }
        // Asked afterwards: had pruning come in between the other way round, changes would be missing unnoticed.
        let oldest = oldest(&mut session).await?;
        if self.position < oldest {
            return Err(WatchError::Compacted { oldest });
        }
        let reached = read.back().ok_or_else(|| Unavailable::corrupt("the history has a hole"))?;
        self.position = reached.revision;
        self.read = read;
        Ok(())
    }
}

pub(crate) async fn oldest(session: &mut Session) -> Result<Revision, Unavailable> {
    let rows = session.rows("SELECT oldest FROM meta WHERE id = 1", vec![]).await?;
    let row = rows.first().ok_or_else(|| Unavailable::corrupt("the meta row is missing"))?;
    Ok(Revision(row.int(0)?))
}

pub(crate) fn group(rows: &[Row]) -> Result<VecDeque<Changes>, Unavailable> {
    let mut read: VecDeque<Changes> = VecDeque::new();
    for row in rows {
        let revision = Revision(row.int(0)?);
        let change = change(row)?;
        match read.back_mut() {
            Some(changes) if changes.revision == revision => changes.changes.push(change),
            _ => read.push_back(Changes { revision, changes: vec![change] }),
        }
    }
    Ok(read)
}

/// The word in a resource's column says which of the two it is: a kind is never the name of a collection.
fn change(row: &Row) -> Result<Change, Unavailable> {
    let text = row.maybe_text(6)?;
    if let Ok(collection) = row.text(1)?.parse::<Collection>() {
        let id = row.text(2)?;
        let body = text.map(|text| record::record_body(collection, &id, &text)).transpose()?;
        return Ok(Change::Record(RecordChange { collection, id, body }));
    }
    let key = record::key(row, 1)?;
    Ok(match text {
        Some(text) => Change::Put(Box::new(record::from_record(key, &text)?)),
        None => Change::Delete { key, id: row.text(5)? },
    })
}
