//! Requests of a legacy peer: questions are answered by whoever the call or the session names, each within its deadline.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::fault::{Fault, code};
use crate::frame::{self, Frame};
use crate::json::View;
use crate::question::{Answering, Question, Reply};
use crate::version::Era;

use super::super::counts::more;
use super::super::wire::Outgoing;
use super::{Hub, Life};

/// How long an answer to a question may take.
pub(crate) const QUESTION_DEADLINE: Duration = Duration::from_mins(10);

/// How long sending an answer may take.
const REPLY_DEADLINE: Duration = Duration::from_secs(30);

/// Whoever answers for one call alone.
type Own = Option<Arc<dyn Answering>>;

impl Hub {
    pub(super) fn asked(self: &Arc<Self>, frame: &Frame, origin: Option<u64>) {
        let Some(id) = frame.shared_id() else { return };
        if self.is_modern() {
            return more(&self.tally.unexpected_requests);
        }
        let method = frame.method().into_owned();
        if method == "ping" {
            return self.reply(&id, Ok(Bytes::from_static(b"{}")));
        }
        let key = String::from_utf8_lossy(&id).into_owned();
        let question = Question { key, method, params: frame.shared_params() };
        if !question.is_allowed(View::new(&self.capabilities)) {
            return self.reply(&id, Err(Fault::unknown_method(&question.method)));
        }
        let Ok(slot) = Arc::clone(&self.questions).try_acquire_owned() else {
            return self.reply(&id, Err(Fault::new(code::BUSY, "too many questions at once")));
        };
        let (life, own) = self.asking_call(origin).unzip();
        let answering = own.flatten().unwrap_or_else(|| Arc::clone(&self.answering));
        let withdrawn = self.ended.child_token();
        self.asked_now().insert(id.clone(), withdrawn.clone());
        let open = Open::new(Arc::clone(self), life);
        let hub = Arc::clone(self);
        tokio::spawn(async move {
            let reply = answer(&*answering, question, &withdrawn).await;
            hub.asked_now().remove(&id);
            drop((open, slot));
            if let Some(reply) = reply {
                hub.reply(&id, reply);
            }
        });
    }

    /// The call a question belongs to: the one on whose stream it came, else the only one that answers for itself.
    fn asking_call(&self, origin: Option<u64>) -> Option<(Arc<Life>, Own)> {
        let calls = self.calls();
        let mut own = calls.values().filter(|waiter| waiter.answering.is_some());
        let waiter = if let Some(origin) = origin {
            calls.get(&origin)?
        } else {
            own.next().filter(|_| own.next().is_none())?
        };
        Some((Arc::clone(&waiter.life), waiter.answering.clone()))
    }

    fn asked_now(&self) -> std::sync::MutexGuard<'_, std::collections::HashMap<Bytes, CancellationToken>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stop_answering(&self, id: &[u8]) {
        if let Some(withdrawn) = self.asked_now().get(id) {
            withdrawn.cancel();
        }
    }

    fn reply(&self, id: &Bytes, reply: Reply) {
        let Some(wire) = self.wire.get().and_then(std::sync::Weak::upgrade) else { return };
        let Ok(slot) = Arc::clone(&self.replies).try_acquire_owned() else {
            return more(&self.tally.unexpected_requests);
        };
        let body = match reply {
            Ok(result) => frame::answer(id, &result),
            Err(fault) => frame::failure(Some(id), &fault.write(Era::Legacy)),
        };
        let out = Outgoing { id: None, body, headers: HeaderMap::new(), opens: false };
        tokio::spawn(async move {
            let sent = tokio::time::timeout(REPLY_DEADLINE, wire.post(out)).await;
            if !matches!(sent, Ok(Ok(()))) {
                tracing::debug!("an answer to the server was not sent");
            }
            drop(slot);
        });
    }
}

/// The answer, unless it is not wanted any more.
async fn answer(
    answering: &dyn Answering,
    question: Question,
    withdrawn: &CancellationToken,
) -> Option<Reply> {
    let answer = tokio::time::timeout(QUESTION_DEADLINE, answering.answer(question));
    tokio::select! {
        () = withdrawn.cancelled() => None,
        reply = answer => {
            Some(reply.unwrap_or_else(|_| Err(Fault::new(code::TIMEOUT, "nobody answered in time"))))
        }
    }
}

/// Counts a question as open while it lives; the call it belongs to does not time out meanwhile.
struct Open {
    hub: Arc<Hub>,
    life: Option<Arc<Life>>,
}

impl Open {
    fn new(hub: Arc<Hub>, life: Option<Arc<Life>>) -> Self {
        let open = Self { hub, life };
        open.counter().fetch_add(1, Ordering::Relaxed);
        open
    }

    fn counter(&self) -> &AtomicUsize {
        self.life.as_ref().map_or(&self.hub.open, |life| &life.open)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(life) = &self.life {
            life.progress.notify_one();
        } else {
            let mut answered_at = self.hub.answered_at.lock().unwrap_or_else(PoisonError::into_inner);
            *answered_at = Some(Instant::now());
        }
        self.counter().fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_may_take_ten_minutes_and_sending_it_half_a_minute() {
        assert_eq!((QUESTION_DEADLINE.as_secs(), REPLY_DEADLINE.as_secs()), (600, 30));
    }
}
