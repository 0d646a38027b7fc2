//! Requests of modern clients: headers agree with the body, and whoever stops listening gives the call up.

use std::sync::Arc;

use http::{HeaderMap, Response};

use super::super::body::{Events, Leave};
use super::super::modern::Taken;
use super::super::outbox::Outbox;
use super::super::service::Service;
use super::super::sink::Sink;
use super::super::{Body, Core};
use super::reply::{self, First};
use super::{Accept, failed};
use crate::fault::code;
use crate::frame::Frame;
use crate::header;
use crate::meta::Sender;
use crate::version::Era;
use http::StatusCode;

impl<S: Service> Core<S> {
    pub(super) async fn post_modern(
        self: &Arc<Self>,
        caller: S::Caller,
        headers: &HeaderMap,
        request: Frame,
        accept: Accept,
    ) -> Response<Body> {
        let id = request.shared_id().unwrap_or_default();
        let mirrors = match (&*request.method(), request.name()) {
            ("tools/call", Some(tool)) => self.service.mirrors(&caller, &tool),
            _ => Vec::new(),
        };
        if let Err(disagreement) = header::agree(headers, &request, &mirrors) {
            return failed(&id, &disagreement.fault());
        }
        if let Err(fault) = Sender::read(&request).map(drop) {
            debug_assert!([code::INVALID_PARAMS, code::UNSUPPORTED_VERSION].contains(&fault.code));
            return reply::refused(StatusCode::BAD_REQUEST, Some(&id), &fault, Era::Modern);
        }
        let outbox = Outbox::new(self.sessions.bounds());
        let taken = self.take(&caller, request, &Sink::single(Arc::clone(&outbox)));
        let leave = self.leave(taken, &outbox);
        let reader = outbox.attach();
        let keep_alive = self.settings.keep_alive;
        match reply::first(&reader, self.settings.settle, accept).await {
            First::Answer(message) => reply::json(reply::modern_status(&message), message),
            First::Message(event) => {
                reply::events(Events::new(reader, keep_alive, leave).begin_with_message(&event))
            }
            First::Nothing | First::End => reply::events(Events::new(reader, keep_alive, leave)),
        }
    }

    /// What happens when the client does not listen any more.
    fn leave(self: &Arc<Self>, taken: Taken, outbox: &Arc<Outbox>) -> Option<Leave> {
        match taken {
            Taken::Answered => None,
            Taken::Running(cancel) => {
                let outbox = Arc::clone(outbox);
                Some(Leave::by(move || {
                    if !outbox.is_finished() {
                        cancel.cancel();
                    }
                }))
            }
            Taken::Listening(number) => {
                let core = Arc::clone(self);
                Some(Leave::by(move || core.listeners.remove(number)))
            }
        }
    }
}
