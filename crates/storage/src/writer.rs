//! The one task that writes. Writes that wait together share a transaction, and each keeps its own revision.
//!
//! No savepoints: a group is loaded into memory, decided there write by write, and only the result is written.

mod draft;
mod evaluate;
mod flush;
mod load;
mod view;

use std::sync::Arc;
use std::time::Duration;

use model::Revision;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::engine::{Engine, Session};
use crate::prune::{self, Cutoffs};
use crate::rotate::{self, Cursor, Rewrapped};
use crate::vault::Vault;
use crate::{CommitError, Committed, Reason, Unavailable, Write};

pub(crate) use flush::PUT_SECRETS;
pub(crate) use load::{Begun, begin, revision, sealed};

/// How many jobs may wait.
pub(crate) const QUEUE: usize = 1024;
const MOST_WRITES: usize = 256;
const MOST_EDITS: usize = 20_000;
/// How long a write waits for the connection, before it is told that there is none.
const PATIENCE: Duration = Duration::from_secs(7);

type Answer<T, E = Unavailable> = oneshot::Sender<Result<T, E>>;

/// What the writer is asked to do.
pub(crate) enum Job {
    Write(Box<Write>, Answer<Committed, CommitError>),
    /// Wraps a bounded number of secrets with the active key.
    Rewrap(Cursor, Answer<Rewrapped>),
    /// Removes a bounded piece of the past; answers whether there is more.
    Prune(Cutoffs, Answer<bool>),
}

/// The state of the writing task.
pub(crate) struct Writer {
    pub engine: Engine,
    pub vault: Arc<Vault>,
    pub jobs: mpsc::Receiver<Job>,
    pub latest: watch::Sender<Revision>,
    /// Kept from one transaction to the next while it works.
    pub session: Option<Session>,
}

struct Waiting {
    write: Box<Write>,
    answer: Answer<Committed, CommitError>,
}

