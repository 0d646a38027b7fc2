//! The one task group: every long-running part has a name here, and its end before shutdown ends the daemon.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long parts may take to end after shutdown began. The edge drains within five seconds.
const END_WITHIN: Duration = Duration::from_secs(8);

/// Named tasks that live as long as the daemon.
pub(crate) struct Tasks {
    running: JoinSet<&'static str>,
    shutdown: CancellationToken,
}

impl Tasks {
    pub(crate) fn new(shutdown: CancellationToken) -> Self {
        Self { running: JoinSet::new(), shutdown }
    }

    /// Starts a part that must not end before shutdown.
    pub(crate) fn spawn(&mut self, name: &'static str, part: impl Future<Output = ()> + Send + 'static) {
        self.running.spawn(async move {
            part.await;
            name
        });
    }

    /// Waits for shutdown, or for a part that ended early; then for all to end.
    pub(crate) async fn run(mut self) -> anyhow::Result<()> {
        let early = tokio::select! {
            () = self.shutdown.cancelled() => None,
            ended = self.running.join_next() => match ended {
                Some(Ok(_)) if self.shutdown.is_cancelled() => None,
                Some(Ok(name)) => Some(format!("{name} ended by itself")),
                Some(Err(error)) => Some(format!("a part failed: {error}")),
                None => Some("nothing is running".to_owned()),
            },
        };
        self.shutdown.cancel();
        let all = async { while self.running.join_next().await.is_some() {} };
        if tokio::time::timeout(END_WITHIN, all).await.is_err() {
            tracing::warn!("some parts did not end in time");
        }
        early.map_or(Ok(()), |reason| Err(anyhow::anyhow!("{reason}")))
    }
}
