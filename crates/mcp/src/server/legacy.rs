//! What legacy clients say within a session: the handshake, requests, notifications and answers.

use std::sync::Arc;

use bytes::Bytes;

use super::announce::{MOST_RESOURCES, MOST_URI};
use super::exchange::{Exchange, Way};
use super::peer::{Level, Peer};
use super::service::Service;
use super::session::Session;
use super::sink::Sink;
use super::{Core, shape};
use crate::fault::{Fault, code};
use crate::frame::{self, Frame, Incoming, Kind};
use crate::json::{Object, Shape, View};
use crate::version::{Era, Version};

/// How much of what a client says about itself is kept.
pub(super) const MOST_ABOUT: usize = 2048;

/// How many requests one session may have running.
pub(super) const MOST_RUNNING: usize = 1_000;

impl<S: Service> Core<S> {
    /// Answers `initialize` and remembers what the client said.
    pub(super) fn shake_hands(
        &self,
        session: &Session<S::Caller>,
        caller: &S::Caller,
        request: &Frame,
    ) -> Result<Bytes, Fault> {
        let asked = request.param("protocolVersion").and_then(View::text);
        let asked = asked.ok_or_else(|| Fault::invalid_params("`protocolVersion` must be a string"))?;
        let capabilities = request.param("capabilities").filter(|value| value.shape() == Shape::Object);
        let capabilities =
            capabilities.ok_or_else(|| Fault::invalid_params("`capabilities` must be an object"))?;
        if capabilities.bytes().len() > MOST_ABOUT {
            return Err(Fault::invalid_params("`capabilities` is too large"));
        }
        let info = request.param("clientInfo").filter(|info| info.bytes().len() <= MOST_ABOUT);
        let peer = Peer {
            version: Version::for_handshake(&asked),
            capabilities: Bytes::copy_from_slice(capabilities.bytes()),
            info: info.map(|info| Bytes::copy_from_slice(info.bytes())),
        };
        let about = self.about(caller, &peer)?;
        let result = Object::new()
            .with("protocolVersion", peer.version.as_str())
            .raw("capabilities", &about.capabilities)
            .raw("serverInfo", &about.info)
            .maybe("instructions", about.instructions.as_deref());
        session
            .peer
            .set(Arc::new(peer))
            .map_err(|_| Fault::new(code::INVALID_REQUEST, "the session was initialized before"))?;
        Ok(shape::result(Era::Legacy, "initialize", result.finish(), &about))
    }

    /// Takes a message of a session; whatever it brings about goes to the sink.
    pub(super) fn accept(
        self: &Arc<Self>,
        session: &Arc<Session<S::Caller>>,
        caller: &S::Caller,
        message: Frame,
        sink: Sink,
    ) {
        match message.kind() {
            Kind::Request => self.accept_request(session, caller, message, sink),
            Kind::Notification => self.accept_notification(session, caller, &message),
            Kind::Answer | Kind::Failure => {
                if !session.asking.take(&message) {
                    tracing::debug!("an answer that nobody waits for was dropped");
                    self.refuse();
                }
            }
        }
    }

    /// Takes whatever one text held.
    pub(super) fn hand_over(
        self: &Arc<Self>,
        session: &Arc<Session<S::Caller>>,
        caller: &S::Caller,
        incoming: Incoming,
        sink: Sink,
    ) -> Result<(), Fault> {
        match incoming {
            Incoming::One(message) => {
                self.accept(session, caller, message, sink);
                Ok(())
            }
            Incoming::Batch(messages) => self.accept_batch(session, caller, messages, sink),
        }
    }

    /// Takes an array of messages, whose answers come in one array; a fault when the session's revision knows none.
    fn accept_batch(
        self: &Arc<Self>,
        session: &Arc<Session<S::Caller>>,
        caller: &S::Caller,
        messages: Vec<Frame>,
        sink: Sink,
    ) -> Result<(), Fault> {
        if !session.peer.get().is_some_and(|peer| peer.version.has_batches()) {
            return Err(Fault::new(code::INVALID_REQUEST, "this revision of the protocol knows no batches"));
        }
        let requests = messages.iter().filter(|message| message.kind() == Kind::Request).count();
        let sink = if requests > 0 { sink.gathering(requests) } else { sink };
        for message in messages {
            self.accept(session, caller, message, sink.clone());
        }
        Ok(())
    }

    fn accept_request(
        self: &Arc<Self>,
        session: &Arc<Session<S::Caller>>,
        caller: &S::Caller,
        request: Frame,
        sink: Sink,
    ) {
        let id = request.shared_id().unwrap_or_default();
        if let Some(answer) = self.own_answer(session, caller, &request) {
            let message = match answer {
                Ok(result) => frame::answer(&id, &result),
                Err(fault) => frame::failure(Some(&id), &fault.write(Era::Legacy)),
            };
            sink.answer(Some(message));
            return;
        }
        let refuse = |fault: &Fault| sink.answer(Some(frame::failure(Some(&id), &fault.write(Era::Legacy))));
        let Some(peer) = session.peer.get().cloned() else {
            return refuse(&Fault::new(code::INVALID_REQUEST, "the session begins with `initialize`"));
        };
        if session.running() >= MOST_RUNNING {
            return refuse(&Fault::new(code::BUSY, "too many calls are going on in this session"));
        }
        let Some(cancel) = session.begin(&id) else {
            return refuse(&Fault::new(code::INVALID_REQUEST, "a request with this id is running"));
        };
        let exchange = Exchange {
            caller: caller.clone(),
            peer,
            request,
            session: Some(Arc::clone(&session.id)),
            log_level: session.log_level(),
            cancel,
            way: Way::Legacy { sink, asking: Arc::clone(&session.asking), within: self.settings.question },
        };
        let session = Arc::clone(session);
        let (keep, bytes) = (self.settings.resumable, self.settings.queue_bytes);
        self.run(exchange, move || {
            session.done(&id);
            session.trim(keep, bytes);
        });
    }

    /// The answer to requests that are the server's own business.
    fn own_answer(
        &self,
        session: &Session<S::Caller>,
        caller: &S::Caller,
        request: &Frame,
    ) -> Option<Result<Bytes, Fault>> {
        let nothing = || Bytes::from_static(b"{}");
        match &*request.method() {
            "initialize" => Some(self.shake_hands(session, caller, request)),
            "ping" => Some(Ok(nothing())),
            "logging/setLevel" => {
                let level = request.param("level").and_then(View::text).and_then(|name| Level::named(&name));
                let level = level.ok_or_else(|| Fault::invalid_params("`level` must name a level"));
                Some(level.map(|level| {
                    session.set_log_level(level);
                    nothing()
                }))
            }
            method @ ("resources/subscribe" | "resources/unsubscribe") => {
                let wanted = method == "resources/subscribe";
                let uri = request.uri().filter(|uri| uri.len() <= MOST_URI);
                let uri =
                    uri.ok_or_else(|| Fault::invalid_params("`uri` must be a string, and not too long"));
                Some(uri.and_then(|uri| {
                    if session.subscribe(&uri, wanted, MOST_RESOURCES) {
                        Ok(nothing())
                    } else {
                        Err(Fault::invalid_params("too many resources are subscribed to"))
                    }
                }))
            }
            _ => None,
        }
    }

    fn accept_notification(&self, session: &Session<S::Caller>, caller: &S::Caller, notification: &Frame) {
        match &*notification.method() {
            "notifications/initialized" => {}
            "notifications/cancelled" => {
                if let Some(id) = notification.param("requestId") {
                    session.cancel(id.bytes());
                }
            }
            _ => self.service.hear(caller, notification),
        }
    }
}
