//! Calls of modern clients that wait for input: found again by a sealed state, once, in time, by whoever made them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::seal::{Binding, Handle, Seal, random};
use super::sink::Sink;
use crate::json::{Object, Shape, View};
use crate::question::Question;

/// One round of a modern call: the request that is answered next, and the way back.
#[derive(Clone, Debug)]
pub(super) struct Leg {
    pub(super) id: Bytes,
    pub(super) sink: Sink,
    /// The round is over; the next one has not begun.
    pub(super) answered: bool,
}

/// What a client came back with.
#[derive(Debug)]
pub(super) struct Resumption {
    pub(super) leg: Leg,
    /// The answers in the order of the questions.
    pub(super) replies: Vec<Bytes>,
}

/// How many calls of one caller may wait.
pub(super) const EACH: usize = 100;

/// A call that waits.
#[derive(Debug)]
pub(super) struct Waiting {
    caller: String,
    questions: Vec<Question>,
    given: HashMap<String, Bytes>,
    resume: oneshot::Sender<Resumption>,
    pub(super) cancel: CancellationToken,
    until: Instant,
}

/// All calls that wait.
#[derive(Debug)]
pub(super) struct Parked {
    seal: Seal,
    began: Instant,
    most: usize,
    keep: Duration,
    waiting: Mutex<HashMap<Handle, Waiting>>,
}

/// There is no room for another call that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Full;

impl Parked {
    pub(super) fn new(most: usize, keep: Duration) -> Self {
        Self { seal: Seal::new(), began: Instant::now(), most, keep, waiting: Mutex::default() }
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<Handle, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn keep(&self) -> Duration {
        self.keep
    }

    /// Parks a call with its questions; returns the `input_required` result and where the answers will come from.
    pub(super) fn park(
        &self,
        questions: Vec<Question>,
        cancel: CancellationToken,
        binding: Binding<'_>,
    ) -> Result<(Bytes, oneshot::Receiver<Resumption>), Full> {
        let (resume, resumed) = oneshot::channel();
        let until = Instant::now() + self.keep;
        let waiting = Waiting {
            caller: binding.caller.to_owned(),
            questions,
            given: HashMap::new(),
            resume,
            cancel,
            until,
        };
        Ok((self.insert(waiting, binding)?, resumed))
    }

    fn insert(&self, waiting: Waiting, binding: Binding<'_>) -> Result<Bytes, Full> {
        let handle = random();
        let state = self.seal.close(&handle, waiting.until - self.began, binding);
        let result = input_required(&waiting, &state);
        let mut all = self.waiting();
        let own = all.values().filter(|other| other.caller == waiting.caller).count();
        if all.len() >= self.most || own >= EACH {
            return Err(Full);
        }
        all.insert(handle, waiting);
        Ok(result)
    }

    /// Takes the call a state belongs to; `None` when it is unknown, someone else's, another call's or too late.
    pub(super) fn take(&self, state: &str, binding: Binding<'_>) -> Option<Waiting> {
        let handle = self.seal.open(state, self.began.elapsed(), binding)?;
        self.waiting().remove(&handle).filter(|waiting| !waiting.resume.is_closed())
    }

    /// Hands the answers to the call. When some are still missing it goes on waiting, and the result to ask for them
    /// with is returned.
    pub(super) fn resume(
        &self,
        mut waiting: Waiting,
        responses: Option<View<'_>>,
        leg: &Leg,
        binding: Binding<'_>,
    ) -> Result<Option<Bytes>, Full> {
        for question in &waiting.questions {
            let given = responses.and_then(|responses| responses.get(&question.key));
            if let Some(reply) = given.filter(|reply| reply.shape() == Shape::Object) {
                waiting.given.insert(question.key.clone(), Bytes::copy_from_slice(reply.bytes()));
            }
        }
        let replies: Option<Vec<Bytes>> =
            waiting.questions.iter().map(|question| waiting.given.get(&question.key).cloned()).collect();
        match replies {
            Some(replies) => {
                let _ = waiting.resume.send(Resumption { leg: leg.clone(), replies });
                Ok(None)
            }
            None => self.insert(waiting, binding).map(Some),
        }
    }

    /// Forgets calls that waited too long or whose service gave up.
    pub(super) fn sweep(&self) {
        let now = Instant::now();
        self.waiting().retain(|_, waiting| waiting.until > now && !waiting.resume.is_closed());
    }
}

/// The result that asks for what is still missing.
fn input_required(waiting: &Waiting, state: &str) -> Bytes {
    let missing = waiting.questions.iter().filter(|question| !waiting.given.contains_key(&question.key));
    let requests = missing.fold(Object::new(), |requests, question| {
        let params = question.params.as_deref().unwrap_or(b"{}");
        let request = Object::new().with("method", &question.method).raw("params", params).finish();
        requests.raw(&question.key, &request)
    });
    Object::new()
        .with("resultType", "input_required")
        .raw("inputRequests", &requests.finish())
        .with("requestState", state)
        .finish()
}
