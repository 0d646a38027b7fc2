//! Calls: one exchange, however many rounds of questions a modern peer needs for it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::fault::{Fault, code};
use crate::frame::Frame;
use crate::json::{Object, Shape, View};
use crate::meta;
use crate::question::{Answering, Question};

use super::Session;
use super::channel::{Ask, Miss};
use super::error::CallError;
use super::headers;
use super::hub::MAX_QUESTIONS;
use super::list::List;
use super::params::{for_legacy, set, speaking_for};
use super::wire::Lost;

/// How many rounds of questions one call may have.
pub const MAX_ROUNDS: usize = 16;

const TASKS: &str = "io.modelcontextprotocol/tasks";

/// A call to make.
#[derive(Clone, Default)]
pub struct Call {
    /// The method.
    pub method: String,
    /// The parameters, a JSON object without repeated keys.
    pub params: Option<Bytes>,
    /// Until it is answered or makes progress; the session's bound when absent.
    pub timeout: Option<Duration>,
    /// Where notifications about it go, whole; those nobody reads in time are dropped.
    pub notices: Option<mpsc::Sender<Bytes>>,
    /// Who answers questions about it; the session's answerer when absent.
    pub answering: Option<Arc<dyn Answering>>,
    /// Gives it up.
    pub cancel: CancellationToken,
}

impl Session {
    /// Makes a call; gives the result object as it came. Dropping it gives the call up.
    pub async fn call(&self, call: Call) -> Result<Bytes, CallError> {
        let last = Instant::now() + self.0.settings.cap;
        let mut params = call.params.clone();
        for _ in 0..=MAX_ROUNDS {
            let frame = self.exchange(&call, params.as_ref(), last).await?;
            let result = frame.shared_result().ok_or(CallError::Malformed("no result"))?;
            if !self.0.channel.hub.is_modern() {
                return Ok(result);
            }
            let Some(sort) = frame.result_type() else { return Ok(result) };
            if sort.is("complete") || (sort.is("task") && self.has_tasks()) {
                return Ok(result);
            }
            if !sort.is("input_required") {
                return Err(CallError::Malformed("an unknown resultType"));
            }
            let answers = self.answers(&call, &frame);
            let answers = tokio::select! {
                answers = timeout(last.saturating_duration_since(Instant::now()), answers) => answers,
                () = call.cancel.cancelled() => return Err(CallError::Cancelled),
            };
            params = Some(answers.unwrap_or(Err(CallError::Timeout))?);
        }
        Err(CallError::Rounds(MAX_ROUNDS))
    }

    fn has_tasks(&self) -> bool {
        View::new(&self.0.settings.capabilities).at(&["extensions", TASKS]).is_some()
    }

    /// The parameters of the next round: those of the call, the answers, and the state as it came.
    async fn answers(&self, call: &Call, frame: &Frame) -> Result<Bytes, CallError> {
        let result = frame.result().ok_or(CallError::Malformed("no result"))?;
        let questions = result.get("inputRequests").map(questions).transpose()?.unwrap_or_default();
        let state = result.get("requestState");
        if questions.is_empty() && state.is_none() {
            return Err(CallError::Malformed("input_required without a question"));
        }
        let session = &self.0.answering;
        let answering = call.answering.as_ref().unwrap_or(session);
        let able = View::new(&self.0.settings.capabilities);
        if let Some(refused) = questions.iter().find(|question| !question.is_allowed(able)) {
            return Err(CallError::Unanswered(Fault::unknown_method(&refused.method)));
        }
        let keys: Vec<String> = questions.iter().map(|question| question.key.clone()).collect();
        let replies = answering.answer_all(questions).await.into_iter().collect::<Result<Vec<_>, _>>();
        let replies = replies.map_err(CallError::Unanswered)?;
        let answers: Vec<(String, Bytes)> = keys.into_iter().zip(replies).collect();
        let given = answers.iter().fold(Object::new(), |given, (key, reply)| given.raw(key, reply)).finish();
        let params = call.params.as_deref().unwrap_or(b"{}");
        Ok(match state {
            Some(state) => set(params, &[("inputResponses", &given), ("requestState", state.bytes())]),
            None => set(params, &[("inputResponses", &given)]),
        })
    }

