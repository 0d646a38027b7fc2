//! The issuer's keys, held and fetched anew as their age and the tokens demand.
//!
//! At most one fetch runs; every token that needs one waits for the same.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jsonwebtoken::Algorithm;
use tokio::sync::watch;

use super::discovery::Source;
use super::freshness::{Moments, Step};
use super::key::Key;
use super::key_set::{Found, KeySet};
use super::{Clock, Rejected};

pub(super) struct Keys {
    shared: Arc<Shared>,
}

struct Shared {
    source: Source,
    clock: Clock,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    set: KeySet,
    moments: Moments,
    /// Closes when the fetch ends, however it ends.
    running: Option<watch::Receiver<()>>,
}

enum Look {
    Decided(Result<Vec<Arc<Key>>, Rejected>),
    Wait(watch::Receiver<()>),
}

impl Keys {
    pub(super) fn new(source: Source, clock: Clock) -> Self {
        Self { shared: Arc::new(Shared { source, clock, state: Mutex::default() }) }
    }

    /// The keys that may have signed a token which says `id` and `algorithm`; never none.
    pub(super) async fn find(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Vec<Arc<Key>>, Rejected> {
        let mut ended = match self.look(id, algorithm) {
            Look::Decided(result) => return result,
            Look::Wait(ended) => ended,
        };
        while ended.changed().await.is_ok() {}
        self.look_after_fetch(id, algorithm)
    }

    fn look(&self, id: Option<&str>, algorithm: Algorithm) -> Look {
        let now = (self.shared.clock)();
        let mut state = self.shared.lock();
        let found = state.set.find(id, algorithm);
        let known = !matches!(found, Found::Unknown);
        match state.moments.step(now, known) {
            Step::Decide => Look::Decided(decided(found)),
            Step::DecideAndFetch => {
                self.fetch(&mut state);
                Look::Decided(decided(found))
            }
            Step::Fetch => {
                if !known && state.moments.fetched.is_some() {
                    state.moments.sought = Some(now);
                }
                Look::Wait(self.fetch(&mut state))
            }
            Step::Unknown => Look::Decided(Err(Rejected::UnknownKey)),
            Step::Unavailable => Look::Decided(Err(Rejected::Unavailable)),
        }
    }

    fn look_after_fetch(&self, id: Option<&str>, algorithm: Algorithm) -> Result<Vec<Arc<Key>>, Rejected> {
        let now = (self.shared.clock)();
        let mut state = self.shared.lock();
        let found = state.set.find(id, algorithm);
        match state.moments.step_after_fetch(now, !matches!(found, Found::Unknown)) {
            Step::Decide => decided(found),
            Step::Unknown => {
                state.moments.sought = Some(now);
                Err(Rejected::UnknownKey)
            }
            _ => Err(Rejected::Unavailable),
        }
    }

    /// Joins the fetch that runs, or starts one. It is a task of its own, since the token that started it may
    /// be given up while others wait; it ends by its own deadline.
    fn fetch(&self, state: &mut State) -> watch::Receiver<()> {
        if let Some(running) = state.running.as_ref().filter(|running| running.has_changed().is_ok()) {
            return running.clone();
        }
        let (ending, ended) = watch::channel(());
        state.running = Some(ended.clone());
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            let outcome = shared.source.fetch().await;
            shared.store(outcome);
            drop(ending);
        });
        ended
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn store(&self, outcome: Result<KeySet, super::discovery::Error>) {
        let now = (self.clock)();
        if let Err(error) = &outcome {
            tracing::warn!(issuer = %self.source.issuer(), %error, "the issuer's keys cannot be fetched");
        }
        let mut state = self.lock();
        state.running = None;
        match outcome {
            Ok(set) => {
                state.set = set;
                state.moments.fetched = Some(now);
                state.moments.failed = None;
            }
            Err(_) => state.moments.failed = Some(now),
        }
    }
}

fn decided(found: Found) -> Result<Vec<Arc<Key>>, Rejected> {
    match found {
        Found::Keys(keys) => Ok(keys),
        Found::Unfit => Err(Rejected::KeyUnfit),
        Found::Ambiguous => Err(Rejected::KeyUnnamed),
        Found::Unknown => Err(Rejected::UnknownKey),
    }
}
