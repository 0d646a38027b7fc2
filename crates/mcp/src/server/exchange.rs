//! One call, as the service sees it: a request, messages and questions on the way, and the answer.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::parked::{Leg, Parked};
use super::peer::{Level, Peer};
use super::seal::Binding;
use super::service::Caller;
use super::session::Asking;
use super::sink::Sink;
use crate::fault::{Fault, code};
use crate::frame::{self, Frame};
use crate::json::{Object, View};
use crate::meta;
use crate::question::{Question, Reply};

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The client did not say that it can answer this.
    #[error("the client cannot answer `{}`", .0.method)]
    Undeclared(Question),
    /// The client gave up, or went away.
    #[error("the client is gone")]
    Gone,
    /// The client took too long.
    #[error("the client did not answer in time")]
    TooLate,
    /// Too many calls wait for answers already.
    #[error("too many calls are waiting for answers")]
    Busy,
}

impl From<AskError> for Fault {
    fn from(error: AskError) -> Self {
        let code = match &error {
            AskError::Undeclared(question) => {
                return question
                    .capability()
                    .map_or_else(|| Self::unknown_method(&question.method), Peer::missing);
            }
            AskError::Gone => code::CANCELLED,
            AskError::TooLate => code::TIMEOUT,
            AskError::Busy => code::BUSY,
        };
        Self::new(code, error.to_string())
    }
}

/// The client is not listening any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the client is gone")]
pub struct Gone;

/// One call in progress.
#[derive(Debug)]
pub struct Exchange<C> {
    pub(super) caller: C,
    pub(super) peer: Arc<Peer>,
    pub(super) request: Frame,
    pub(super) session: Option<Arc<str>>,
    pub(super) log_level: Option<Level>,
    pub(super) cancel: CancellationToken,
    pub(super) way: Way,
}

/// The way back to the client, which differs between the eras.
#[derive(Clone, Debug)]
pub(super) enum Way {
    Legacy { sink: Sink, asking: Arc<Asking>, within: Duration },
    Modern { leg: Arc<Mutex<Leg>>, parked: Arc<Parked>, digest: [u8; 32], turn: Arc<Semaphore> },
}

impl Way {
    pub(super) fn sink(&self) -> Sink {
        match self {
            Self::Legacy { sink, .. } => sink.clone(),
            Self::Modern { leg, .. } => leg.lock().unwrap_or_else(PoisonError::into_inner).sink.clone(),
        }
    }
}

impl<C: Caller> Exchange<C> {
    /// Who calls.
    pub fn caller(&self) -> &C {
        &self.caller
    }

    /// What the client said about itself.
    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// The request.
    pub fn request(&self) -> &Frame {
        &self.request
    }

    /// The legacy session the call belongs to.
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// From which level on the client wants log messages, if it said so.
    pub fn log_level(&self) -> Option<Level> {
        self.log_level
    }

    /// Ends when the call is given up. A call that is given up is dropped at its next wait anyway.
    pub fn cancellation(&self) -> CancellationToken {
        self.cancel.clone()
    }

    /// Sends a notification that belongs to this call; the parameters are a JSON object.
    pub fn notify(&self, method: &str, params: &[u8]) -> Result<(), Gone> {
        self.forward(frame::notification(method, Some(params)))
    }

    /// Sends a whole notification as it is. What a modern client did not ask for is left out, and so is what would come
    /// between two rounds of a call, when nobody listens.
    pub fn forward(&self, notification: Bytes) -> Result<(), Gone> {
        if let Way::Modern { leg, .. } = &self.way {
            let between_rounds = leg.lock().unwrap_or_else(PoisonError::into_inner).answered;
            if between_rounds || !self.wants(View::new(&notification)) {
                return Ok(());
            }
        }
        if self.way.sink().send(notification) { Ok(()) } else { Err(Gone) }
    }