impl Writer {
    /// Works until told to stop, then finishes what is queued.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut held_back = None;
        loop {
            let job = if held_back.is_some() {
                held_back.take()
            } else {
                tokio::select! {
                    biased;
                    () = shutdown.cancelled(), if !self.jobs.is_closed() => {
                        self.jobs.close();
                        continue;
                    }
                    job = self.jobs.recv() => job,
                }
            };
            match job {
                None => return,
                Some(Job::Write(write, answer)) => {
                    let (group, next) = self.gather(Waiting { write, answer });
                    held_back = next;
                    self.commit(group).await;
                }
                Some(Job::Rewrap(after, answer)) => {
                    let _ = answer.send(self.rewrap(after).await);
                }
                Some(Job::Prune(cutoffs, answer)) => {
                    let _ = answer.send(self.prune(cutoffs).await);
                }
            }
        }
    }

    /// The writes that wait already, and the job after them that is not one.
    fn gather(&mut self, first: Waiting) -> (Vec<Waiting>, Option<Job>) {
        let mut edits = first.write.edits.len();
        let mut group = vec![first];
        while group.len() < MOST_WRITES && edits < MOST_EDITS {
            match self.jobs.try_recv() {
                Ok(Job::Write(write, answer)) => {
                    edits += write.edits.len();
                    group.push(Waiting { write, answer });
                }
                Ok(other) => return (group, Some(other)),
                Err(_) => break,
            }
        }
        (group, None)
    }

    async fn commit(&mut self, group: Vec<Waiting>) {
        let writes: Vec<&Write> = group.iter().map(|waiting| &*waiting.write).collect();
        match self.attempt(&writes).await {
            Ok(answers) => {
                for (waiting, answer) in group.into_iter().zip(answers) {
                    let _ = waiting.answer.send(answer);
                }
            }
            // What one write holds may be more than the database takes: the others must not pay for it.
            Err(error) if error.reason == Reason::Other && group.len() > 1 => {
                for waiting in group {
                    let answer = self.attempt(&[&waiting.write]).await;
                    let answer = answer.map_err(CommitError::from).and_then(|mut one| one.remove(0));
                    let _ = waiting.answer.send(answer);
                }
            }
            Err(error) => {
                tracing::warn!(%error, writes = group.len(), "a commit failed");
                for waiting in group {
                    let _ = waiting.answer.send(Err(error.clone().into()));
                }
            }
        }
    }

    /// One transaction for all of the writes, with an answer for each.
    async fn attempt(
        &mut self,
        writes: &[&Write],
    ) -> Result<Vec<Result<Committed, CommitError>>, Unavailable> {
        let (mut session, begun) = self.begin_with(writes).await?;
        let before = begun.revision;
        if writes.iter().any(|write| write.seals()) {
            self.agree_on_key(begun.key_id.as_deref()).await?;
        }
        let mut view = load::load(&mut session, writes, begun.touched).await?;
        let keys = self.vault.keys();
        let mut current = before;
        let mut rows = flush::Rows::default();
        let mut answers = Vec::with_capacity(writes.len());
        for write in writes {
            let answer = evaluate::evaluate(&mut view, write, current, &keys);
            if let Ok(committed) = &answer {
                rows.record(write, committed);
                current = committed.revision;
            }
            answers.push(answer);
        }
        if current == before {
            session.roll_back().await?;
        } else {
            rows.collect(&view);
            rows.flush(&mut session, current).await?;
            publish(&self.latest, current);
        }
        self.session = Some(session);
        Ok(answers)
    }

    /// Opens a transaction that holds the meta row. A kept connection may have died since: then another one.
    async fn begin_with(&mut self, writes: &[&Write]) -> Result<(Session, Begun), Unavailable> {
        if let Some(mut session) = self.session.take() {
            match load::begin_with(&mut session, writes).await {
                Ok(begun) => return Ok((session, begun)),
                Err(error) if error.reason == Reason::Disconnected => drop(session),
                Err(error) => return Err(error),
            }
        }
        let connect = async {
            let mut session = self.engine.writer().await?;
            let begun = load::begin_with(&mut session, writes).await?;
            Ok((session, begun))
        };
        tokio::time::timeout(PATIENCE, connect)
            .await
            .unwrap_or_else(|_| Err(Unavailable::new(Reason::Disconnected, "no connection within 7 s")))
    }

    /// Another replica may have changed the key: what is sealed with the old one would be lost with it. A key that is
    /// known and no longer active is this daemon's own rotation under way, whose file holds both.
    async fn agree_on_key(&self, agreed: Option<&str>) -> Result<(), Unavailable> {
        let Some(agreed) = agreed else { return Ok(()) };
        if self.vault.keys().find(agreed).is_none() {
            self.vault.reload().await;
        }
        if self.vault.keys().find(agreed).is_some() {
            return Ok(());
        }
        let message = format!("secrets are sealed with key {agreed} now; give this daemon that key file");
        Err(Unavailable::new(Reason::Other, message))
    }

    async fn rewrap(&mut self, after: Cursor) -> Result<Rewrapped, Unavailable> {
        let (mut session, _) = self.begin_with(&[]).await?;
        let done = rotate::rewrap(&mut session, &self.vault.keys(), after).await?;
        session.commit().await?;
        self.session = Some(session);
        Ok(done)
    }

    async fn prune(&mut self, cutoffs: Cutoffs) -> Result<bool, Unavailable> {
        let (mut session, begun) = self.begin_with(&[]).await?;
        let more = prune::prune(&mut session, begun.revision, cutoffs).await?;
        session.commit().await?;
        self.session = Some(session);
        Ok(more)
    }
}

/// Tells the watchers, never backwards.
pub(crate) fn publish(latest: &watch::Sender<Revision>, revision: Revision) {
    latest.send_if_modified(|known| {
        let newer = revision > *known;
        if newer {
            *known = revision;
        }
        newer
    });
}

/// Decides a write as it would be now, and leaves no trace.
pub(crate) async fn rehearse(
    engine: &Engine,
    vault: &Vault,
    write: &Write,
) -> Result<Committed, CommitError> {
    let mut session = engine.reader().await?;
    session.begin_read().await?;
    let current = load::revision(&mut session).await?;
    let mut view = load::load(&mut session, &[write], None).await?;
    session.commit().await?;
    let committed = evaluate::evaluate(&mut view, write, current, &vault.keys())?;
    Ok(Committed { revision: current, ..committed })
}
