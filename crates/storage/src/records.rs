//! Reading records: whole collections from one moment, and every change since.

use std::collections::VecDeque;
use std::sync::Arc;

use model::{Changes, Collection, Record, Revision};

use crate::store::Inner;
use crate::watch::{group, oldest};
use crate::writer::Latest;
use crate::{Store, Unavailable, WatchError, record, writer};

/// Changes read at once; a larger revision is still read whole.
const BATCH: i64 = 500;
const AFTER: &str = "SELECT revision, kind, name, scope, holder, resource_id, record FROM changes \
     WHERE scope = '' AND revision > $1 ORDER BY revision, ordinal LIMIT $2";
const OF_REVISION: &str = "SELECT revision, kind, name, scope, holder, resource_id, record FROM changes \
     WHERE scope = '' AND revision = $1 ORDER BY ordinal";

const WHOLE: &str = "SELECT id, revision, body FROM records WHERE collection = $1 ORDER BY id";

impl Store {
    /// All records of these collections, by collection and id, and the revision at which they were all there is.
    pub async fn records(&self, collections: &[Collection]) -> Result<(Vec<Record>, Revision), Unavailable> {
        let mut session = self.inner.engine.reader().await?;
        session.begin_read().await?;
        let revision = writer::revision(&mut session).await?;
        let mut records = Vec::new();
        for collection in Collection::ALL.into_iter().filter(|known| collections.contains(known)) {
            for row in session.rows(WHOLE, vec![collection.as_str().into()]).await? {
                let id = row.text(0)?;
                let body = record::record_body(collection, &id, &row.text(2)?)?;
                records.push(Record { collection, id, body, revision: Revision(row.int(1)?) });
            }
        }
        session.commit().await?;
        Ok((records, revision))
    }
}

/// A position in the history of records.
pub struct RecordWatch {
    inner: Arc<Inner>,
    latest: tokio::sync::watch::Receiver<Latest>,
    /// The last revision whose records were read.
    position: Revision,
    read: VecDeque<Changes>,
}

impl Store {
    /// Every change of a record after `from`. Commits that change none cost it nothing.
    pub fn watch_records(&self, from: Revision) -> RecordWatch {
        let latest = self.inner.latest.clone();
        RecordWatch { inner: Arc::clone(&self.inner), latest, position: from, read: VecDeque::new() }
    }
}

impl RecordWatch {
    /// The next revision that changed records, and those changes; waits for one. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Changes, WatchError> {
        loop {
            if let Some(changes) = self.read.pop_front() {
                return Ok(changes);
            }
            let latest = self.latest.borrow_and_update().records;
            if latest > self.position {
                self.fill(latest).await?;
            } else {
                self.latest.changed().await.map_err(|_| WatchError::Closed)?;
            }
        }
    }

    async fn fill(&mut self, latest: Revision) -> Result<(), WatchError> {
        let mut session = self.inner.engine.reader().await?;
        let rows = session.rows(AFTER, vec![self.position.0.into(), BATCH.into()]).await?;
        let mut read = group(&rows)?;
        let full = i64::try_from(rows.len()).is_ok_and(|count| count >= BATCH);
        // The batch may end within a revision: leave that for the next, unless it is all there is.
        if full
            && let Some(cut) = read.pop_back()
            && read.is_empty()
        {
            read = group(&session.rows(OF_REVISION, vec![cut.revision.0.into()]).await?)?;
        }
        // Asked afterwards: had pruning come in between the other way round, changes would be missing unnoticed.
        let oldest = oldest(&mut session).await?;
        if self.position < oldest {
            return Err(WatchError::Compacted { oldest });
        }
        let reached = read.back().map_or(self.position, |changes| changes.revision);
        self.position = if full { reached } else { reached.max(latest) };
        self.read = read;
        Ok(())
    }
}
