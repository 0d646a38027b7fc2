//! Legacy sessions: bound to their caller, random, bounded in number, ended when left alone.

mod asking;
mod table;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::outbox::{Bounds, Outbox, Reader};
use super::peer::{Level, Peer};
use super::service::Caller;

pub(super) use asking::Asking;
#[cfg(test)]
pub(super) use asking::MOST_QUESTIONS;
pub(super) use table::Sessions;

/// How many answered streams a session keeps for clients that come back.
pub(super) const KEPT_STREAMS: usize = 8;

/// How much the answers of one session may hold that are still being read, before the oldest is given up.
pub(super) const READ_BYTES: usize = 64 << 20;

/// What a session is held open by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    /// Requests that name it.
    Streamable,
    /// One connection; it ends with it.
    Connection,
}

/// One legacy session.
#[derive(Debug)]
pub(super) struct Session<C> {
    pub(super) id: Arc<str>,
    /// Whose session it is, as last seen; each request runs as whoever sent it.
    caller: Mutex<C>,
    pub(super) carrier: Carrier,
    pub(super) peer: OnceLock<Arc<Peer>>,
    /// Messages that belong to no request.
    pub(super) general: Arc<Outbox>,
    pub(super) asking: Arc<Asking>,
    pub(super) ended: CancellationToken,
    /// A request was answered.
    answered: Notify,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    used: Instant,
    streams: BTreeMap<u32, Stream>,
    last_stream: u32,
    running: HashMap<Bytes, CancellationToken>,
    subscriptions: HashSet<String>,
    log_level: Option<Level>,
}

/// The messages of one request.
#[derive(Debug)]
struct Stream {
    outbox: Arc<Outbox>,
    answered: Option<Instant>,
}

