//! One request and its answer: with a deadline that progress moves, and given up as the era wants it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::fault::Fault;
use crate::frame::{self, Frame};
use crate::json::Object;
use crate::meta;
use crate::question::Answering;

use super::error::CallError;
use super::headers;
use super::hub::{Hub, Life, Outcome, Waiter};
use super::params::set_meta;
use super::wire::{Lost, Outgoing, Wire};

/// How long telling the peer that a call is given up may take.
const CANCEL_DEADLINE: Duration = Duration::from_secs(5);

/// A request to make.
pub(crate) struct Ask {
    pub(crate) method: String,
    pub(crate) params: Option<Bytes>,
    pub(crate) headers: HeaderMap,
    /// Without progress.
    pub(crate) timeout: Duration,
    /// With it.
    pub(crate) cap: Duration,
    /// Whether the peer may report progress.
    pub(crate) tracked: bool,
    /// The peer is not told when the request is given up.
    pub(crate) quiet: bool,
    pub(crate) token: Option<Bytes>,
    pub(crate) notices: Option<mpsc::Sender<Bytes>>,
    pub(crate) answering: Option<Arc<dyn Answering>>,
    pub(crate) cancel: CancellationToken,
}

impl Ask {
    pub(crate) fn new(method: &str, params: Option<Bytes>, timeout: Duration) -> Self {
        Self {
            method: method.to_owned(),
            params,
            headers: HeaderMap::new(),
            timeout,
            cap: timeout,
            tracked: false,
            quiet: false,
            token: None,
            notices: None,
            answering: None,
            cancel: CancellationToken::new(),
        }
    }
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Miss {
    Fault(Fault, Option<StatusCode>),
    Lost(Lost),
    Timeout,
    Cancelled,
}

impl From<Miss> for CallError {
    fn from(miss: Miss) -> Self {
        match miss {
            Miss::Fault(fault, _) => Self::Fault(fault),
            Miss::Lost(lost) => lost.into(),
            Miss::Timeout => Self::Timeout,
            Miss::Cancelled => Self::Cancelled,
        }
    }
}

/// Both directions of a session.
#[derive(Clone)]
pub(crate) struct Channel {
    pub(crate) hub: Arc<Hub>,
    pub(crate) wire: Arc<dyn Wire>,
}

impl Channel {
    pub(crate) fn new(hub: Arc<Hub>, wire: Arc<dyn Wire>) -> Self {
        hub.attach(&wire);
        Self { hub, wire }
    }

    /// Makes a request and waits for its answer. Dropping it gives the request up.
    pub(crate) async fn ask(&self, ask: Ask) -> Result<Frame, Miss> {
        let id = self.hub.next_id();
        let (answer, answered) = oneshot::channel();
        let life = Arc::new(Life::default());
        let waiter = Waiter {
            answer,
            life: Arc::clone(&life),
            notices: ask.notices,
            token: ask.token,
            answering: ask.answering,
        };
        self.hub.expect(id, waiter).map_err(Miss::Lost)?;
        let ongoing = Ongoing { channel: self, id, quiet: ask.quiet || ask.method == "initialize" };
        let number = id.to_string();
        let params = if ask.tracked {
            Some(set_meta(ask.params.as_deref(), &[(meta::PROGRESS_TOKEN, number.as_bytes())]))
        } else {
            ask.params
        };
        let out = Outgoing {
            id: Some(id),
            body: frame::request(number.as_bytes(), &ask.method, params.as_deref()),
            headers: ask.headers,
            opens: ask.method == "initialize",
        };
        let exchange = Arc::clone(&self.wire).exchange(out);
        let bounds = Bounds { timeout: ask.timeout, cap: ask.cap, cancel: ask.cancel };
        ongoing.wait(answered, exchange, &life, bounds).await
    }

    /// Sends a notification.
    pub(crate) async fn notify(&self, method: &str, params: Option<&[u8]>) -> Result<(), Lost> {
        let headers =
            if self.hub.is_modern() { headers::modern(method, params, &[]) } else { HeaderMap::new() };
        let body = frame::notification(method, params);
        Arc::clone(&self.wire).post(Outgoing { id: None, body, headers, opens: false }).await
    }
}

struct Bounds {
    timeout: Duration,
    cap: Duration,
    cancel: CancellationToken,
}

/// A request that was made and not answered yet.
struct Ongoing<'a> {
    channel: &'a Channel,
    id: u64,
    quiet: bool,
}

impl Ongoing<'_> {
    async fn wait(
        mut self,
        mut answered: oneshot::Receiver<Outcome>,
        mut exchange: crate::question::Boxed<'static, Result<(), Lost>>,
        life: &Life,
        bounds: Bounds,
    ) -> Result<Frame, Miss> {
        let hub = &self.channel.hub;
        let last = Instant::now() + bounds.cap;
        let next = || last.min(Instant::now() + bounds.timeout);
        let mut deadline = next();
        loop {
            tokio::select! {
                biased;
                outcome = &mut answered => return read(outcome.ok(), hub),
                end = &mut exchange => {
                    // What came in the same moment is an answer still.
                    if let Ok(outcome) = answered.try_recv() {
                        return read(Some(outcome), hub);
                    }
                    self.quiet = true;
                    return Err(Miss::Lost(end.err().unwrap_or(Lost::Closed)));
                }
                () = bounds.cancel.cancelled() => return Err(Miss::Cancelled),
                () = life.progress.notified() => deadline = next(),
                () = sleep_until(deadline) => {
                    // While the peer waits for us, time does not count against it.
                    let asked = life.open.load(Ordering::Relaxed) > 0;
                    let since = if asked { Some(Instant::now()) } else { hub.unasked_since() };
                    deadline = since.map_or(deadline, |since| last.min(since + bounds.timeout));
                    if Instant::now() >= deadline {
                        return Err(Miss::Timeout);
                    }
                }
            }
        }
    }
}

fn read(outcome: Option<Outcome>, hub: &Hub) -> Result<Frame, Miss> {
    match outcome {
        Some(Outcome::Result(frame)) => Ok(frame),
        Some(Outcome::Fault(fault, status)) => Err(Miss::Fault(fault, status)),
        None => Err(Miss::Lost(hub.why())),
    }
}

impl Drop for Ongoing<'_> {
    fn drop(&mut self) {
        let Channel { hub, wire } = self.channel;
        let abandoned = hub.forget(self.id);
        // Over modern HTTP the end of the exchange says it.
        if !abandoned || self.quiet || hub.ended.is_cancelled() || (hub.is_modern() && wire.is_streamable()) {
            return;
        }
        let Ok(runtime) = Handle::try_current() else { return };
        let params = Object::new().with("requestId", &self.id).with("reason", "given up").finish();
        let channel = self.channel.clone();
        runtime.spawn(async move {
            let told = channel.notify("notifications/cancelled", Some(&params));
            let _ = timeout(CANCEL_DEADLINE, told).await;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn telling_of_a_given_up_call_may_take_five_seconds() {
        assert_eq!(CANCEL_DEADLINE.as_secs(), 5);
    }
}
