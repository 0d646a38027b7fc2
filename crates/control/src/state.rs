//! What every route works with.

use std::sync::Arc;

use access::Directory;
use model::Timestamp;
use model::spec::Rules;
use storage::Store;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

use crate::gate::Gate;
use crate::ports::Metrics;

/// Bodies over this size are read where they do not hold up other requests.
pub(crate) const BLOCKING_BODY: usize = 64 * 1024;
/// Bodies over this size wait for each other.
pub(crate) const LARGE_BODY: usize = 1024 * 1024;
/// Large bodies that are read at one time.
const LARGE_BODIES: usize = 2;
/// Watch streams at one time.
const WATCHERS: usize = 1000;

/// How the control plane behaves.
#[derive(Clone, Copy)]
pub struct Settings {
    /// What is valid here.
    pub rules: Rules,
    /// The clock.
    pub now: fn() -> Timestamp,
    /// This binary's version.
    pub version: &'static str,
}

/// The control plane's state, cheap to clone.
#[derive(Clone)]
pub struct Control {
    pub(crate) gate: Gate,
    pub(crate) directory: watch::Receiver<Arc<Directory>>,
    pub(crate) rules: Rules,
    pub(crate) now: fn() -> Timestamp,
    pub(crate) version: &'static str,
    pub(crate) metrics: Arc<dyn Metrics>,
    pub(crate) large_bodies: Arc<Semaphore>,
    pub(crate) watchers: Arc<Semaphore>,
    pub(crate) backups: Arc<Semaphore>,
    pub(crate) stopping: CancellationToken,
}

impl Control {
    /// Joins the parts; `stopping` ends streams that would otherwise go on for ever.
    pub fn new(
        store: Store,
        directory: watch::Receiver<Arc<Directory>>,
        settings: Settings,
        metrics: Arc<dyn Metrics>,
        stopping: CancellationToken,
    ) -> Self {
        Self {
            gate: Gate::new(store),
            directory,
            rules: settings.rules,
            now: settings.now,
            version: settings.version,
            metrics,
            large_bodies: Arc::new(Semaphore::new(LARGE_BODIES)),
            watchers: Arc::new(Semaphore::new(WATCHERS)),
            backups: Arc::new(Semaphore::new(1)),
            stopping,
        }
    }
}
