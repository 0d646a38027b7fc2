//! Notifications of the peer: progress to its call, changes and logs to whoever listens.

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::frame::Frame;
use crate::json::{View, splice};

use super::{Event, Hub};

impl Hub {
    pub(super) fn noticed(&self, frame: &Frame, origin: Option<u64>) {
        let event = match &*frame.method() {
            "notifications/progress" => return self.progressed(frame),
            "notifications/cancelled" => return self.withdrawn(frame),
            "notifications/tools/list_changed" => Event::ToolsChanged,
            "notifications/prompts/list_changed" => Event::PromptsChanged,
            "notifications/resources/list_changed" => Event::ResourcesChanged,
            "notifications/resources/updated" => match frame.uri() {
                Some(uri) => Event::ResourceUpdated(uri.into_owned()),
                None => return,
            },
            "notifications/subscriptions/acknowledged" => return,
            method => {
                let is_log = method == "notifications/message";
                return match self.notices_of(origin) {
                    Some(notices) => drop(notices.try_send(frame.bytes().clone())),
                    None if is_log => self.bulletin.post(Event::Log(frame.bytes().clone())),
                    None => self.bulletin.post(Event::Other(frame.bytes().clone())),
                };
            }
        };
        self.bulletin.post(event);
    }

    fn notices_of(&self, origin: Option<u64>) -> Option<mpsc::Sender<Bytes>> {
        self.calls().get(&origin?)?.notices.clone()
    }

    fn progressed(&self, frame: &Frame) {
        // With a token given twice, whoever is told could take it for another's.
        if frame.repeated() > 0 {
            return;
        }
        let Some(token) = frame.param("progressToken") else { return };
        let Some(id) = token.integer().and_then(|token| u64::try_from(token).ok()) else { return };
        let calls = self.calls();
        let Some(waiter) = calls.get(&id) else { return };
        waiter.life.progress.notify_one();
        if let (Some(notices), Some(theirs)) = (&waiter.notices, &waiter.token) {
            let span = token.span_in(frame.bytes());
            let _ = notices.try_send(splice(frame.bytes(), &[(span, theirs)]));
        }
    }

    /// The peer does not want an answer to its question any more.
    fn withdrawn(&self, frame: &Frame) {
        if let Some(id) = frame.param("requestId").map(View::bytes) {
            self.stop_answering(id);
        }
    }
}
