//! Streamable HTTP: each message is a POST, answered by JSON or by events; a legacy session keeps its id and listens on
//! a stream of its own.

mod listen;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::frame::{Frame, Kind, Reader, Side};
use crate::header::{LAST_EVENT_ID, SESSION_ID};
use crate::question::Boxed;
use crate::sse::MAX_EVENT;
use crate::version::Version;
use crate::web::{self, Body};

use super::headers;
use super::http::{Content, Http};
use super::hub::Hub;
use super::stream::{End, Mark, pump};
use super::wire::{Lost, Outgoing, Wire};

/// How large the body of an HTTP error may be.
const MAX_ERROR: usize = 1024 * 1024;

/// How long ending the session may take.
const CLOSE_DEADLINE: Duration = Duration::from_secs(5);

/// How long the first call waits for the server's own stream, which some servers open late.
const LISTEN_GRACE: Duration = Duration::from_secs(1);

/// How long a notification or an answer may take to be accepted.
const POST_DEADLINE: Duration = Duration::from_secs(30);

pub(crate) struct Streamable {
    http: Http,
    url: Url,
    hub: Arc<Hub>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    session: Option<HeaderValue>,
    version: Option<Version>,
    listening: Option<CancellationToken>,
}

impl Streamable {
    pub(crate) fn new(http: Http, url: Url, hub: &Arc<Hub>) -> Arc<Self> {
        Arc::new(Self { http, url, hub: Arc::clone(hub), state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The headers of a legacy session.
    fn session_headers(&self) -> HeaderMap {
        let state = self.state();
        let mut headers = state.version.map(headers::legacy).unwrap_or_default();
        if let Some(session) = &state.session {
            headers.insert(SESSION_ID, session.clone());
        }
        headers
    }

    async fn carry(&self, out: &Outgoing) -> Result<(Response<Body>, bool), Lost> {
        let mut headers = if out.opens { HeaderMap::new() } else { self.session_headers() };
        let in_session = headers.contains_key(SESSION_ID);
        headers.extend(out.headers.clone());
        Ok((self.http.post(&self.url, headers, out.body.clone()).await?, in_session))
    }

    async fn request(&self, out: Outgoing) -> Result<(), Lost> {
        let (answer, in_session) = self.carry(&out).await?;
        let status = answer.status();
        if status == StatusCode::NOT_FOUND && in_session {
            return Err(Lost::Expired);
        }
        let Some(id) = out.id else { return Ok(()) };
        let content = Content::of(answer.headers());
        if !status.is_success() {
            return self.refused(answer.into_body(), content, id, status).await;
        }
        if out.opens {
            self.state().session = answer.headers().get(SESSION_ID).filter(|id| is_visible(id)).cloned();
        }
        match content {
            Content::Json => self.whole(answer.into_body(), id).await,
            Content::Events => self.events(answer.into_body(), id).await,
            Content::Other if status == StatusCode::OK => Err(Lost::NotMcp),
            Content::Other => Err(Lost::Status(status.as_u16())),
        }
    }

    /// An HTTP error; when it says what the peer thinks, the call fails with that.
    async fn refused(&self, body: Body, content: Content, id: u64, status: StatusCode) -> Result<(), Lost> {
        if content != Content::Json {
            return Err(Lost::Status(status.as_u16()));
        }
        let text = body.collect(MAX_ERROR).await.map_err(|_| Lost::Status(status.as_u16()))?;
        let said = Reader::new(Side::Server).one(&text).ok().filter(|frame| frame.kind() == Kind::Failure);
        let Some(error) = said.as_ref().and_then(Frame::error) else {
            return Err(Lost::Status(status.as_u16()));
        };
        self.hub.fail(id, error, status);
        Ok(())
    }

    async fn whole(&self, body: Body, id: u64) -> Result<(), Lost> {
        let text = body.collect(MAX_EVENT).await.map_err(Lost::Web)?;
        let read = self.hub.receive(&mut Reader::new(Side::Server), &text, Some(id));
        if read && !self.hub.is_waiting(id) { Ok(()) } else { Err(Lost::Malformed) }
    }

    /// Reads the answer from events; a stream that broke after naming an event goes on from there.
    async fn events(&self, mut body: Body, id: u64) -> Result<(), Lost> {
        let mut mark = Mark::default();
        loop {
            if pump(body, &self.hub, Some(id), &mut mark).await? == End::Answered {
                return Ok(());
            }
            if mark.last.is_none() || self.hub.is_modern() {
                return Err(Lost::Closed);
            }
            body = self.resume(&mut mark).await?;
        }
    }

    /// Connects again to a stream that broke; only what is not the network's fault ends it.
    async fn resume(&self, mark: &mut Mark) -> Result<Body, Lost> {
        loop {
            tokio::time::sleep(mark.delay()).await;
            mark.failures += 1;
            let mut headers = self.session_headers();
            headers
                .extend(mark.last.clone().map(|last| (http::HeaderName::from_static(LAST_EVENT_ID), last)));
            match self.http.get(&self.url, headers).await {
                Ok(answer) if answer.status().is_success() => {
                    return match Content::of(answer.headers()) {
                        Content::Events => Ok(answer.into_body()),
                        _ => Err(Lost::Closed),
                    };
                }
                Ok(answer) if answer.status().is_client_error() => return Err(Lost::Closed),
                Ok(_) => {}
                Err(Lost::Web(failure)) if is_passing(failure.kind) => {}
                Err(lost) => return Err(lost),
            }
        }
    }
}

/// Whether a failure may be gone the next time.
fn is_passing(kind: web::Kind) -> bool {
    matches!(kind, web::Kind::Closed | web::Kind::Refused | web::Kind::Timeout | web::Kind::Dns)
}

fn is_visible(id: &HeaderValue) -> bool {
    !id.is_empty() && id.as_bytes().iter().all(|byte| (0x21..=0x7e).contains(byte))
}

impl Wire for Streamable {
    fn exchange(self: Arc<Self>, out: Outgoing) -> Boxed<'static, Result<(), Lost>> {
        Box::pin(async move { self.request(out).await })
    }

    fn post(self: Arc<Self>, out: Outgoing) -> Boxed<'static, Result<(), Lost>> {
        Box::pin(async move {
            let carried = timeout(POST_DEADLINE, self.carry(&out)).await;
            let (answer, in_session) = carried.map_err(|_| Lost::Stuck)??;
            match answer.status() {
                status if status.is_success() => {
                    let _ = timeout(POST_DEADLINE, answer.into_body().collect(MAX_ERROR)).await;
                    Ok(())
                }
                StatusCode::NOT_FOUND if in_session => Err(Lost::Expired),
                status => Err(Lost::Status(status.as_u16())),
            }
        })
    }

    fn settle(self: Arc<Self>, version: Version) -> Boxed<'static, ()> {
        let stop = self.hub.ended.child_token();
        let earlier = {
            let mut state = self.state();
            state.version = Some(version);
            state.listening.replace(stop.clone())
        };
        if let Some(earlier) = earlier {
            earlier.cancel();
        }
        let (heard, hearing) = oneshot::channel();
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.listen(heard) => {}
            }
        });
        // A question that a server asks before anybody listens is lost.
        Box::pin(async move { drop(timeout(LISTEN_GRACE, hearing).await) })
    }

    fn is_streamable(&self) -> bool {
        true
    }

    fn close(self: Arc<Self>) -> Boxed<'static, ()> {
        Box::pin(async move {
            let headers = self.session_headers();
            if headers.contains_key(SESSION_ID) {
                let end = self.http.send(Method::DELETE, &self.url, headers, Bytes::new());
                let _ = timeout(CLOSE_DEADLINE, end).await;
            }
            self.hub.end(Lost::Closed, "closed");
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_waited_for_has_its_bound() {
        let seconds = [CLOSE_DEADLINE, LISTEN_GRACE, POST_DEADLINE].map(|bound| bound.as_secs());
        assert_eq!((MAX_ERROR, seconds), (1_048_576, [5, 1, 30]));
    }
}
