//! HTTP+SSE, the transport of 2024-11-05: one event stream per session, and messages posted beside it.

use std::sync::Arc;

use bytes::{Buf, Bytes};
use http::{Method, Request, Response, StatusCode};

use super::body::{Events, Leave};
use super::http::{Accept, read_body, refused, status_only};
use super::service::Service;
use super::session::Carrier;
use super::sink::Sink;
use super::{Body, Server};
use crate::frame::{Reader, Side};
use crate::version::Era;

impl<S: Service> Server<S> {
    /// Opens the event stream of a new session; it ends with the connection.
    pub fn sse<B>(&self, caller: S::Caller, request: &Request<B>) -> Response<Body> {
        let core = &self.core;
        if let Some(status) = core.refusal(request.headers(), request.uri()) {
            return status_only(status);
        }
        if request.method() != Method::GET {
            return super::http::not_allowed("GET");
        }
        if !Accept::read(request.headers()).is_some_and(|accept| accept.events) {
            return status_only(StatusCode::NOT_ACCEPTABLE);
        }
        let Ok(session) = core.sessions.open(caller, Carrier::Connection) else {
            return status_only(StatusCode::SERVICE_UNAVAILABLE);
        };
        let ending = Arc::clone(core);
        let id = Arc::clone(&session.id);
        let leave = Leave::by(move || ending.sessions.end(&id));
        let endpoint =
            format!("event: endpoint\ndata: {}?sessionId={}\n\n", core.settings.messages_path, session.id);
        let events = Events::new(session.general.attach(), core.settings.keep_alive, Some(leave));
        super::http::events(events.begin_with(Bytes::from(endpoint)))
    }

    /// Takes a message for a session; whatever it brings about comes on the session's stream.
    pub async fn messages<B>(&self, caller: S::Caller, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body + Send,
        B::Data: Buf + Send,
    {
        let core = &self.core;
        let (head, body) = request.into_parts();
        if let Some(status) = core.refusal(&head.headers, &head.uri) {
            return status_only(status);
        }
        if head.method != Method::POST {
            return super::http::not_allowed("POST");
        }
        let pairs = url::form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes());
        let named: Vec<_> = pairs.filter(|(key, _)| key == "sessionId" || key == "session_id").collect();
        let session = match named.as_slice() {
            [(_, id)] => core.sessions.find(id, &caller, Carrier::Connection),
            _ => None,
        };
        let Some(session) = session else { return status_only(StatusCode::NOT_FOUND) };
        let body = match read_body(body, core.settings.body, core.settings.body_within).await {
            Ok(body) => body,
            Err(status) => return status_only(status),
        };
        match Reader::new(Side::Client).read(&body) {
            Ok(incoming) => {
                let sink = Sink::lasting(Arc::clone(&session.general));
                if let Err(fault) = core.hand_over(&session, &caller, incoming, sink) {
                    return refused(StatusCode::BAD_REQUEST, None, &fault, Era::Legacy);
                }
                let mut response = Response::new(Body::full(&b"Accepted"[..]));
                *response.status_mut() = StatusCode::ACCEPTED;
                response
            }
            Err(malformed) => {
                core.refuse();
                refused(StatusCode::BAD_REQUEST, None, &malformed.fault(), Era::Legacy)
            }
        }
    }
}
