//! The body of an answer as it arrives; it may not stay silent nor grow beyond its bounds, and dropping it ends the
//! request.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt};
use http_body::Body as _;
use hyper::body::Incoming;
use tokio::time::{Sleep, sleep};

use super::{Failure, Kind};

/// Chunks of an answer; after the first failure there are none.
pub struct Body {
    /// Gone once the answer ended or failed.
    incoming: Option<Incoming>,
    idle: Duration,
    /// Runs only while the reader waits for the peer.
    silence: Option<Pin<Box<Sleep>>>,
    left: Option<u64>,
}

impl Body {
    pub(super) fn new(incoming: Incoming, idle: Duration, limit: Option<u64>) -> Self {
        Self { incoming: Some(incoming), idle, silence: None, left: limit }
    }

    /// The whole body, if it has at most `cap` bytes and no chunk takes longer than the idle deadline.
    pub async fn collect(mut self, cap: usize) -> Result<Bytes, Failure> {
        let cap = u64::try_from(cap).unwrap_or(u64::MAX);
        self.left = Some(self.left.map_or(cap, |left| left.min(cap)));
        if self.announced() > self.left {
            return Err(Failure::new(Kind::TooLarge));
        }
        let Some(first) = self.next().await.transpose()? else { return Ok(Bytes::new()) };
        let Some(second) = self.next().await.transpose()? else { return Ok(first) };
        let mut whole = BytesMut::from(first);
        whole.extend_from_slice(&second);
        while let Some(chunk) = self.next().await {
            whole.extend_from_slice(&chunk?);
        }
        Ok(whole.freeze())
    }

    fn announced(&self) -> Option<u64> {
        self.incoming.as_ref().map(|incoming| incoming.size_hint().lower())
    }

    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Failure>>> {
        loop {
            let Some(incoming) = self.incoming.as_mut() else { return Poll::Ready(None) };
            let Poll::Ready(frame) = Pin::new(incoming).poll_frame(cx) else {
                let silence = self.silence.get_or_insert_with(|| Box::pin(sleep(self.idle)));
                ready!(silence.as_mut().poll(cx));
                return Poll::Ready(Some(Err(Failure::new(Kind::Timeout))));
            };
            let frame = match frame {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(Failure::of_body(&error)))),
                Some(Ok(frame)) => frame,
            };
            // Trailers and empty chunks tell the reader nothing, so they do not count as a sign of life.
            let Some(chunk) = frame.into_data().ok().filter(|chunk| !chunk.is_empty()) else { continue };
            self.silence = None;
            return Poll::Ready(Some(self.count(chunk)));
        }
    }

    fn count(&mut self, chunk: Bytes) -> Result<Bytes, Failure> {
        if let Some(left) = &mut self.left {
            let length = u64::try_from(chunk.len()).unwrap_or(u64::MAX);
            *left = left.checked_sub(length).ok_or(Failure::new(Kind::TooLarge))?;
        }
        Ok(chunk)
    }
}

impl Stream for Body {
    type Item = Result<Bytes, Failure>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let chunk = ready!(self.poll_chunk(cx));
        if !matches!(chunk, Some(Ok(_))) {
            self.incoming = None;
        }
        Poll::Ready(chunk)
    }
}