    /// One request of a call; a legacy session that the peer forgot is begun anew first, once.
    async fn exchange(&self, call: &Call, params: Option<&Bytes>, last: Instant) -> Result<Frame, CallError> {
        let generation = self.0.generation();
        match self.0.channel.ask(self.asking(call, params, last)).await {
            Err(Miss::Lost(Lost::Expired)) => {
                self.within(call, self.renew(generation)).await??;
                Ok(self.0.channel.ask(self.asking(call, params, last)).await?)
            }
            // The server wants arguments in headers, and its tools were not listed in this session yet.
            Err(Miss::Fault(fault, _))
                if fault.code == code::HEADER_MISMATCH
                    && self.within(call, self.learn(call, params)).await? =>
            {
                Ok(self.0.channel.ask(self.asking(call, params, last)).await?)
            }
            done => Ok(done?),
        }
    }

    /// Does something for a call, within its deadline and until it is given up.
    async fn within<T>(&self, call: &Call, work: impl Future<Output = T>) -> Result<T, CallError> {
        let deadline = call.timeout.unwrap_or(self.0.settings.call);
        tokio::select! {
            () = call.cancel.cancelled() => Err(CallError::Cancelled),
            done = tokio::time::timeout(deadline, work) => done.map_err(|_| CallError::Timeout),
        }
    }

    /// Lists the tools to learn what a call's headers must repeat; whether that is more than was known.
    async fn learn(&self, call: &Call, params: Option<&Bytes>) -> bool {
        let known = || self.0.wishes(&call.method, params.map(|params| &params[..]));
        let is_unknown = call.method == "tools/call" && known().is_empty();
        is_unknown && Box::pin(self.list(List::Tools)).await.is_ok() && !known().is_empty()
    }

    fn asking(&self, call: &Call, params: Option<&Bytes>, last: Instant) -> Ask {
        let settings = &self.0.settings;
        let modern = self.0.channel.hub.is_modern();
        let meta = params.and_then(|params| View::new(params).get("_meta"));
        let token = meta.and_then(|meta| meta.get(meta::PROGRESS_TOKEN));
        let token = token.filter(|token| matches!(token.shape(), Shape::String | Shape::Number));
        let token = token.map(|token| Bytes::copy_from_slice(token.bytes()));
        let params = if modern {
            Some(speaking_for(settings, params.map(|params| &params[..])))
        } else {
            params.map(for_legacy)
        };
        let mut ask = Ask::new(&call.method, params, call.timeout.unwrap_or(settings.call));
        if modern && self.0.channel.wire.is_streamable() {
            let wishes = self.0.wishes(&call.method, ask.params.as_deref());
            ask.headers = headers::modern(&call.method, ask.params.as_deref(), &wishes);
        }
        ask.cap = last.saturating_duration_since(Instant::now());
        ask.tracked = true;
        ask.token = token;
        ask.notices.clone_from(&call.notices);
        ask.answering.clone_from(&call.answering);
        ask.cancel = call.cancel.clone();
        ask
    }

    /// A request of our own.
    pub(super) async fn simple(&self, method: &str, params: Option<Bytes>) -> Result<Frame, CallError> {
        let call = Call { method: method.to_owned(), params, ..Call::default() };
        self.exchange(&call, call.params.as_ref(), Instant::now() + self.0.settings.cap).await
    }
}

fn questions(asked: View<'_>) -> Result<Vec<Question>, CallError> {
    let mut questions = Vec::new();
    for (key, value) in asked.members() {
        let method = value.get("method").and_then(View::text);
        let (Ok(key), Some(method)) = (String::from_utf8(key.into_owned()), method) else {
            return Err(CallError::Malformed("a question without a method"));
        };
        if questions.len() == MAX_QUESTIONS {
            return Err(CallError::Malformed("too many questions at once"));
        }
        let params = value.get("params").map(|params| Bytes::copy_from_slice(params.bytes()));
        questions.push(Question { key, method: method.into_owned(), params });
    }
    Ok(questions)
}
