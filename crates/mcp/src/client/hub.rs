//! Where everything the peer sends arrives: answers go to their calls, questions to whoever answers, news to whoever
//! listens; what fits nowhere is dropped and counted.

mod asked;
mod noticed;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use bytes::Bytes;
use http::StatusCode;
use rustc_hash::FxHashMap;
use tokio::sync::{Notify, Semaphore, mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::fault::Fault;
use crate::frame::{Frame, Incoming, Kind, Reader};
use crate::json::View;
use crate::question::Answering;

use super::bulletin::{Bulletin, Event};
use super::counts::{Tally, more};
use super::wire::{Lost, Wire};

/// How many questions of one peer may be open at once.
pub(crate) const MAX_QUESTIONS: usize = 64;

/// How many answers of ours may be on their way at once.
pub(crate) const MAX_REPLIES: usize = 256;

/// How a request ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    Result(Frame),
    /// With the HTTP status it came under.
    Fault(Fault, Option<StatusCode>),
}

/// The signs of life of a call.
#[derive(Debug, Default)]
pub(crate) struct Life {
    pub(crate) progress: Notify,
    /// How many questions about it are open.
    pub(crate) open: AtomicUsize,
}

/// A call that waits for its answer.
pub(crate) struct Waiter {
    pub(crate) answer: oneshot::Sender<Outcome>,
    pub(crate) life: Arc<Life>,
    pub(crate) notices: Option<mpsc::Sender<Bytes>>,
    /// The token the caller knows the progress by.
    pub(crate) token: Option<Bytes>,
    pub(crate) answering: Option<Arc<dyn Answering>>,
}

/// The receiving side of a session.
pub(crate) struct Hub {
    pub(crate) tally: Tally,
    pub(crate) bulletin: Bulletin,
    pub(crate) ended: CancellationToken,
    /// How many questions are open that belong to no particular call.
    pub(crate) open: AtomicUsize,
    /// When the last of them was answered.
    answered_at: Mutex<Option<Instant>>,
    calls: Mutex<FxHashMap<u64, Waiter>>,
    next: AtomicU64,
    modern: AtomicBool,
    batches: AtomicBool,
    wire: OnceLock<Weak<dyn Wire>>,
    answering: Arc<dyn Answering>,
    capabilities: Bytes,
    asked: Mutex<HashMap<Bytes, CancellationToken>>,
    questions: Arc<Semaphore>,
    replies: Arc<Semaphore>,
    why: OnceLock<Lost>,
}

impl Hub {
    pub(crate) fn new(answering: Arc<dyn Answering>, capabilities: Bytes) -> Arc<Self> {
        Arc::new(Self {
            tally: Tally::default(),
            bulletin: Bulletin::default(),
            ended: CancellationToken::new(),
            open: AtomicUsize::new(0),
            answered_at: Mutex::default(),
            calls: Mutex::default(),
            next: AtomicU64::new(1),
            modern: AtomicBool::new(false),
            batches: AtomicBool::new(true),
            wire: OnceLock::new(),
            answering,
            capabilities,
            asked: Mutex::default(),
            questions: Arc::new(Semaphore::new(MAX_QUESTIONS)),
            replies: Arc::new(Semaphore::new(MAX_REPLIES)),
            why: OnceLock::new(),
        })
    }

    /// Names the wire that answers to the peer travel on.
    pub(crate) fn attach(&self, wire: &Arc<dyn Wire>) {
        let _ = self.wire.set(Arc::downgrade(wire));
    }

    /// What was agreed on.
    pub(crate) fn settle(&self, modern: bool, batches: bool) {
        self.modern.store(modern, Ordering::Relaxed);
        self.batches.store(batches, Ordering::Relaxed);
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.modern.load(Ordering::Relaxed)
    }

    fn calls(&self) -> MutexGuard<'_, FxHashMap<u64, Waiter>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn next_id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// From now on the answer with this id is waited for.
    pub(crate) fn expect(&self, id: u64, waiter: Waiter) -> Result<(), Lost> {
        let mut calls = self.calls();
        if self.ended.is_cancelled() {
            return Err(self.why());
        }
        calls.insert(id, waiter);
        Ok(())
    }

    /// Whether the answer with this id is still waited for.
    pub(crate) fn is_waiting(&self, id: u64) -> bool {
        self.calls().contains_key(&id)
    }

    /// Since when a call could have gone on: now while a question is open, else since the last was answered.
    pub(crate) fn unasked_since(&self) -> Option<Instant> {
        if self.open.load(Ordering::Relaxed) > 0 {
            return Some(Instant::now());
        }
        *self.answered_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a call up; whether it was still waiting.
    pub(crate) fn forget(&self, id: u64) -> bool {
        self.calls().remove(&id).is_some()
    }

    /// Why the session ended.
    pub(crate) fn why(&self) -> Lost {
        self.why.get().cloned().unwrap_or(Lost::Closed)
    }

    /// Ends the session: every call fails, and listeners hear the reason.
    pub(crate) fn end(&self, why: Lost, reason: &str) {
        if self.why.set(why).is_ok() {
            self.bulletin.post(Event::Closed(reason.to_owned()));
        }
        let waiting = {
            let mut calls = self.calls();
            self.ended.cancel();
            std::mem::take(&mut *calls)
        };
        drop(waiting);
    }

    /// Takes a text of the peer, which came for the call `origin` if it is named. A text that is no message is counted
    /// and gives `false`.
    pub(crate) fn receive(self: &Arc<Self>, reader: &mut Reader, text: &Bytes, origin: Option<u64>) -> bool {
        match reader.read(text) {
            Ok(Incoming::One(frame)) => self.accept(frame, origin),
            Ok(Incoming::Batch(frames)) if self.batches.load(Ordering::Relaxed) => {
                for frame in frames {
                    self.accept(frame, origin);
                }
            }
            Ok(Incoming::Batch(_)) | Err(_) => {
                more(&self.tally.malformed);
                return false;
            }
        }
        true
    }

    fn accept(self: &Arc<Self>, frame: Frame, origin: Option<u64>) {
        if frame.repeated() > 0 {
            more(&self.tally.repeated_keys);
        }
        match frame.kind() {
            Kind::Answer | Kind::Failure => self.answered(frame, origin),
            Kind::Notification => self.noticed(&frame, origin),
            Kind::Request => self.asked(&frame, origin),
        }
    }

    fn answered(&self, frame: Frame, origin: Option<u64>) {
        let written = frame.id().filter(|id| *id != b"null");
        let id = match written {
            Some(id) => std::str::from_utf8(id).ok().and_then(|id| id.parse::<u64>().ok()),
            None => origin,
        };
        let Some(id) = id.filter(|id| *id < self.next.load(Ordering::Relaxed)) else {
            return more(&self.tally.unknown);
        };
        let Some(waiter) = self.calls().remove(&id) else { return more(&self.tally.late) };
        let outcome = match frame.error() {
            Some(error) => Outcome::Fault(Fault::read(error), None),
            None => Outcome::Result(frame),
        };
        if waiter.answer.send(outcome).is_err() {
            more(&self.tally.late);
        }
    }

    /// A call failed with an HTTP error that says what the peer thinks of it.
    pub(crate) fn fail(&self, id: u64, error: View<'_>, status: StatusCode) {
        let waiter = self.calls().remove(&id);
        if let Some(waiter) = waiter {
            let _ = waiter.answer.send(Outcome::Fault(Fault::read(error), Some(status)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_answers_on_their_way_are_bounded() {
        assert_eq!((MAX_QUESTIONS, MAX_REPLIES), (64, 256));
    }
}
