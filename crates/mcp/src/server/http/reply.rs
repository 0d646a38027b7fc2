//! From what a call says to an HTTP answer: JSON when it is answered at once, an event stream otherwise.

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};

use super::super::Body;
use super::super::body::Events;
use super::super::outbox::{Numbered, Reader};
use super::Accept;
use crate::fault::{Fault, code};
use crate::frame;
use crate::json::View;
use crate::version::Era;

/// An answer that is only a status.
pub(in crate::server) fn status_only(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// A method that is not for this path.
pub(in crate::server) fn not_allowed(allowed: &'static str) -> Response<Body> {
    let mut response = status_only(StatusCode::METHOD_NOT_ALLOWED);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// A message as the whole answer.
pub(in crate::server) fn json(status: StatusCode, message: Bytes) -> Response<Body> {
    let mut response = Response::new(Body::full(message));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// An error as the whole answer.
pub(in crate::server) fn refused(
    status: StatusCode,
    id: Option<&[u8]>,
    fault: &Fault,
    era: Era,
) -> Response<Body> {
    json(status, frame::failure(id, &fault.write(era)))
}

/// An error with the status that goes with its code in the modern era.
pub(in crate::server) fn failed(id: &[u8], fault: &Fault) -> Response<Body> {
    let message = frame::failure(Some(id), &fault.write(Era::Modern));
    json(modern_status(&message), message)
}

/// An event stream.
pub(in crate::server) fn events(events: Events) -> Response<Body> {
    let mut response = Response::new(Body::events(events));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// The status of a modern answer.
pub(in crate::server) fn modern_status(message: &[u8]) -> StatusCode {
    let code = View::new(message).at(&["error", "code"]).and_then(View::integer);
    match code {
        Some(code::UNKNOWN_METHOD) => StatusCode::NOT_FOUND,
        Some(
            code::PARSE
            | code::INVALID_REQUEST
            | code::HEADER_MISMATCH
            | code::MISSING_CAPABILITY
            | code::UNSUPPORTED_VERSION,
        ) => StatusCode::BAD_REQUEST,
        Some(code::BUSY) => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::OK,
    }
}

/// What came first on a stream.
#[derive(Debug)]
pub(in crate::server) enum First {
    /// The answer, and nothing else.
    Answer(Bytes),
    /// Something before the answer.
    Message(Numbered),
    /// Nothing so far.
    Nothing,
    /// The end, without an answer.
    End,
}

/// Waits a moment for what comes first; for clients that take no event streams it waits for the answer itself.
pub(in crate::server) async fn first(reader: &Reader, settle: std::time::Duration, accept: Accept) -> First {
    if !accept.events {
        while let Some(event) = reader.next().await {
            if reader.is_at_end() {
                return First::Answer(event.message);
            }
        }
        return First::End;
    }
    match tokio::time::timeout(settle, reader.next()).await {
        Err(_) => First::Nothing,
        Ok(None) => First::End,
        Ok(Some(event)) if reader.is_at_end() && accept.json => First::Answer(event.message),
        Ok(Some(event)) => First::Message(event),
    }
}
