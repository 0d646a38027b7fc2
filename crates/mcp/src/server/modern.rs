//! What modern clients say: each request for itself, with its own description of the sender.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::announce::Wanted;
use super::exchange::{Exchange, Way};
use super::parked::Leg;
use super::peer::{Level, Peer};
use super::seal::Binding;
use super::service::{Caller, Service};
use super::sink::Sink;
use super::{Core, shape};
use crate::fault::{Fault, code};
use crate::frame::{self, Frame};
use crate::json::{Object, Shape, View, digest};
use crate::meta::Sender;
use crate::version::{Era, Version};

/// Methods that belong to sessions, which modern clients do not have.
const GONE: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// What does not make a call another one: the rounds of a call differ in these.
const ROUNDS: [&str; 3] = ["_meta", "inputResponses", "requestState"];

/// How a modern request goes on after it was taken.
#[derive(Debug)]
pub(super) enum Taken {
    /// It was answered at once.
    Answered,
    /// It runs; this token gives it up.
    Running(CancellationToken),
    /// It listens; this number ends it.
    Listening(u64),
}

impl Taken {
    /// The token of a call that runs.
    pub(super) fn token(&self) -> Option<&CancellationToken> {
        match self {
            Self::Running(cancel) => Some(cancel),
            Self::Answered | Self::Listening(_) => None,
        }
    }
}

impl<S: Service> Core<S> {
    /// Takes a modern request; whatever it brings about goes to the sink.
    pub(super) fn take(self: &Arc<Self>, caller: &S::Caller, request: Frame, sink: &Sink) -> Taken {
        let id = request.shared_id().unwrap_or_default();
        match self.try_take(caller, request, sink) {
            Ok(taken) => taken,
            Err(fault) => {
                sink.answer(Some(frame::failure(Some(&id), &fault.write(Era::Modern))));
                Taken::Answered
            }
        }
    }

    fn try_take(self: &Arc<Self>, caller: &S::Caller, request: Frame, sink: &Sink) -> Result<Taken, Fault> {
        let sender = Sender::read(&request)?;
        let method = request.method();
        if GONE.contains(&&*method) {
            return Err(Fault::unknown_method(&method));
        }
        let log_level = sender.log_level.and_then(View::text).and_then(|name| Level::named(&name));
        let peer = Peer {
            version: sender.version,
            capabilities: Bytes::copy_from_slice(sender.capabilities.bytes()),
            info: sender.info.map(|info| Bytes::copy_from_slice(info.bytes())),
        };
        let id = request.shared_id().unwrap_or_default();
        match &*method {
            "server/discover" => {
                sink.answer(Some(frame::answer(&id, &self.discovery(caller, &peer)?)));
                Ok(Taken::Answered)
            }
            "subscriptions/listen" => self.listen(caller, &peer, &request, sink),
            _ => {
                drop(method);
                self.take_call(caller, peer, log_level, request, sink)
            }
        }
    }

    fn discovery(&self, caller: &S::Caller, peer: &Peer) -> Result<Bytes, Fault> {
        let about = self.about(caller, peer)?;
        let result = Object::new()
            .with("supportedVersions", &[Version::NEWEST.as_str()])
            .raw("capabilities", &about.capabilities)
            .maybe("instructions", about.instructions.as_deref());
        Ok(shape::result(Era::Modern, "server/discover", result.finish(), &about))
    }

    fn listen(&self, caller: &S::Caller, peer: &Peer, request: &Frame, sink: &Sink) -> Result<Taken, Fault> {
        let filter = request.param("notifications").filter(|filter| filter.shape() == Shape::Object);
        let filter = filter.ok_or_else(|| Fault::invalid_params("`notifications` must be an object"))?;
        let about = self.about(caller, peer)?;
        let wanted = Wanted::read(filter, View::new(&about.capabilities));
        let id = Bytes::copy_from_slice(request.id().unwrap_or_default());
        let number = self.listeners.add(caller.clone(), wanted, id, sink.clone());
        number.map(Taken::Listening).ok_or_else(|| Fault::new(code::BUSY, "too many clients are listening"))
    }

    fn take_call(
        self: &Arc<Self>,
        caller: &S::Caller,
        peer: Peer,
        log_level: Option<Level>,
        request: Frame,
        sink: &Sink,
    ) -> Result<Taken, Fault> {
        let id = request.shared_id().unwrap_or_default();
        let leg = Leg { id, sink: sink.clone(), answered: false };
        let digest = call_digest(&request);
        if let Some(state) = request.param("requestState") {
            return self.resume(caller, &request, state, &leg, &digest);
        }
        let cancel = self.stop.child_token();
        let way = Way::Modern {
            leg: Arc::new(Mutex::new(leg)),
            parked: Arc::clone(&self.parked),
            digest,
            turn: Arc::new(Semaphore::new(1)),
        };
        let exchange = Exchange {
            caller: caller.clone(),
            peer: Arc::new(peer),
            request,
            session: None,
            log_level,
            cancel: cancel.clone(),
            way,
        };
        let done = cancel.clone();
        // A call that is over needs no token any more; whoever keeps tokens sees by it that they can be forgotten.
        self.run(exchange, move || done.cancel());
        Ok(Taken::Running(cancel))
    }

    /// The next round of a call that waits for input. A state that is not known here is an error: running the call
    /// again could do a second time what it does.
    fn resume(
        &self,
        caller: &S::Caller,
        request: &Frame,
        state: View<'_>,
        leg: &Leg,
        digest: &[u8; 32],
    ) -> Result<Taken, Fault> {
        let unknown = || {
            Fault::invalid_params(
                "`requestState` is unknown, expired or belongs to another call; call again without it",
            )
        };
        let state = state.text().ok_or_else(unknown)?;
        let binding = Binding { caller: caller.key(), digest };
        let waiting = self.parked.take(&state, binding).ok_or_else(unknown)?;
        let cancel = waiting.cancel.clone();
        let responses = request.param("inputResponses");
        let again = self.parked.resume(waiting, responses, leg, binding);
        match again.map_err(|_| Fault::new(code::BUSY, "too many calls are waiting for answers"))? {
            None => Ok(Taken::Running(cancel)),
            Some(result) => {
                leg.sink.answer(Some(frame::answer(&leg.id, &result)));
                Ok(Taken::Answered)
            }
        }
    }
}

/// What makes two requests rounds of the same call.
fn call_digest(request: &Frame) -> [u8; 32] {
    let params = request.params().map_or([0; 32], |params| digest(params, &ROUNDS));
    let call = Object::new().with("method", &*request.method()).with("params", &params).finish();
    digest(View::new(&call), &[])
}
