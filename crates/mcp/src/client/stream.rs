//! Events of a peer read from an HTTP body into the hub, and where a broken stream would go on.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use http::HeaderValue;

use crate::frame::{Reader, Side};
use crate::sse::{Event, Parser};
use crate::web::Body;

use super::hub::Hub;
use super::wire::Lost;

/// How long to wait before connecting again when the peer does not say.
pub(crate) const RETRY: Duration = Duration::from_secs(1);

/// The shortest wait, whatever the peer says.
pub(crate) const MIN_RETRY: Duration = Duration::from_millis(100);

/// The longest wait a peer may ask for.
pub(crate) const LONGEST_RETRY: Duration = Duration::from_mins(10);

/// The longest wait after many failures.
pub(crate) const MAX_RETRY: Duration = Duration::from_secs(30);

/// How long the rest of an answered stream is read, so that its connection can be used again.
const DRAIN_DEADLINE: Duration = Duration::from_secs(1);

/// Where a broken stream goes on, and when.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mark {
    pub(crate) last: Option<HeaderValue>,
    pub(crate) retry: Option<Duration>,
    pub(crate) failures: u32,
}

impl Mark {
    pub(crate) fn note(&mut self, event: &Event) {
        if let Some(id) = &event.id {
            self.last = HeaderValue::from_str(id).ok().filter(|id| !id.is_empty());
        }
        if let Some(retry) = event.retry {
            self.retry = Some(Duration::from_millis(retry));
        }
    }

    /// The wait before the next try: what the peer asked for, doubled with each failure.
    pub(crate) fn delay(&self) -> Duration {
        let asked = self.retry.unwrap_or(RETRY).clamp(MIN_RETRY, LONGEST_RETRY);
        asked.max(asked.saturating_mul(1 << self.failures.min(10)).min(MAX_RETRY))
    }
}

/// How reading a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The call it belongs to has its answer, or nobody wants it any more.
    Answered,
    /// Nothing more comes.
    Broken,
}

/// Reads a stream into the hub until it ends, or until the call it belongs to is answered.
pub(crate) async fn pump(
    mut body: Body,
    hub: &Arc<Hub>,
    origin: Option<u64>,
    mark: &mut Mark,
) -> Result<End, Lost> {
    let mut parser = Parser::new();
    let mut reader = Reader::new(Side::Server);
    while let Some(Ok(chunk)) = body.next().await {
        let events = parser.push(&chunk).map_err(|_| Lost::TooLarge)?;
        for event in events {
            mark.note(&event);
            mark.failures = 0;
            take(hub, &mut reader, &event, origin);
        }
        if origin.is_some_and(|id| !hub.is_waiting(id)) {
            tokio::spawn(tokio::time::timeout(DRAIN_DEADLINE, async move {
                while let Some(Ok(_)) = body.next().await {}
            }));
            return Ok(End::Answered);
        }
    }
    Ok(End::Broken)
}

/// Hands a message event on; other sorts and empty ones say nothing.
pub(crate) fn take(hub: &Arc<Hub>, reader: &mut Reader, event: &Event, origin: Option<u64>) {
    let is_message = event.event.as_deref().is_none_or(|sort| sort == "message");
    if is_message && !event.data.is_empty() {
        hub.receive(reader, &event.data, origin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_follow_the_peer_and_grow_to_their_bound() {
        let mut mark = Mark::default();
        let mut waits = Vec::new();
        for failures in 0..7 {
            mark.failures = failures;
            waits.push(mark.delay().as_secs());
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30]);
        mark.note(&Event { retry: Some(90_000), ..Event::default() });
        assert_eq!(mark.delay().as_secs(), 90, "a peer that asks for more gets more");
        mark.note(&Event { id: Some("a\u{1}".into()), ..Event::default() });
        assert_eq!(mark.last, None);
    }

    #[test]
    fn the_rest_of_an_answered_stream_is_read_for_a_second() {
        assert_eq!(DRAIN_DEADLINE.as_secs(), 1);
    }

    #[test]
    fn a_peer_can_ask_neither_for_haste_nor_for_eternity() {
        let delay = |retry: Option<u64>, failures| {
            Mark { last: None, retry: retry.map(Duration::from_millis), failures }.delay().as_millis()
        };
        assert_eq!(delay(None, 0), 1_000);
        assert_eq!(delay(Some(0), 0), 100);
        assert_eq!(delay(Some(u64::MAX), 0), 600_000);
        assert_eq!(delay(Some(500), 3), 4_000);
        assert_eq!(delay(None, 30), 30_000);
    }
}
