//! The server side: both eras on every transport, translated to one exchange between a client and a service.

mod announce;

mod body;
mod dispatch;
mod exchange;
mod guard;
mod http;
mod legacy;
mod modern;
mod outbox;
mod parked;
mod peer;
mod seal;
mod service;
mod session;
mod settings;
mod shape;
mod sink;
mod sse;
mod stdio;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use announce::Listeners;
use parked::Parked;
use session::Sessions;

pub use announce::Change;
pub use body::{Body, TooSlow};
pub use exchange::{AskError, Exchange, Gone};
pub use guard::Guard;
pub use peer::{Level, Peer};
pub use service::{About, Caller, Service};
pub use settings::Settings;

/// One service on any number of transports and connections; clones share everything.
#[derive(Debug)]
pub struct Server<S: Service> {
    core: Arc<Core<S>>,
}

impl<S: Service> Clone for Server<S> {
    fn clone(&self) -> Self {
        Self { core: Arc::clone(&self.core) }
    }
}

#[derive(Debug)]
struct Core<S: Service> {
    service: Arc<S>,
    settings: Settings,
    sessions: Sessions<S::Caller>,
    listeners: Listeners<S::Caller>,
    parked: Arc<Parked>,
    calls: Arc<Semaphore>,
    tasks: TaskTracker,
    stop: CancellationToken,
    refused: AtomicU64,
}

impl<S: Service> Server<S> {
    /// A server of this service; nothing runs yet.
    pub fn new(service: S, settings: Settings) -> Self {
        let core = Core {
            service: Arc::new(service),
            sessions: Sessions::new(&settings),
            listeners: Listeners::new(settings.listeners),
            parked: Arc::new(Parked::new(settings.parked, settings.park_for)),
            calls: Arc::new(Semaphore::new(settings.calls)),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
            refused: AtomicU64::new(0),
            settings,
        };
        Self { core: Arc::new(core) }
    }

    /// The service.
    pub fn service(&self) -> &Arc<S> {
        &self.core.service
    }

    /// Ends sessions, streams and parked exchanges that were left alone too long; runs until the server is stopped.
    pub async fn run(&self) {
        let mut tick = tokio::time::interval(self.core.settings.sweep);
        loop {
            tokio::select! {
                () = self.core.stop.cancelled() => return,
                _ = tick.tick() => self.core.sweep(),
            }
        }
    }

    /// Ends every session and stream, and waits for what is running, but not longer than this.
    pub async fn stop(&self, patience: Duration) {
        self.core.listeners.finish();
        self.core.stop.cancel();
        self.core.sessions.end_all();
        self.core.tasks.close();
        if tokio::time::timeout(patience, self.core.tasks.wait()).await.is_err() {
            tracing::warn!(
                running = self.core.tasks.len(),
                "calls were still running when the server stopped"
            );
        }
    }

    /// How many sessions there are.
    pub fn sessions(&self) -> usize {
        self.core.sessions.len()
    }

    /// How many modern clients listen for changes.
    pub fn listeners(&self) -> usize {
        self.core.listeners.len()
    }

    /// How many messages were refused as malformed.
    pub fn refused(&self) -> u64 {
        self.core.refused.load(Ordering::Relaxed)
    }
}

impl<S: Service> Core<S> {
    fn sweep(&self) {
        self.sessions.sweep();
        self.parked.sweep();
    }

    fn refuse(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }
}
