//! The one task that writes. Writes that wait together share a transaction, and each keeps its own revision.
//!
//! No savepoints: a group is loaded into memory, decided there write by write, and only the result is written.

mod decision;
mod draft;
mod evaluate;
mod flush;
mod history;
mod load;
mod shelf;
mod view;

use std::sync::Arc;
use std::time::Duration;

use model::Revision;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::denials::{self, Denial};
use crate::engine::{Engine, Session};
use crate::found::{self, Founding};
use crate::prune::{self, Cutoffs};
use crate::rotate::{self, Cursor, Rewrapped};
use crate::vault::Vault;
use crate::{CommitError, Committed, Reason, Unavailable, Write};

pub(crate) use flush::{PUT_RECORDS, PUT_SECRETS};
pub(crate) use history::{ADD_AUDIT, History};
pub(crate) use load::{Begun, begin, revision, sealed};

/// How many jobs may wait.
pub(crate) const QUEUE: usize = 1024;
const MOST_WRITES: usize = 256;
const MOST_EDITS: usize = 20_000;
const MOST_DENIALS: usize = 1000;
/// How long a write waits for the connection, before it is told that there is none.
const PATIENCE: Duration = Duration::from_secs(7);

type Answer<T, E = Unavailable> = oneshot::Sender<Result<T, E>>;

/// What the writer is asked to do.
pub(crate) enum Job {
    Write(Box<Write>, Answer<Committed, CommitError>),
    /// Keeps a denial, with whatever transaction comes next.
    Deny(Box<Denial>),
    /// Wraps a bounded number of secrets with the active key.
    Rewrap(Cursor, Answer<Rewrapped>),
    /// Puts records into a new store.
    Found(Box<Founding>, Answer<bool>),
    /// Removes a bounded piece of the past; answers whether there is more.
    Prune(Cutoffs, Answer<bool>),
}

/// The state of the writing task.
pub(crate) struct Writer {
    pub engine: Engine,
    pub vault: Arc<Vault>,
    pub jobs: mpsc::Receiver<Job>,
    pub latest: watch::Sender<Latest>,
    /// Kept from one transaction to the next while it works.
    pub session: Option<Session>,
}

struct Waiting {
    write: Box<Write>,
    answer: Answer<Committed, CommitError>,
}

/// What shares a transaction.
#[derive(Default)]
struct Group {
    writes: Vec<Waiting>,
    denials: Vec<Denial>,
    edits: usize,
}

impl Group {
    /// Takes the job in, unless it is one that does not share.
    fn take(&mut self, job: Job) -> Option<Job> {
        match job {
            Job::Write(write, answer) => {
                self.edits += write.edits.len();
                self.writes.push(Waiting { write, answer });
            }
            Job::Deny(denial) => self.denials.push(*denial),
            other => return Some(other),
        }
        None
    }

    fn is_full(&self) -> bool {
        self.writes.len() >= MOST_WRITES || self.edits >= MOST_EDITS || self.denials.len() >= MOST_DENIALS
    }
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
                Some(job @ (Job::Write(..) | Job::Deny(_))) => {
                    let (group, next) = self.gather(job);
                    held_back = next;
                    self.commit(group).await;
                }
                Some(Job::Rewrap(after, answer)) => {
                    let _ = answer.send(self.rewrap(after).await);
                }
                Some(Job::Found(founding, answer)) => {
                    let _ = answer.send(self.found(*founding).await);
                }
                Some(Job::Prune(cutoffs, answer)) => {
                    let _ = answer.send(self.prune(cutoffs).await);
                }
            }
        }
    }

    /// What waits already and shares a transaction with the first job, and the job after it that does not.
    fn gather(&mut self, first: Job) -> (Group, Option<Job>) {
        let mut group = Group::default();
        let mut next = group.take(first);
        while next.is_none() && !group.is_full() {
            let Ok(job) = self.jobs.try_recv() else { break };
            next = group.take(job);
        }
        (group, next)
    }

    async fn commit(&mut self, group: Group) {
        let Group { writes: waiting, denials, .. } = group;
        let writes: Vec<&Write> = waiting.iter().map(|waiting| &*waiting.write).collect();
        match self.attempt(&writes, &denials).await {
            Ok(answers) => {
                for (waiting, answer) in waiting.into_iter().zip(answers) {
                    let _ = waiting.answer.send(answer);
                }
            }
            // What one write holds may be more than the database takes: the others must not pay for it.
            Err(error)
                if error.reason == Reason::Other && waiting.len() + usize::from(!denials.is_empty()) > 1 =>
            {
                for waiting in waiting {
                    let answer = self.attempt(&[&waiting.write], &[]).await;
                    let answer = answer.map_err(CommitError::from).and_then(|mut one| one.remove(0));
                    let _ = waiting.answer.send(answer);
                }
                if !denials.is_empty()
                    && let Err(error) = self.attempt(&[], &denials).await
                {
                    denials::warn(&denials, &error);
                }
            }
            Err(error) => {
                if !waiting.is_empty() {
                    tracing::warn!(%error, writes = waiting.len(), "a commit failed");
                }
                for waiting in waiting {
                    let _ = waiting.answer.send(Err(error.clone().into()));
                }
                denials::warn(&denials, &error);
            }
        }
    }

    /// One transaction for all of the writes and denials, with an answer for each write.
    async fn attempt(
        &mut self,
        writes: &[&Write],
        denials: &[Denial],
    ) -> Result<Vec<Result<Committed, CommitError>>, Unavailable> {
        let (mut session, begun) = self.begin_with(writes).await?;
        let before = begun.revision;
        if writes.iter().any(|write| write.seals()) {
            self.agree_on_key(begun.key_id.as_deref()).await?;
        }
        let mut view = load::load(&mut session, writes, begun.touched).await?;
        let keys = self.vault.keys();
        let (mut current, mut records) = (before, begun.records);
        let mut rows = flush::Rows::default();
        let mut answers = Vec::with_capacity(writes.len());
        for write in writes {
            if write.decided_at.is_some_and(|at| at < records) {
                answers.push(Err(CommitError::Outdated { records }));
                continue;
            }
            let decided = evaluate::evaluate(&mut view, write, current, &keys);
            answers.push(decided.map(|decision| {
                rows.history.add(write, &decision);
                current = decision.committed.revision;
                if !decision.committed.records.is_empty() {
                    records = current;
                    rows.records = Some(current);
                }
                decision.committed
            }));
        }
        if current == before && denials.is_empty() {
            session.roll_back().await?;
        } else {
            rows.collect(&view);
            rows.deny(denials);
            rows.flush(&mut session, (current > before).then_some(current)).await?;
            let records = answers.iter().flatten().any(|committed| !committed.records.is_empty());
            publish(&self.latest, current, records);
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

    async fn found(&mut self, founding: Founding) -> Result<bool, Unavailable> {
        let (mut session, begun) = self.begin_with(&[]).await?;
        let done = found::found(&mut session, begun.revision, founding).await?;
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

/// The newest commits that watchers should know of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Latest {
    /// The newest of all.
    pub revision: Revision,
    /// The newest that may have changed a record.
    pub records: Revision,
}

/// Tells the watchers, never backwards.
pub(crate) fn publish(latest: &watch::Sender<Latest>, revision: Revision, records: bool) {
    latest.send_if_modified(|known| {
        let newer = revision > known.revision || records && revision > known.records;
        known.revision = known.revision.max(revision);
        if records {
            known.records = known.records.max(revision);
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
    let decision = evaluate::evaluate(&mut view, write, current, &vault.keys())?;
    Ok(Committed { revision: current, ..decision.committed })
}