    /// Whether the client asked for messages like this one.
    fn wants(&self, notification: View<'_>) -> bool {
        if !notification.get("method").is_some_and(|method| method.is("notifications/message")) {
            return true;
        }
        let level =
            notification.at(&["params", "level"]).and_then(View::text).and_then(|name| Level::named(&name));
        self.log_level.zip(level).is_some_and(|(wanted, level)| level >= wanted)
    }

    /// Tells how far the call has come, if the client wanted to know.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) -> Result<(), Gone> {
        let Some(token) = meta::progress_token(&self.request) else { return Ok(()) };
        let params = Object::new().raw("progressToken", &token).with("progress", &progress);
        self.notify(
            "notifications/progress",
            &params.maybe("total", total.as_ref()).maybe("message", message).finish(),
        )
    }

    /// Sends a log message, if the client wants messages this grave; the data is JSON.
    pub fn log(&self, level: Level, data: &[u8]) -> Result<(), Gone> {
        if self.log_level.is_none_or(|wanted| level < wanted) {
            return Ok(());
        }
        self.notify(
            "notifications/message",
            &Object::new().with("level", level.name()).raw("data", data).finish(),
        )
    }

    /// Closes the client's event stream in the middle of a legacy call; the client comes back for the rest.
    pub fn hang_up(&self) {
        if let Way::Legacy { sink, .. } = &self.way
            && !sink.lasting
        {
            sink.outbox.hang_up();
        }
    }

    /// Asks the client, and waits for all answers; they come in the order of the questions.
    pub async fn ask(&self, questions: Vec<Question>) -> Result<Vec<Reply>, AskError> {
        if let Some(question) = questions.iter().find(|question| !self.peer.can_answer(question)) {
            return Err(AskError::Undeclared(question.clone()));
        }
        match &self.way {
            Way::Legacy { sink, asking, within } => {
                let all = futures_util::future::join_all(
                    questions.iter().map(|question| asking.ask(sink, question)),
                );
                tokio::select! {
                    () = self.cancel.cancelled() => Err(AskError::Gone),
                    replies = tokio::time::timeout(*within, all) => {
                        replies.map_err(|_| AskError::TooLate)?.into_iter().collect()
                    }
                }
            }
            Way::Modern { leg, parked, digest, turn } => {
                // One round at a time: a request has one answer.
                let _turn = turn.acquire().await.map_err(|_| AskError::Gone)?;
                self.park(questions, leg, parked, digest).await
            }
        }
    }

    async fn park(
        &self,
        questions: Vec<Question>,
        leg: &Mutex<Leg>,
        parked: &Parked,
        digest: &[u8; 32],
    ) -> Result<Vec<Reply>, AskError> {
        let binding = Binding { caller: self.caller.key(), digest };
        let (result, resumed) =
            parked.park(questions, self.cancel.clone(), binding).map_err(|_| AskError::Busy)?;
        {
            let mut leg = leg.lock().unwrap_or_else(PoisonError::into_inner);
            leg.answered = true;
            leg.sink.answer(Some(frame::answer(&leg.id, &result)));
        }
        let resumed = tokio::time::timeout(parked.keep(), resumed).await.map_err(|_| AskError::TooLate)?;
        let resumption = resumed.map_err(|_| AskError::TooLate)?;
        *leg.lock().unwrap_or_else(PoisonError::into_inner) = resumption.leg;
        Ok(resumption.replies.into_iter().map(Ok).collect())
    }

    /// Asks one thing.
    pub async fn ask_one(&self, question: Question) -> Result<Reply, AskError> {
        self.ask(vec![question]).await?.pop().ok_or(AskError::Gone)
    }

    /// A fault unless the client declared the capability at the end of this path.
    pub fn require(&self, path: &[&str]) -> Result<(), Fault> {
        if self.peer.can(path) { Ok(()) } else { Err(Peer::missing(path)) }
    }

    /// One of the call's arguments.
    pub fn argument(&self, name: &str) -> Option<View<'_>> {
        self.request.arguments()?.get(name)
    }
}
