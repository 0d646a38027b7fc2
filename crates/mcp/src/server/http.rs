//! Streamable HTTP: both eras on one path.

mod accept;
mod legacy;
mod modern;
mod reply;
mod upload;

use std::sync::Arc;

use bytes::{Buf, Bytes};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method, Request, Response, StatusCode, Uri};

use super::service::Service;
use super::{Body, Core, Server};
use crate::frame::{Frame, Incoming, Kind, Reader, Side};
use crate::header;
use crate::meta;
use crate::version::{Era, Version};

pub(super) use accept::Accept;
pub(super) use reply::{events, failed, not_allowed, refused, status_only};
pub(super) use upload::read_body;

impl<S: Service> Server<S> {
    /// Answers one request of a caller.
    pub async fn http<B>(&self, caller: S::Caller, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body + Send,
        B::Data: Buf + Send,
    {
        let (head, body) = request.into_parts();
        if let Some(status) = self.core.refusal(&head.headers, &head.uri) {
            return status_only(status);
        }
        match head.method {
            Method::POST => {
                if let Some(refusal) = refuse_type(&head.headers) {
                    return refusal;
                }
                let settings = &self.core.settings;
                match read_body(body, settings.body, settings.body_within).await {
                    Ok(body) => self.core.post(caller, &head.headers, &body).await,
                    Err(status) => status_only(status),
                }
            }
            Method::GET if !is_modern_header(&head.headers) => self.core.get(&caller, &head.headers),
            Method::DELETE if !is_modern_header(&head.headers) => self.core.delete(&caller, &head.headers),
            _ => not_allowed("POST"),
        }
    }
}

/// Bodies are JSON; anything else is what a page could send without asking.
fn refuse_type(headers: &HeaderMap) -> Option<Response<Body>> {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    (!essence.eq_ignore_ascii_case("application/json"))
        .then(|| status_only(StatusCode::UNSUPPORTED_MEDIA_TYPE))
}

/// The revision a request's header names.
fn version_header(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::PROTOCOL_VERSION).and_then(|value| value.to_str().ok())
}

fn is_modern_header(headers: &HeaderMap) -> bool {
    let version = version_header(headers).and_then(|text| text.parse::<Version>().ok());
    version.is_some_and(|version| version.era() == Era::Modern) && !headers.contains_key(header::SESSION_ID)
}

/// Whether a message is a modern client's. Some legacy clients name the newest revision in their header; some modern ones
/// forget it on notifications.
fn is_modern(headers: &HeaderMap, message: &Frame) -> bool {
    let is_bare = message.kind() == Kind::Notification && !headers.contains_key(header::SESSION_ID);
    meta::is_modern(message)
        || (is_modern_header(headers) && message.method() != "initialize")
        || (is_bare && headers.contains_key(header::METHOD))
}

impl<S: Service> Core<S> {
    /// Why nobody is let in at all with such a request.
    pub(super) fn refusal(&self, headers: &HeaderMap, uri: &Uri) -> Option<StatusCode> {
        if !self.settings.guard.admits(headers, uri.authority().map(http::uri::Authority::as_str)) {
            return Some(StatusCode::FORBIDDEN);
        }
        self.stop.is_cancelled().then_some(StatusCode::SERVICE_UNAVAILABLE)
    }

    async fn post(self: &Arc<Self>, caller: S::Caller, headers: &HeaderMap, body: &Bytes) -> Response<Body> {
        let Some(accept) = Accept::read(headers) else { return status_only(StatusCode::NOT_ACCEPTABLE) };
        let read = Reader::new(Side::Client).read(body);
        match read {
            Ok(Incoming::One(message)) if is_modern(headers, &message) => {
                if message.kind() == Kind::Request {
                    return self.post_modern(caller, headers, message, accept).await;
                }
                if message.kind() != Kind::Notification {
                    return status_only(StatusCode::BAD_REQUEST);
                }
                if message.method() != "notifications/cancelled" {
                    self.service.hear(&caller, &message);
                }
                status_only(StatusCode::ACCEPTED)
            }
            Ok(incoming) => self.post_legacy(caller, headers, incoming, accept).await,
            Err(malformed) => {
                self.refuse();
                refused(StatusCode::BAD_REQUEST, None, &malformed.fault(), Era::Legacy)
            }
        }
    }
}
