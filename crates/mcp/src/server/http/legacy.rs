//! Requests of legacy clients: sessions, streams that can be resumed, and calls that survive a lost connection.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Response, StatusCode};

use super::super::body::{Events, primer};
use super::super::service::Service;
use super::super::session::{Carrier, Session};
use super::super::sink::Sink;
use super::super::{Body, Core};
use super::reply::{self, First};
use super::{Accept, refused, status_only, version_header};
use crate::fault::{Fault, code};
use crate::frame::{Frame, Incoming, Kind};
use crate::header;
use crate::meta::unsupported_version;
use crate::version::{Era, Version};

impl<S: Service> Core<S> {
    pub(super) async fn post_legacy(
        self: &Arc<Self>,
        caller: S::Caller,
        headers: &HeaderMap,
        incoming: Incoming,
        accept: Accept,
    ) -> Response<Body> {
        if let Incoming::One(message) = &incoming
            && message.kind() == Kind::Request
            && message.method() == "initialize"
            && !headers.contains_key(header::SESSION_ID)
        {
            return self.open_session(&caller, message);
        }
        let session = match self.session_of(&caller, headers) {
            Ok(session) => session,
            Err(missing) => return missing.response(),
        };
        self.converse(&session, &caller, incoming, accept).await
    }

    /// Takes messages and answers their requests on one stream.
    async fn converse(
        self: &Arc<Self>,
        session: &Arc<Session<S::Caller>>,
        caller: &S::Caller,
        incoming: Incoming,
        accept: Accept,
    ) -> Response<Body> {
        let asks = match &incoming {
            Incoming::One(message) => message.kind() == Kind::Request,
            Incoming::Batch(messages) => messages.iter().any(|message| message.kind() == Kind::Request),
        };
        if !asks {
            return match self.hand_over(
                session,
                caller,
                incoming,
                Sink::lasting(Arc::clone(&session.general)),
            ) {
                Ok(()) => status_only(StatusCode::ACCEPTED),
                Err(fault) => refused(StatusCode::BAD_REQUEST, None, &fault, Era::Legacy),
            };
        }
        let (stream, outbox) = session.open_stream(self.sessions.bounds());
        let reader = outbox.attach();
        if let Err(fault) = self.hand_over(session, caller, incoming, Sink::single(outbox)) {
            session.forget_stream(stream);
            return refused(StatusCode::BAD_REQUEST, None, &fault, Era::Legacy);
        }
        let first = reply::first(&reader, self.settings.settle, accept).await;
        if let First::Answer(message) = first {
            session.forget_stream(stream);
            return reply::json(StatusCode::OK, message);
        }
        if matches!(first, First::End) && !reader.is_replaced() {
            session.forget_stream(stream);
        }
        let mut events = Events::new(reader, self.settings.keep_alive, None).numbered(stream);
        if let First::Message(event) = &first {
            events = events.begin_with_message(event);
        }
        let version = session.peer.get().map_or(Version::NEWEST_LEGACY, |peer| peer.version);
        if version >= Version::V2025_11_25 {
            events = events.begin_with(primer(stream, self.settings.retry));
        }
        reply::events(events)
    }

    fn open_session(self: &Arc<Self>, caller: &S::Caller, request: &Frame) -> Response<Body> {
        let id = request.id().unwrap_or_default();
        let Ok(session) = self.sessions.open(caller.clone(), Carrier::Streamable) else {
            let busy = Fault::new(code::BUSY, "too many sessions");
            return refused(StatusCode::SERVICE_UNAVAILABLE, Some(id), &busy, Era::Legacy);
        };
        match self.shake_hands(&session, caller, request) {
            Ok(result) => {
                let mut response = reply::json(StatusCode::OK, crate::frame::answer(id, &result));
                let value = HeaderValue::from_str(&session.id).expect("ids are hexadecimal");
                response.headers_mut().insert(header::SESSION_ID, value);
                response
            }
            Err(fault) => {
                self.sessions.end(&session.id);
                refused(StatusCode::OK, Some(id), &fault, Era::Legacy)
            }
        }
    }

    /// The session a request names, or why there is none.
    fn session_of(
        &self,
        caller: &S::Caller,
        headers: &HeaderMap,
    ) -> Result<Arc<Session<S::Caller>>, NoSession> {
        if let Some(version) = version_header(headers)
            && version.parse::<Version>().is_err()
        {
            return Err(NoSession(StatusCode::BAD_REQUEST, unsupported_version(version)));
        }
        let fault = |text: &str| Fault::new(code::INVALID_REQUEST, text);
        if headers.get_all(header::SESSION_ID).iter().count() > 1 {
            return Err(NoSession(StatusCode::BAD_REQUEST, fault("the header `mcp-session-id` is repeated")));
        }
        let id = headers.get(header::SESSION_ID);
        let id = id.ok_or_else(|| {
            NoSession(StatusCode::BAD_REQUEST, fault("the header `mcp-session-id` is missing"))
        })?;
        let session = id.to_str().ok().and_then(|id| self.sessions.find(id, caller, Carrier::Streamable));
        let unknown =
            || NoSession(StatusCode::NOT_FOUND, fault("the session is unknown or over; initialize again"));
        session.ok_or_else(unknown)
    }

    /// Opens the stream of messages that belong to no request, or goes on with a broken one.
    pub(super) fn get(self: &Arc<Self>, caller: &S::Caller, headers: &HeaderMap) -> Response<Body> {
        if !Accept::read(headers).is_some_and(|accept| accept.events) {
            return status_only(StatusCode::NOT_ACCEPTABLE);
        }
        let session = match self.session_of(caller, headers) {
            Ok(session) => session,
            Err(missing) => return missing.response(),
        };
        let reader = match headers.get(header::LAST_EVENT_ID) {
            None => Some((0, session.general.attach())),
            Some(last) => {
                let place = last.to_str().ok().and_then(place);
                place.and_then(|(stream, next)| Some((stream, session.resume(stream, next)?)))
            }
        };
        let Some((stream, reader)) = reader else {
            let fault = Fault::new(code::INVALID_REQUEST, "the stream cannot be resumed");
            return refused(StatusCode::NOT_FOUND, None, &fault, Era::Legacy);
        };
        let events = Events::new(reader, self.settings.keep_alive, None).numbered(stream);
        reply::events(events.begin_with(bytes::Bytes::from_static(b": open\n\n")))
    }

    /// Ends a session at its client's wish.
    pub(super) fn delete(self: &Arc<Self>, caller: &S::Caller, headers: &HeaderMap) -> Response<Body> {
        match self.session_of(caller, headers) {
            Ok(session) => {
                self.sessions.end(&session.id);
                status_only(StatusCode::NO_CONTENT)
            }
            Err(missing) => missing.response(),
        }
    }
}

/// A request without a session it could belong to.
#[derive(Debug)]
struct NoSession(StatusCode, Fault);

impl NoSession {
    fn response(&self) -> Response<Body> {
        refused(self.0, None, &self.1, Era::Legacy)
    }
}

/// The stream and the number of the event that follows the one with this id.
fn place(id: &str) -> Option<(u32, u64)> {
    let (stream, next) = id.split_once('-')?;
    Some((stream.parse().ok()?, next.parse().ok()?))
}
