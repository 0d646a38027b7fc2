//! Hearing of changes at a peer: a modern peer is listened to in the background, and again after every break; a legacy
//! peer is asked per resource.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::fault::{Fault, code};
use crate::json::{Object, View};
use crate::version::Era;

use super::Session;
use super::bulletin::{Bulletin, Event};
use super::channel::{Ask, Channel, Miss};
use super::error::CallError;
use super::handshake::Peer;
use super::headers;
use super::params::speaking_for;
use super::settings::Settings;
use super::stream::{MAX_RETRY, RETRY};
use super::wire::Lost;

/// After how long a subscription is made anew in any case.
const RENEWAL: Duration = Duration::from_hours(24);

/// How long a subscription must last for the next break to be a first one.
const STEADY: Duration = Duration::from_secs(30);

/// How many resources one session may watch.
pub const MAX_WATCHED: usize = 10_000;

const LISTS: [(&str, &str, Event); 3] = [
    ("tools", "toolsListChanged", Event::ToolsChanged),
    ("prompts", "promptsListChanged", Event::PromptsChanged),
    ("resources", "resourcesListChanged", Event::ResourcesChanged),
];

fn declares(peer: &Peer, list: &str, what: &str) -> bool {
    View::new(&peer.capabilities).at(&[list, what]).and_then(View::boolean) == Some(true)
}

/// What to listen for; `None` when the peer has no news.
fn wanted(peer: &Peer, watched: &BTreeSet<String>) -> Option<Bytes> {
    let mut filter = Object::new();
    for (_, key, _) in LISTS.iter().filter(|(list, ..)| declares(peer, list, "listChanged")) {
        filter = filter.with(key, &true);
    }
    if !watched.is_empty() && declares(peer, "resources", "subscribe") {
        filter = filter.with("resourceSubscriptions", watched);
    }
    (!filter.is_empty()).then(|| filter.finish())
}

/// Tells of every list that may have changed while nobody listened.
pub(super) fn all_may_have_changed(peer: &Peer, bulletin: &Bulletin) {
    let declared = LISTS.iter().filter(|(list, ..)| declares(peer, list, "listChanged"));
    for (.., event) in declared {
        bulletin.post(event.clone());
    }
}

/// Listens to a modern peer until the session ends.
pub(super) async fn listen(
    channel: Channel,
    settings: Settings,
    peer: Peer,
    mut watched: watch::Receiver<BTreeSet<String>>,
) {
    let ended = channel.hub.ended.clone();
    let listening = async {
        let mut failures = 0;
        loop {
            let uris = watched.borrow_and_update().clone();
            let Some(filter) = wanted(&peer, &uris) else {
                if watched.changed().await.is_err() {
                    return;
                }
                continue;
            };
            let begun = Instant::now();
            let end = tokio::select! {
                end = channel.ask(subscription(&settings, &filter)) => end.err(),
                changed = watched.changed() => match changed {
                    Ok(()) => continue,
                    Err(_) => return,
                },
            };
            if end.is_some_and(is_final) {
                return;
            }
            failures = if begun.elapsed() > STEADY { 0 } else { failures + 1 };
            sleep(RETRY.saturating_mul(1 << failures.min(10)).min(MAX_RETRY)).await;
            all_may_have_changed(&peer, &channel.hub.bulletin);
        }
    };
    tokio::select! {
        () = ended.cancelled() => {}
        () = listening => {}
    }
}

fn subscription(settings: &Settings, filter: &[u8]) -> Ask {
    let params = Object::new().raw("notifications", filter).finish();
    let params = speaking_for(settings, Some(&params));
    let headers = headers::modern("subscriptions/listen", Some(&params), &[]);
    Ask { headers, ..Ask::new("subscriptions/listen", Some(params), RENEWAL) }
}

/// Whether listening again would end the same way.
fn is_final(miss: Miss) -> bool {
    match miss {
        Miss::Fault(fault, _) => [code::UNKNOWN_METHOD, code::INVALID_PARAMS].contains(&fault.code),
        Miss::Lost(Lost::Unauthorized(_) | Lost::Access(_) | Lost::NotMcp) => true,
        Miss::Lost(Lost::Status(status)) => (400..500).contains(&status),
        _ => false,
    }
}

impl Session {
    /// From now on changes of this resource are told.
    pub async fn subscribe(&self, uri: &str) -> Result<(), CallError> {
        let peer = self.peer();
        if !declares(&peer, "resources", "subscribe") {
            return Err(CallError::Fault(Fault::unknown_method("resources/subscribe")));
        }
        let is_full = {
            let watched = self.0.watched.borrow();
            watched.len() >= MAX_WATCHED && !watched.contains(uri)
        };
        if is_full {
            return Err(CallError::Fault(Fault::new(code::BUSY, "too many watched resources")));
        }
        if peer.era == Era::Legacy {
            let params = Object::new().with("uri", uri).finish();
            self.simple("resources/subscribe", Some(params)).await?;
        }
        self.0.watched.send_if_modified(|watched| watched.insert(uri.to_owned()));
        Ok(())
    }

    /// Changes of this resource are not told any more.
    pub async fn unsubscribe(&self, uri: &str) -> Result<(), CallError> {
        let was_watched = self.0.watched.send_if_modified(|watched| watched.remove(uri));
        if was_watched && self.peer().era == Era::Legacy {
            let params = Object::new().with("uri", uri).finish();
            self.simple("resources/unsubscribe", Some(params)).await?;
        }
        Ok(())
    }

    /// Watches again what was watched in a session that the peer forgot.
    pub(super) async fn watch_again(&self) {
        let watched: Vec<String> = self.0.watched.borrow().iter().cloned().collect();
        for uri in watched {
            let params = Object::new().with("uri", &uri).finish();
            let ask = Ask::new("resources/subscribe", Some(params), self.0.settings.call);
            if self.0.channel.ask(ask).await.is_err() {
                tracing::warn!("a resource is not watched any more");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscriptions_are_bounded() {
        assert_eq!((RENEWAL.as_secs(), STEADY.as_secs(), MAX_WATCHED), (86_400, 30, 10_000));
    }
}
