//! What has to run for a store to work: the writer, the ear for other replicas, and hourly pruning.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::engine::Engine;
use crate::prune::Cutoffs;
use crate::writer::{self, Job, Latest, Writer};
use crate::{Retention, Store, Unavailable};

const HOUR: Duration = Duration::from_hours(1);
const POLL: Duration = Duration::from_secs(1);

/// The running part of a store.
pub struct Service {
    writer: Writer,
    // A sender of its own, and no `Store`: the queue ends when the last handle is gone.
    jobs: tokio::sync::mpsc::WeakSender<Job>,
    retention: Retention,
}

impl Service {
    pub(crate) fn new(writer: Writer, store: &Store, retention: Retention) -> Self {
        Self { writer, jobs: store.inner.jobs.downgrade(), retention }
    }

    /// Works until told to stop or until the last handle is gone; finishes what is queued.
    pub async fn run(self, shutdown: CancellationToken) {
        let Self { writer, jobs, retention } = self;
        let (engine, latest) = (writer.engine.clone(), writer.latest.clone());
        let beside = async {
            tokio::join!(listen(&engine, &latest), keep_pruning(&jobs, retention));
        };
        tokio::select! {
            () = writer.run(shutdown) => {}
            () = beside => {}
        }
    }
}

/// Learns of other replicas' commits: at once when notified, within a second when not.
async fn listen(engine: &Engine, latest: &tokio::sync::watch::Sender<Latest>) {
    let mut wakeups = match engine.wakeups().await {
        Ok(None) => return std::future::pending().await,
        Ok(wakeups) => wakeups,
        Err(_) => None,
    };
    loop {
        let heard = async {
            match &mut wakeups {
                Some(wakeups) => wakeups.next().await.is_ok(),
                None => std::future::pending().await,
            }
        };
        // Silence is no sign of death.
        let alive = tokio::time::timeout(POLL, heard).await.unwrap_or(true);
        if !alive {
            wakeups = None;
        }
        match poll(engine).await {
            Ok(revision) => {
                // Another replica's commit may hold records, and so may one of its that ours came after.
                writer::publish(latest, revision, true);
                if wakeups.is_none() {
                    wakeups = engine.wakeups().await.ok().flatten();
                }
            }
            Err(_) => tokio::time::sleep(POLL).await,
        }
    }
}

async fn poll(engine: &Engine) -> Result<model::Revision, Unavailable> {
    writer::revision(&mut engine.reader().await?).await
}

async fn keep_pruning(jobs: &tokio::sync::mpsc::WeakSender<Job>, retention: Retention) {
    loop {
        tokio::time::sleep(HOUR).await;
        let cutoffs = Cutoffs::of(retention);
        loop {
            let Some(jobs) = jobs.upgrade() else { return std::future::pending().await };
            let (answer, answered) = tokio::sync::oneshot::channel();
            if jobs.send(Job::Prune(cutoffs, answer)).await.is_err() {
                return std::future::pending().await;
            }
            drop(jobs);
            match answered.await {
                Ok(Ok(true)) => {}
                Ok(Ok(false)) | Err(_) => break,
                Ok(Err(error)) => {
                    tracing::warn!(%error, "old history was not removed");
                    break;
                }
            }
        }
    }
}
