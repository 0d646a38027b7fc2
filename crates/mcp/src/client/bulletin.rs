//! News of the peer on its way to whoever listens: changes are kept once until they are taken, so the queue is bounded
//! and none is lost; only log messages are dropped when nobody reads.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

/// How many changed resources and log messages may wait.
pub(crate) const MAX_WAITING: usize = 1024;

/// What happened at the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The tools are others now.
    ToolsChanged,
    /// The prompts are others now.
    PromptsChanged,
    /// The resources are others now; also when too many of them were updated to name each.
    ResourcesChanged,
    /// This resource has other contents now.
    ResourceUpdated(String),
    /// The peer logs something: the whole notification.
    Log(Bytes),
    /// The peer says something else that belongs to no call: the whole notification.
    Other(Bytes),
    /// The connection ended, and why; nothing follows.
    Closed(String),
}

/// How many bytes of messages wait for whoever takes them.
const MAX_BYTES: usize = 1 << 20;

/// A resource with a longer name is one of those that changed.
const MAX_URI: usize = 8 << 10;

fn held(waiting: &VecDeque<Event>) -> usize {
    let size = |event: &Event| match event {
        Event::Log(text) | Event::Other(text) => text.len(),
        _ => 0,
    };
    waiting.iter().map(size).sum()
}

#[derive(Debug, Default)]
pub(crate) struct Bulletin {
    waiting: Mutex<VecDeque<Event>>,
    news: Notify,
}

impl Bulletin {
    pub(crate) fn post(&self, event: Event) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let full = waiting.len() >= MAX_WAITING;
        let event = match event {
            Event::Log(text) | Event::Other(text) if full || held(&waiting) + text.len() > MAX_BYTES => {
                tracing::debug!(bytes = text.len(), "a message that nobody takes was dropped");
                return;
            }
            Event::ResourceUpdated(uri) if full || uri.len() > MAX_URI => Event::ResourcesChanged,
            event => event,
        };
        let is_log = matches!(event, Event::Log(_) | Event::Other(_));
        if is_log || !waiting.contains(&event) {
            waiting.push_back(event);
            self.news.notify_one();
        }
    }

    fn take(&self) -> Option<Event> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Hands the news on until the connection ended and all was said.
    pub(crate) async fn deliver(&self, to: mpsc::Sender<Event>, ended: CancellationToken) {
        loop {
            // The last news is posted before the end: looked for after it, none is missed.
            let over = ended.is_cancelled();
            while let Some(event) = self.take() {
                if to.send(event).await.is_err() {
                    return;
                }
            }
            if over {
                return;
            }
            tokio::select! {
                () = self.news.notified() => {}
                () = ended.cancelled() => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_news_is_never_lost() {
        for _ in 0..100 {
            let (bulletin, ended) = (std::sync::Arc::new(Bulletin::default()), CancellationToken::new());
            let (to, mut news) = mpsc::channel(1);
            let delivering = std::sync::Arc::clone(&bulletin);
            let token = ended.clone();
            tokio::spawn(async move { delivering.deliver(to, token).await });
            tokio::task::yield_now().await;
            bulletin.post(Event::Closed("over".into()));
            ended.cancel();
            assert_eq!(news.recv().await, Some(Event::Closed("over".into())));
            assert_eq!(news.recv().await, None);
        }
    }

    #[test]
    fn changes_wait_once_and_logs_only_while_there_is_room() {
        let bulletin = Bulletin::default();
        for number in 0..2000 {
            bulletin.post(Event::ToolsChanged);
            bulletin.post(Event::Log(Bytes::from_static(b"{}")));
            bulletin.post(Event::ResourceUpdated(number.to_string()));
        }
        bulletin.post(Event::PromptsChanged);
        let waiting: Vec<Event> = std::iter::from_fn(|| bulletin.take()).collect();
        assert_eq!(waiting.len(), 1024 + 2);
        let tools = waiting.iter().filter(|event| **event == Event::ToolsChanged).count();
        assert_eq!(tools, 1);
        assert!(waiting.contains(&Event::PromptsChanged) && waiting.contains(&Event::ResourcesChanged));
    }

    #[test]
    fn what_waits_is_bounded_in_bytes() {
        let bulletin = Bulletin::default();
        for _ in 0..40 {
            bulletin.post(Event::Log(Bytes::from(vec![b'x'; 100 << 10])));
        }
        bulletin.post(Event::ResourceUpdated("u".repeat(MAX_URI + 1)));
        let mut taken = Vec::new();
        while let Some(event) = bulletin.take() {
            taken.push(event);
        }
        assert_eq!((taken.len(), taken.last()), (11, Some(&Event::ResourcesChanged)));
        assert_eq!((MAX_BYTES, MAX_URI), (1_048_576, 8_192));
    }
}
