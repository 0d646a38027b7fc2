//! What waits to be sent on one stream: bounded, read by one reader at a time, and kept for resumption where that is possible.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use tokio::sync::Notify;

/// How much a stream holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) events: usize,
    pub(super) bytes: usize,
    /// Whether events stay after they were read, so that a reader can come back for them.
    pub(super) resumable: bool,
}

/// A message and its number on the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Numbered {
    pub(super) number: u64,
    pub(super) message: Bytes,
}

/// Messages on their way to a client.
#[derive(Debug)]
pub(super) struct Outbox {
    bounds: Bounds,
    state: Mutex<State>,
    /// Something was read.
    read: Notify,
}

#[derive(Debug, Default)]
struct State {
    events: VecDeque<Bytes>,
    /// The number of the oldest event held.
    first: u64,
    /// The number the reader gets next.
    next: u64,
    bytes: usize,
    /// Nothing will be added.
    finished: bool,
    /// The reader's number; an older reader gets nothing more.
    reader: u64,
    /// The number of the last reader that was too slow.
    slow: u64,
    attached: bool,
    waker: Option<Waker>,
}

impl State {
    fn end(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    fn drop_oldest(&mut self) {
        if let Some(event) = self.events.pop_front() {
            self.bytes -= event.len();
            self.first += 1;
        }
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl Outbox {
    pub(super) fn new(bounds: Bounds) -> Arc<Self> {
        Arc::new(Self { bounds, state: Mutex::default(), read: Notify::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no more than half of what may wait is waiting, or nothing more can be sent.
    pub(super) async fn room(&self) {
        loop {
            let read = self.read.notified();
            {
                let state = self.state();
                let full = state.events.len() * 2 > self.bounds.events || state.bytes * 2 > self.bounds.bytes;
                if state.finished || !full {
                    return;
                }
            }
            read.await;
        }
    }

    /// Adds a message; `false` when nobody can ever read it. A reader that is too far behind is cut off.
    pub(super) fn push(&self, message: Bytes) -> bool {
        self.add(message, false)
    }

    /// Adds news, unless the same waits already or much waits: news never cuts anybody off. `false` when nobody can ever
    /// read it.
    pub(super) fn push_news(&self, message: Bytes) -> bool {
        {
            let state = self.state();
            let already_read = usize::try_from(state.next.saturating_sub(state.first)).unwrap_or(0);
            let waits = state.events.iter().skip(already_read).any(|event| *event == message);
            let full = state.events.len().saturating_sub(already_read) * 2 >= self.bounds.events;
            if waits || full {
                return !state.finished;
            }
        }
        self.push(message)
    }

    /// Adds the last message.
    pub(super) fn push_last(&self, message: Bytes) {
        self.add(message, true);
    }

    fn add(&self, message: Bytes, last: bool) -> bool {
        let mut state = self.state();
        if state.finished {
            return false;
        }
        state.bytes += message.len();
        state.events.push_back(message);
        let mut cut = false;
        while state.events.len() > 1
            && (state.events.len() > self.bounds.events || state.bytes > self.bounds.bytes)
        {
            cut |= state.first >= state.next;
            state.drop_oldest();
        }
        if cut && (state.attached || !self.bounds.resumable) {
            tracing::debug!("a client that does not read was cut off");
            state.attached = false;
            state.slow = state.reader;
            state.reader += 1;
            state.finished |= !self.bounds.resumable;
        }
        state.next = state.next.max(state.first);
        let gone = state.finished;
        state.finished |= last;
        state.wake();
        !gone
    }

    /// Nothing more will be added; a reader gets what is left.
    pub(super) fn finish(&self) {
        let mut state = self.state();
        state.finished = true;
        state.wake();
        drop(state);
        self.read.notify_waiters();
    }

    /// The reader gets nothing more, though the stream goes on.
    pub(super) fn hang_up(&self) {
        let mut state = self.state();
        state.attached = false;
        state.reader += 1;
        state.wake();
    }

    /// Lets go of everything held.
    pub(super) fn clear(&self) {
        let mut state = self.state();
        state.finished = true;
        while !state.events.is_empty() {
            state.drop_oldest();
        }
        state.next = state.next.max(state.first);
        state.wake();
    }

    pub(super) fn is_finished(&self) -> bool {
        self.state().finished
    }

    /// Whether somebody reads.
    pub(super) fn is_attached(&self) -> bool {
        self.state().attached
    }

    /// How much is held.
    pub(super) fn held(&self) -> usize {
        self.state().bytes
    }

    /// Begins to read where reading ended, in place of whoever read before.
    pub(super) fn attach(self: &Arc<Self>) -> Reader {
        let mut state = self.state();
        state.reader += 1;
        state.attached = true;
        state.wake();
        let number = state.reader;
        drop(state);
        Reader { outbox: Arc::clone(self), number }
    }

    /// Begins to read at an event's number; `None` when events since then are not held any more.
    pub(super) fn resume(self: &Arc<Self>, next: u64) -> Option<Reader> {
        {
            let mut state = self.state();
            if next < state.first || next > state.end() {
                return None;
            }
            state.next = next;
        }
        Some(self.attach())
    }
}

/// Reads an outbox; dropping it leaves the rest for the next reader.
#[derive(Debug)]
pub(super) struct Reader {
    outbox: Arc<Outbox>,
    number: u64,
}

impl Reader {
    pub(super) fn poll(&self, context: &mut Context<'_>) -> Poll<Option<Numbered>> {
        let mut state = self.outbox.state();
        if state.reader != self.number {
            return Poll::Ready(None);
        }
        let index = usize::try_from(state.next - state.first).unwrap_or(usize::MAX);
        if let Some(message) = state.events.get(index).cloned() {
            let number = state.next;
            state.next += 1;
            if !self.outbox.bounds.resumable {
                state.drop_oldest();
                self.outbox.read.notify_waiters();
            }
            return Poll::Ready(Some(Numbered { number, message }));
        }
        if state.finished {
            return Poll::Ready(None);
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }

    pub(super) async fn next(&self) -> Option<Numbered> {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    /// Whether nothing follows what was read.
    pub(super) fn is_at_end(&self) -> bool {
        let state = self.outbox.state();
        state.finished && state.next >= state.end()
    }

    /// Ends when this reader gets nothing more though it has not read to the end. Not to be waited for beside `next`.
    pub(super) async fn cut_off(&self) {
        std::future::poll_fn(|context| {
            let mut state = self.outbox.state();
            if state.reader != self.number {
                return Poll::Ready(());
            }
            state.waker = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Whether this reader was cut off because it did not keep up.
    pub(super) fn was_too_slow(&self) -> bool {
        self.outbox.state().slow == self.number
    }

    /// Whether the stream goes on without this reader.
    pub(super) fn is_replaced(&self) -> bool {
        self.outbox.state().reader != self.number
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.outbox.state();
        if state.reader == self.number {
            state.attached = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn outbox(resumable: bool) -> Arc<Outbox> {
        Outbox::new(Bounds { events: 3, bytes: 100, resumable })
    }

    #[expect(clippy::option_option, reason = "nothing yet, the end, or an event")]
    fn read(reader: &Reader) -> Option<Option<(u64, Bytes)>> {
        reader.next().now_or_never().map(|event| event.map(|event| (event.number, event.message)))
    }

    fn text(text: &'static str) -> Bytes {
        Bytes::from_static(text.as_bytes())
    }

    #[test]
    fn a_reader_gets_everything_in_order_and_then_the_end() {
        let outbox = outbox(false);
        let reader = outbox.attach();
        assert!(outbox.push(text("a")) && outbox.push(text("b")));
        assert_eq!(read(&reader), Some(Some((0, text("a")))));
        assert_eq!(read(&reader), Some(Some((1, text("b")))));
        assert_eq!(read(&reader), None);
        assert_eq!(outbox.held(), 0);
        outbox.finish();
        assert_eq!(read(&reader), Some(None));
        assert!(!outbox.push(text("c")));
    }

    #[test]
    fn a_reader_that_does_not_read_is_cut_off() {
        let outbox = outbox(false);
        let reader = outbox.attach();
        assert!(outbox.push(text("a")) && outbox.push(text("b")) && outbox.push(text("c")));
        assert!(!outbox.push(text("d")));
        assert_eq!(read(&reader), Some(None));
    }

    #[test]
    fn news_is_told_once_and_cuts_nobody_off() {
        let outbox = Outbox::new(Bounds { events: 8, bytes: 1000, resumable: false });
        let reader = outbox.attach();
        for _ in 0..100 {
            assert!(outbox.push_news(text("tools")));
        }
        for number in 0..100 {
            assert!(outbox.push_news(Bytes::from(format!("resource {number}"))));
        }
        assert_eq!(read(&reader), Some(Some((0, text("tools")))));
        assert_eq!(read(&reader).unwrap().unwrap().1, "resource 0");
        assert!(outbox.push_news(text("tools")), "told before, and to be told again");
    }

    #[test]
    fn the_newest_event_is_kept_however_large() {
        let outbox = outbox(true);
        outbox.push(text("small"));
        outbox.push(Bytes::from(vec![b'x'; 1000]));
        let reader = outbox.attach();
        assert_eq!(read(&reader).unwrap().unwrap().0, 1);
    }

    #[test]
    fn a_stream_is_resumed_after_the_last_event_seen() {
        let outbox = outbox(true);
        for event in ["a", "b", "c", "d"] {
            outbox.push(text(event));
        }
        outbox.finish();
        assert!(outbox.resume(9).is_none());
        let first = outbox.resume(2).unwrap();
        let second = outbox.resume(3).unwrap();
        assert_eq!(read(&first), Some(None));
        assert_eq!(read(&second), Some(Some((3, text("d")))));
        assert_eq!(read(&second), Some(None));
        assert!(outbox.resume(1).is_some() && outbox.resume(4).is_some());
    }

    #[test]
    fn what_was_dropped_is_not_resumed() {
        let outbox = outbox(true);
        for event in ["a", "b", "c", "d", "e"] {
            outbox.push(text(event));
        }
        assert!(outbox.resume(1).is_none());
        assert!(outbox.resume(2).is_some());
    }

    #[test]
    fn a_stream_that_was_hung_up_goes_on_for_the_next_reader() {
        let outbox = outbox(true);
        let reader = outbox.attach();
        outbox.push(text("a"));
        outbox.hang_up();
        assert_eq!(read(&reader), Some(None));
        assert!(outbox.push(text("b")));
        let again = outbox.attach();
        assert_eq!(read(&again), Some(Some((0, text("a")))));
    }
}