impl<C: Caller> Session<C> {
    pub(super) fn new(id: Arc<str>, caller: C, carrier: Carrier, bounds: Bounds) -> Arc<Self> {
        let bounds = Bounds { resumable: carrier == Carrier::Streamable, ..bounds };
        let state = State {
            used: Instant::now(),
            streams: BTreeMap::new(),
            last_stream: 0,
            running: HashMap::new(),
            subscriptions: HashSet::new(),
            log_level: None,
        };
        Arc::new(Self {
            id,
            caller: Mutex::new(caller),
            carrier,
            peer: OnceLock::new(),
            general: Outbox::new(bounds),
            asking: Arc::default(),
            ended: CancellationToken::new(),
            answered: Notify::new(),
            state: Mutex::new(state),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whose session it is, as last seen.
    pub(super) fn caller(&self) -> C {
        self.caller.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether it is this caller's session.
    pub(super) fn is_of(&self, caller: &C) -> bool {
        self.caller.lock().unwrap_or_else(PoisonError::into_inner).key() == caller.key()
    }

    /// Its caller was seen again, perhaps with other rights.
    pub(super) fn seen(&self, caller: &C) {
        *self.caller.lock().unwrap_or_else(PoisonError::into_inner) = caller.clone();
        self.touch();
    }

    /// Something happened in the session.
    pub(super) fn touch(&self) {
        self.state().used = Instant::now();
    }

    /// Whether nothing has happened for so long, and nothing is going on.
    pub(super) fn is_idle(&self, since: Duration) -> bool {
        let state = self.state();
        self.carrier == Carrier::Streamable
            && state.used.elapsed() >= since
            && state.running.is_empty()
            && !self.general.is_attached()
    }

    pub(super) fn idle_for(&self) -> Duration {
        self.state().used.elapsed()
    }

    /// Opens the stream of a request; its number is part of its events' ids.
    pub(super) fn open_stream(&self, bounds: Bounds) -> (u32, Arc<Outbox>) {
        let outbox = Outbox::new(Bounds { resumable: true, ..bounds });
        let mut state = self.state();
        state.last_stream += 1;
        let number = state.last_stream;
        state.streams.insert(number, Stream { outbox: Arc::clone(&outbox), answered: None });
        (number, outbox)
    }

    /// The stream was answered in full and nobody will come back for it.
    pub(super) fn forget_stream(&self, number: u32) {
        self.state().streams.remove(&number);
    }

    /// Goes on with a stream at an event's number; stream 0 holds what belongs to no request.
    pub(super) fn resume(&self, stream: u32, next: u64) -> Option<Reader> {
        if stream == 0 {
            return self.general.resume(next);
        }
        let outbox = self.state().streams.get(&stream).map(|stream| Arc::clone(&stream.outbox))?;
        outbox.resume(next)
    }

    /// Drops streams that were answered long ago, or when they are too many or too large together; those that are still
    /// being read last, and only when they hold very much.
    pub(super) fn trim(&self, keep: Duration, most_bytes: usize) {
        let mut state = self.state();
        let now = Instant::now();
        for stream in state.streams.values_mut().filter(|stream| stream.outbox.is_finished()) {
            stream.answered.get_or_insert(now);
        }
        state.streams.retain(|_, stream| {
            stream.outbox.is_attached() || stream.answered.is_none_or(|at| now - at < keep)
        });
        for (read, streams, bytes) in [(false, KEPT_STREAMS, most_bytes), (true, usize::MAX, READ_BYTES)] {
            let answered: Vec<(u32, usize)> = state
                .streams
                .iter()
                .filter(|(_, stream)| stream.answered.is_some() && stream.outbox.is_attached() == read)
                .map(|(number, stream)| (*number, stream.outbox.held()))
                .collect();
            let mut held: usize = answered.iter().map(|(_, bytes)| bytes).sum();
            let mut count = answered.len();
            for (number, size) in answered {
                if count <= streams && held <= bytes {
                    break;
                }
                if let Some(stream) = state.streams.remove(&number) {
                    stream.outbox.hang_up();
                    stream.outbox.clear();
                }
                held -= size;
                count -= 1;
            }
        }
    }

    /// A request began; `None` when one with this id is running already.
    pub(super) fn begin(&self, id: &Bytes) -> Option<CancellationToken> {
        let mut state = self.state();
        state.used = Instant::now();
        if state.running.contains_key(id) {
            return None;
        }
        let token = self.ended.child_token();
        state.running.insert(Bytes::copy_from_slice(id), token.clone());
        Some(token)
    }

    /// A request was answered.
    pub(super) fn done(&self, id: &Bytes) {
        let mut state = self.state();
        state.running.remove(id);
        if state.running.is_empty() {
            state.running.shrink_to_fit();
        }
        state.used = Instant::now();
        drop(state);
        self.answered.notify_waiters();
    }

    /// Waits until no request is running.
    pub(super) async fn quiet(&self) {
        loop {
            let answered = self.answered.notified();
            if self.running() == 0 {
                return;
            }
            answered.await;
        }
    }

    /// Gives up a request.
    pub(super) fn cancel(&self, id: &[u8]) {
        if let Some(token) = self.state().running.get(id) {
            token.cancel();
        }
    }

    /// How many requests are running.
    pub(super) fn running(&self) -> usize {
        self.state().running.len()
    }

    /// Notes that changes of a resource are wanted, or not any more; `false` when it is one too many.
    pub(super) fn subscribe(&self, uri: &str, wanted: bool, most: usize) -> bool {
        let mut state = self.state();
        if !wanted {
            state.subscriptions.remove(uri);
        } else if state.subscriptions.len() < most {
            state.subscriptions.insert(uri.to_owned());
        } else {
            return state.subscriptions.contains(uri);
        }
        true
    }

    pub(super) fn is_subscribed(&self, uri: &str) -> bool {
        self.state().subscriptions.contains(uri)
    }

    pub(super) fn set_log_level(&self, level: Level) {
        self.state().log_level = Some(level);
    }

    pub(super) fn log_level(&self) -> Option<Level> {
        self.state().log_level
    }

    /// Ends everything that goes on in it.
    pub(super) fn end(&self) {
        self.ended.cancel();
        self.general.finish();
        let mut state = self.state();
        state.streams.values().for_each(|stream| stream.outbox.finish());
        state.streams.clear();
    }
}

#[cfg(test)]
mod tests;
