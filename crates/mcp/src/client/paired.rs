//! HTTP+SSE: one stream of events in, POSTs to the endpoint it names out; the endpoint is on the stream's own origin.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use http::HeaderMap;
use tokio::time::timeout;
use url::Url;

use crate::frame::{Reader, Side};
use crate::question::Boxed;
use crate::sse::{Event, Parser};
use crate::version::Version;
use crate::web::Body;

use super::error::{CallError, ConnectError};
use super::headers;
use super::http::{Content, Http};
use super::hub::Hub;
use super::stream::take;
use super::wire::{Lost, Outgoing, Wire};

/// How long a message may take to be accepted.
const POST_DEADLINE: Duration = Duration::from_secs(30);

/// How much of the answer to a POST is read, so that its connection can be used again.
const MAX_RECEIPT: usize = 64 * 1024;

pub(crate) struct Paired {
    http: Http,
    endpoint: Url,
    hub: Arc<Hub>,
    version: Mutex<Option<Version>>,
}

impl Paired {
    /// Opens the stream and waits for the endpoint, for as long as `patience`; streams of other transports name none.
    pub(crate) async fn open(
        http: Http,
        url: &Url,
        hub: &Arc<Hub>,
        patience: Duration,
    ) -> Result<Arc<Self>, ConnectError> {
        let failed = |lost: Lost| ConnectError::Call(CallError::from(lost));
        let answer = http.get(url, HeaderMap::new()).await.map_err(failed)?;
        if !answer.status().is_success() {
            return Err(failed(Lost::Status(answer.status().as_u16())));
        }
        if Content::of(answer.headers()) != Content::Events {
            return Err(ConnectError::NotMcp("its answer is no event stream".into()));
        }
        let mut stream = Stream { body: answer.into_body(), parser: Parser::new() };
        let named = timeout(patience, stream.endpoint()).await.ok().flatten();
        let (named, waiting) =
            named.ok_or_else(|| ConnectError::NotMcp("its event stream names no endpoint".into()))?;
        let endpoint = endpoint(url, &named).ok_or(ConnectError::Endpoint)?;
        tokio::spawn(listen(stream, waiting, Arc::clone(hub)));
        Ok(Arc::new(Self { http, endpoint, hub: Arc::clone(hub), version: Mutex::default() }))
    }

    async fn carry(&self, out: Outgoing) -> Result<(), Lost> {
        let mut headers = out.headers;
        let version = *self.version.lock().unwrap_or_else(PoisonError::into_inner);
        headers.extend(version.map(headers::legacy).unwrap_or_default());
        let answer = self.http.post(&self.endpoint, headers, out.body).await?;
        let status = answer.status();
        if !status.is_success() {
            return Err(Lost::Status(status.as_u16()));
        }
        let _ = answer.into_body().collect(MAX_RECEIPT).await;
        Ok(())
    }
}

fn endpoint(url: &Url, event: &Event) -> Option<Url> {
    let named = std::str::from_utf8(&event.data).ok()?;
    url.join(named.trim()).ok().filter(|endpoint| endpoint.origin() == url.origin())
}

struct Stream {
    body: Body,
    parser: Parser,
}

impl Stream {
    async fn next(&mut self) -> Option<Result<Vec<Event>, Lost>> {
        let chunk = self.body.next().await?;
        Some(chunk.map_err(Lost::Web).and_then(|chunk| self.parser.push(&chunk).map_err(|_| Lost::TooLarge)))
    }

    /// The event that names the endpoint, and what came right behind it.
    async fn endpoint(&mut self) -> Option<(Event, Vec<Event>)> {
        loop {
            let mut events = self.next().await?.ok()?;
            let found = events.iter().position(|event| event.event.as_deref() == Some("endpoint"));
            if let Some(found) = found {
                let behind = events.split_off(found + 1);
                return events.pop().map(|named| (named, behind));
            }
        }
    }
}

/// Reads the stream for as long as it lasts; its end is the end of the session.
async fn listen(mut stream: Stream, mut events: Vec<Event>, hub: Arc<Hub>) {
    let mut reader = Reader::new(Side::Server);
    loop {
        for event in events.drain(..) {
            take(&hub, &mut reader, &event, None);
        }
        let next = tokio::select! {
            next = stream.next() => next,
            () = hub.ended.cancelled() => return,
        };
        events = match next {
            Some(Ok(events)) => events,
            Some(Err(Lost::TooLarge)) => {
                return hub.end(Lost::TooLarge, "the server sent an event that is too long");
            }
            Some(Err(_)) | None => return hub.end(Lost::Closed, "the server's event stream ended"),
        };
    }
}

impl Wire for Paired {
    fn exchange(self: Arc<Self>, out: Outgoing) -> Boxed<'static, Result<(), Lost>> {
        Box::pin(async move {
            self.carry(out).await?;
            self.hub.ended.cancelled().await;
            Err(self.hub.why())
        })
    }

    fn post(self: Arc<Self>, out: Outgoing) -> Boxed<'static, Result<(), Lost>> {
        Box::pin(async move { timeout(POST_DEADLINE, self.carry(out)).await.unwrap_or(Err(Lost::Stuck)) })
    }

    fn settle(self: Arc<Self>, version: Version) -> Boxed<'static, ()> {
        *self.version.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
        Box::pin(std::future::ready(()))
    }

    fn is_streamable(&self) -> bool {
        false
    }

    fn close(self: Arc<Self>) -> Boxed<'static, ()> {
        Box::pin(async move { self.hub.end(Lost::Closed, "closed") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    #[test]
    fn an_endpoint_lies_on_the_origin_of_its_stream() {
        let url = Url::parse("https://example.org:8443/mcp/sse").unwrap();
        let of = |data: &'static str| {
            let event = Event { data: Bytes::from_static(data.as_bytes()), ..Event::default() };
            endpoint(&url, &event).map(|url| url.to_string())
        };
        assert_eq!(of("/message?sessionId=1").unwrap(), "https://example.org:8443/message?sessionId=1");
        assert_eq!(of("messages").unwrap(), "https://example.org:8443/mcp/messages");
        assert!(of("https://example.org:8443/m").is_some());
        let others = [
            "https://example.org/m",
            "http://example.org:8443/m",
            "//evil.example/m",
            "https://evil.example:8443/",
        ];
        assert!(others.iter().all(|other| of(other).is_none()));
    }

    #[test]
    fn a_message_is_accepted_within_half_a_minute_and_a_small_receipt_read() {
        assert_eq!((POST_DEADLINE.as_secs(), MAX_RECEIPT), (30, 65_536));
    }
}
