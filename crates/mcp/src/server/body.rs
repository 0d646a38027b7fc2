//! The bodies of answers: one text, or an event stream that lives as long as its outbox and shows that it does.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::Frame;
use tokio::time::{Instant, Sleep};

use super::outbox::{Numbered, Reader};
use crate::sse::{Event, encode};

/// The client did not read what it was sent; its connection ends in the middle of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the client does not keep up")]
pub struct TooSlow;

/// The body of an answer.
#[derive(Debug)]
pub struct Body(Kind);

#[derive(Debug)]
enum Kind {
    Full(Option<Bytes>),
    Events(Box<Events>),
}

impl Body {
    pub(super) fn full(text: impl Into<Bytes>) -> Self {
        Self(Kind::Full(Some(text.into())))
    }

    pub(super) fn empty() -> Self {
        Self(Kind::Full(None))
    }

    pub(super) fn events(events: Events) -> Self {
        Self(Kind::Events(Box::new(events)))
    }
}

/// Runs when a stream ends or its client goes away.
pub(super) struct Leave(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Leave {
    pub(super) fn by(leave: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(leave)))
    }
}

impl fmt::Debug for Leave {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Leave")
    }
}

impl Drop for Leave {
    fn drop(&mut self) {
        if let Some(leave) = self.0.take() {
            leave();
        }
    }
}

/// An event stream.
#[derive(Debug)]
pub(super) struct Events {
    reader: Reader,
    /// Events carry ids of this stream.
    stream: Option<u32>,
    prologue: Vec<Bytes>,
    alive: Pin<Box<Sleep>>,
    period: Duration,
    _leave: Option<Leave>,
}

impl Events {
    pub(super) fn new(reader: Reader, period: Duration, leave: Option<Leave>) -> Self {
        let alive = Box::pin(tokio::time::sleep(period));
        Self { reader, stream: None, prologue: Vec::new(), alive, period, _leave: leave }
    }

    /// The same stream with ids on its events.
    pub(super) fn numbered(mut self, stream: u32) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Puts a text before everything; the last one put comes first.
    pub(super) fn begin_with(mut self, text: Bytes) -> Self {
        self.prologue.push(text);
        self
    }

    /// Puts a message that was read already before everything else.
    pub(super) fn begin_with_message(self, message: &Numbered) -> Self {
        let text = self.text(message);
        self.begin_with(text)
    }

    fn text(&self, event: &Numbered) -> Bytes {
        message(self.stream.map(|stream| (stream, event.number + 1)), &event.message)
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, TooSlow>>> {
        if let Some(text) = self.prologue.pop() {
            return Poll::Ready(Some(Ok(text)));
        }
        if let Poll::Ready(event) = self.reader.poll(context) {
            self.alive.as_mut().reset(Instant::now() + self.period);
            return Poll::Ready(match event {
                Some(event) => Some(Ok(self.text(&event))),
                None => self.reader.was_too_slow().then_some(Err(TooSlow)),
            });
        }
        if self.alive.as_mut().poll(context).is_ready() {
            self.alive.as_mut().reset(Instant::now() + self.period);
            // Polled once more so that the timer wakes us again.
            let _ = self.alive.as_mut().poll(context);
            return Poll::Ready(Some(Ok(Bytes::from_static(b": alive\n\n"))));
        }
        Poll::Pending
    }
}

/// A message as an event.
fn message(id: Option<(u32, u64)>, message: &Bytes) -> Bytes {
    let id = id.map(|(stream, number)| format!("{stream}-{number}"));
    encode(&Event { id, event: Some("message".into()), data: message.clone(), retry: None })
}

/// The first event of a stream that can be resumed: an id before there is anything to say.
pub(super) fn primer(stream: u32, retry: Duration) -> Bytes {
    let retry = u64::try_from(retry.as_millis()).ok();
    encode(&Event { id: Some(format!("{stream}-0")), event: None, data: Bytes::new(), retry })
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = TooSlow;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TooSlow>>> {
        let data = match &mut self.0 {
            Kind::Full(text) => Poll::Ready(text.take().map(Ok)),
            Kind::Events(events) => events.poll_next(context),
        };
        data.map(|data| data.map(|data| data.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.0, Kind::Full(None))
    }

    fn size_hint(&self) -> http_body::SizeHint {
        match &self.0 {
            Kind::Full(text) => {
                http_body::SizeHint::with_exact(text.as_ref().map_or(0, |text| text.len() as u64))
            }
            Kind::Events(_) => http_body::SizeHint::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sse::Parser;

    #[test]
    fn messages_become_events_with_ids() {
        let of = |id, text: &'static [u8]| message(id, &Bytes::from_static(text));
        assert_eq!(Parser::new().push(&of(None, b"{}")).unwrap()[0].data, "{}");
        let event = &Parser::new().push(&of(Some((3, 1)), b"{\r\n}")).unwrap()[0];
        assert_eq!((event.id.as_deref(), &event.data[..]), (Some("3-1"), &b"{\n}"[..]));
        let event = &Parser::new().push(&primer(2, Duration::from_secs(1))).unwrap()[0];
        assert_eq!((event.id.as_deref(), event.retry, event.data.len()), (Some("2-0"), Some(1000), 0));
    }
}
