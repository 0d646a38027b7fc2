//! Questions to a legacy client, and the answers it sends back.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::super::exchange::AskError;
use super::super::sink::Sink;
use crate::fault::Fault;
use crate::frame::{self, Frame};
use crate::question::{Question, Reply};

/// How many questions one client may be asked at once.
pub(in crate::server) const MOST_QUESTIONS: usize = 1_000;

/// The questions that are open.
#[derive(Debug, Default)]
pub(in crate::server) struct Asking {
    state: Mutex<(u64, HashMap<u64, oneshot::Sender<Reply>>)>,
}

/// Forgets a question when nobody waits for its answer any more.
struct Open<'a> {
    asking: &'a Asking,
    id: u64,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.asking.state().1.remove(&self.id);
    }
}

impl Asking {
    fn state(&self) -> MutexGuard<'_, (u64, HashMap<u64, oneshot::Sender<Reply>>)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a question and waits for its answer.
    pub(in crate::server) async fn ask(&self, sink: &Sink, question: &Question) -> Result<Reply, AskError> {
        let (answer, answered) = oneshot::channel();
        let id = {
            let mut state = self.state();
            if state.1.len() >= MOST_QUESTIONS {
                return Err(AskError::Busy);
            }
            state.0 += 1;
            let id = state.0;
            state.1.insert(id, answer);
            id
        };
        let _open = Open { asking: self, id };
        let request = frame::request(id.to_string().as_bytes(), &question.method, question.params.as_deref());
        if !sink.send(request) {
            return Err(AskError::Gone);
        }
        answered.await.map_err(|_| AskError::Gone)
    }

    /// Takes an answer; `false` when nobody asked.
    pub(in crate::server) fn take(&self, answer: &Frame) -> bool {
        let id = answer.id().and_then(|id| std::str::from_utf8(id).ok()?.parse::<u64>().ok());
        let Some(waiting) = id.and_then(|id| self.state().1.remove(&id)) else { return false };
        let reply = match (answer.shared_result(), answer.error()) {
            (Some(result), _) => Ok(result),
            (None, Some(error)) => Err(Fault::read(error)),
            (None, None) => Err(Fault::internal()),
        };
        waiting.send(reply).is_ok()
    }
}
