//! A stream of changes as far as its reader may see them, for as long as they may.

use std::collections::VecDeque;

use model::{Change, Revision};
use storage::{Store, Watch, WatchError};

use super::Rights;

/// What a stream tells next.
pub(crate) enum Told {
    /// A change, with its revision and its place in it.
    Change(Revision, i64, Box<Change>),
    /// A commit of which nothing more is for the reader's eyes.
    Reached(Revision),
    /// The reader may see less than before: the stream is over.
    Lost(&'static str),
}

/// A reader's view of the history.
pub(crate) struct Stream {
    watch: Watch,
    rights: Rights,
    /// What is left of the commit being told of.
    waiting: VecDeque<(i64, Change)>,
    reached: Revision,
    /// A commit that changed rights, and that decisions here may not rest on yet.
    unsettled: Option<Revision>,
    store: Store,
    /// The newest commit when the stream began.
    opened: Revision,
}

impl Stream {
    pub(super) fn new(store: &Store, rights: Rights, from: Revision, opened: Revision) -> Self {
        let (watch, store) = (store.watch(from), store.clone());
        Self { watch, rights, waiting: VecDeque::new(), reached: from, unsettled: None, store, opened }
    }

    /// Whether the reader may see a change. Of what was granted to them alone they see what happens to it from now on, and of the
    /// past only what is still there: not another one that had its name before.
    async fn is_for_the_reader(&self, change: &Change) -> Result<bool, WatchError> {
        let Some(key) = change.key().filter(|key| self.rights.admit(key)) else { return Ok(false) };
        if self.reached > self.opened || !self.rights.admits_alone(key) {
            return Ok(true);
        }
        match change {
            Change::Put(stored) => Ok(self.store.get(key).await?.is_some_and(|now| now.id == stored.id)),
            Change::Delete { .. } | Change::Record(_) => Ok(false),
        }
    }

    /// Whether everything after the position is still kept.
    pub(crate) async fn retained(&self) -> Result<(), WatchError> {
        self.watch.retained().await
    }

    /// The next thing to tell; waits for one. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Result<Told, WatchError> {
        loop {
            // What was committed after a change of rights is told by the rights after it, also where the change was made
            // by another daemon.
            if let Some(revision) = self.unsettled {
                if !self.rights.known(revision).await {
                    return Ok(Told::Lost("this daemon does not know of a change of rights yet"));
                }
                self.unsettled = None;
            }
            if let Some(reason) = self.rights.lost_now() {
                return Ok(Told::Lost(reason));
            }
            while let Some((ordinal, change)) = self.waiting.pop_front() {
                if self.is_for_the_reader(&change).await? {
                    return Ok(Told::Change(self.reached, ordinal, Box::new(change)));
                }
                if self.waiting.is_empty() {
                    return Ok(Told::Reached(self.reached));
                }
            }
            tokio::select! {
                biased;
                reason = self.rights.lost() => return Ok(Told::Lost(reason)),
                next = self.watch.next() => {
                    let changes = next?;
                    self.reached = changes.revision;
                    let of_rights = |change: &Change| matches!(change, Change::Record(_));
                    self.unsettled = changes.changes.iter().any(of_rights).then_some(changes.revision);
                    self.waiting = (1..).zip(changes.changes).collect();
                }
            }
        }
    }
}
