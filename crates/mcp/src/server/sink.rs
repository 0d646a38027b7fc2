//! Where answers go: straight to a stream, or into the array that answers an array.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use super::outbox::Outbox;

/// The way of one request's messages back to the client.
#[derive(Clone, Debug)]
pub(super) struct Sink {
    pub(super) outbox: Arc<Outbox>,
    /// Whether the stream outlives the answer.
    pub(super) lasting: bool,
    collector: Option<Arc<Collector>>,
}

impl Sink {
    /// A stream for one request: the answer ends it.
    pub(super) fn single(outbox: Arc<Outbox>) -> Self {
        Self { outbox, lasting: false, collector: None }
    }

    /// A stream for everything of a connection.
    pub(super) fn lasting(outbox: Arc<Outbox>) -> Self {
        Self { outbox, lasting: true, collector: None }
    }

    /// The same stream, with the answers of so many requests gathered into one array.
    pub(super) fn gathering(self, requests: usize) -> Self {
        let collector = Collector { state: Mutex::new((requests, Vec::new())) };
        Self { collector: Some(Arc::new(collector)), ..self }
    }

    /// Sends something that is no answer; `false` when nobody can read it any more.
    pub(super) fn send(&self, message: Bytes) -> bool {
        self.outbox.push(message)
    }

    /// Sends the answer, or nothing when the request was given up.
    pub(super) fn answer(&self, answer: Option<Bytes>) {
        let message = match &self.collector {
            None => answer,
            Some(collector) => match collector.gather(answer) {
                Gathered::All(array) => array,
                Gathered::Waiting => return,
            },
        };
        match message {
            Some(message) if self.lasting => drop(self.outbox.push(message)),
            Some(message) => self.outbox.push_last(message),
            None if self.lasting => {}
            None => self.outbox.finish(),
        }
    }
}

/// Answers gathered so far, and how many are still missing.
#[derive(Debug)]
struct Collector {
    state: Mutex<(usize, Vec<Bytes>)>,
}

/// What an answer makes of an array.
enum Gathered {
    /// More answers must come.
    Waiting,
    /// It was the last; no array when every request was given up.
    All(Option<Bytes>),
}

impl Collector {
    fn gather(&self, answer: Option<Bytes>) -> Gathered {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = state.0.saturating_sub(1);
        state.1.extend(answer);
        if state.0 > 0 {
            return Gathered::Waiting;
        }
        let answers = std::mem::take(&mut state.1);
        Gathered::All((!answers.is_empty()).then(|| array(&answers)))
    }
}

fn array(items: &[Bytes]) -> Bytes {
    let mut text = vec![b'['];
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            text.push(b',');
        }
        text.extend_from_slice(item);
    }
    text.push(b']');
    Bytes::from(text)
}

#[cfg(test)]
mod tests {
    use super::super::outbox::Bounds;
    use super::*;
    use futures_util::FutureExt;

    #[test]
    fn an_array_is_answered_with_one_array_when_all_is_said() {
        let outbox = Outbox::new(Bounds { events: 9, bytes: 99, resumable: false });
        let reader = outbox.attach();
        let sink = Sink::single(outbox).gathering(3);
        sink.answer(Some(Bytes::from_static(b"1")));
        sink.answer(None);
        assert!(reader.next().now_or_never().is_none());
        sink.answer(Some(Bytes::from_static(b"2")));
        assert_eq!(&reader.next().now_or_never().unwrap().unwrap().message[..], b"[1,2]");
        assert!(reader.next().now_or_never().unwrap().is_none());
    }
}
