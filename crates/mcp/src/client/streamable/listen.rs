//! The stream on which a legacy peer speaks of its own accord; a peer that has none is not asked twice.

use http::HeaderName;
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::header::LAST_EVENT_ID;

use super::super::http::Content;
use super::super::stream::{Mark, pump};
use super::super::wire::Lost;
use super::{Streamable, is_passing};

impl Streamable {
    /// Listens until the peer has no such stream; connects again when it breaks.
    /// `heard` is dropped once the peer has answered.
    pub(super) async fn listen(&self, heard: oneshot::Sender<()>) {
        let mut mark = Mark::default();
        let mut heard = Some(heard);
        loop {
            let mut headers = self.session_headers();
            headers.extend(mark.last.clone().map(|last| (HeaderName::from_static(LAST_EVENT_ID), last)));
            let answer = self.http.get(&self.url, headers).await;
            drop(heard.take());
            match answer {
                Ok(answer) if answer.status().is_success() => {
                    if Content::of(answer.headers()) != Content::Events {
                        return;
                    }
                    mark.failures = 0;
                    if pump(answer.into_body(), &self.hub, None, &mut mark).await.is_err() {
                        tracing::warn!("the server sent an event that is too long");
                        mark.last = None;
                    }
                }
                Ok(answer) if answer.status().is_client_error() => return,
                Ok(_) => mark.failures += 1,
                Err(Lost::Web(failure)) if is_passing(failure.kind) => mark.failures += 1,
                Err(_) => return,
            }
            sleep(mark.delay()).await;
        }
    }
}
