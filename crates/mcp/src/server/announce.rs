//! Changes that clients want to hear of: legacy sessions by default, modern clients by listening.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::service::{Caller, Service};
use super::sink::Sink;
use super::{Core, Server};
use crate::frame;
use crate::json::{Object, View};
use crate::meta;
use crate::version::Era;

/// How many resources one client may listen to.
pub(super) const MOST_RESOURCES: usize = 1_000;

/// How long the URI of a resource may be that is listened to.
pub(super) const MOST_URI: usize = 8 << 10;

/// What has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// The content of one resource.
    Resource(String),
}

impl Change {
    fn method(&self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Resources => "notifications/resources/list_changed",
            Self::Resource(_) => "notifications/resources/updated",
        }
    }

    fn notification(&self, subscription: Option<&[u8]>) -> Bytes {
        let mut params = Object::new();
        if let Some(id) = subscription {
            params = params.raw("_meta", &Object::new().raw(meta::SUBSCRIPTION_ID, id).finish());
        }
        if let Self::Resource(uri) = self {
            params = params.with("uri", uri);
        }
        let params = (!params.is_empty()).then(|| params.finish());
        frame::notification(self.method(), params.as_deref())
    }
}

/// What a modern client listens to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: Vec<String>,
}

impl Wanted {
    /// Reads the wishes, leaving out what a server with these capabilities never sends.
    pub(super) fn read(filter: View<'_>, capabilities: View<'_>) -> Self {
        let asked = |key: &str| filter.get(key).and_then(View::boolean) == Some(true);
        let sends = |path: &[&str]| capabilities.at(path).and_then(View::boolean) == Some(true);
        let uris = filter.get("resourceSubscriptions").into_iter().flat_map(View::items);
        let uris = uris
            .filter_map(View::text)
            .filter(|uri| uri.len() <= MOST_URI)
            .map(std::borrow::Cow::into_owned)
            .take(MOST_RESOURCES);
        Self {
            tools: asked("toolsListChanged") && sends(&["tools", "listChanged"]),
            prompts: asked("promptsListChanged") && sends(&["prompts", "listChanged"]),
            resources: asked("resourcesListChanged") && sends(&["resources", "listChanged"]),
            uris: if sends(&["resources", "subscribe"]) { uris.collect() } else { Vec::new() },
        }
    }

    fn matches(&self, change: &Change) -> bool {
        match change {
            Change::Tools => self.tools,
            Change::Prompts => self.prompts,
            Change::Resources => self.resources,
            Change::Resource(uri) => self.uris.contains(uri),
        }
    }

    /// The first message of a subscription: what is agreed on.
    pub(super) fn acknowledgement(&self, id: &[u8]) -> Bytes {
        let mut agreed = Object::new();
        for (key, wanted) in [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ] {
            if wanted {
                agreed = agreed.with(key, &true);
            }
        }
        if !self.uris.is_empty() {
            agreed = agreed.with("resourceSubscriptions", &self.uris);
        }
        let meta = Object::new().raw(meta::SUBSCRIPTION_ID, id).finish();
        let params = Object::new().raw("_meta", &meta).raw("notifications", &agreed.finish()).finish();
        frame::notification("notifications/subscriptions/acknowledged", Some(&params))
    }
}

/// A modern client that listens.
#[derive(Debug)]
struct Listener<C> {
    caller: C,
    wanted: Wanted,
    id: Bytes,
    sink: Sink,
}

/// All modern clients that listen.
#[derive(Debug)]
pub(super) struct Listeners<C> {
    most: usize,
    all: Mutex<(u64, HashMap<u64, Listener<C>>)>,
}

impl<C: Caller> Listeners<C> {
    pub(super) fn new(most: usize) -> Self {
        Self { most, all: Mutex::new((0, HashMap::new())) }
    }

    fn all(&self) -> MutexGuard<'_, (u64, HashMap<u64, Listener<C>>)> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn len(&self) -> usize {
        self.all().1.len()
    }

    /// Adds a listener after telling it what is agreed on; `None` when there are too many.
    pub(super) fn add(&self, caller: C, wanted: Wanted, id: Bytes, sink: Sink) -> Option<u64> {
        let mut all = self.all();
        if all.1.len() >= self.most {
            return None;
        }
        sink.send(wanted.acknowledgement(&id));
        all.0 += 1;
        let number = all.0;
        all.1.insert(number, Listener { caller, wanted, id, sink });
        Some(number)
    }

    pub(super) fn remove(&self, number: u64) {
        self.all().1.remove(&number);
    }

    fn tell(&self, change: &Change, concerns: &impl Fn(&C) -> bool) {
        self.all().1.retain(|_, listener| {
            !listener.wanted.matches(change)
                || !concerns(&listener.caller)
                || listener.sink.outbox.push_news(change.notification(Some(&listener.id)))
        });
    }

    /// Ends every subscription with its result.
    pub(super) fn finish(&self) {
        for (_, listener) in self.all().1.drain() {
            let meta = Object::new().raw(meta::SUBSCRIPTION_ID, &listener.id).finish();
            let result = Object::new().with("resultType", "complete").raw("_meta", &meta).finish();
            listener.sink.answer(Some(frame::answer(&listener.id, &result)));
        }
    }
}

impl<S: Service> Server<S> {
    /// Tells those of the callers it concerns that something changed.
    pub fn announce(&self, change: &Change, concerns: impl Fn(&S::Caller) -> bool) {
        self.core.listeners.tell(change, &concerns);
        self.core.tell_sessions(change, &concerns);
    }
}

impl<S: Service> Core<S> {
    fn tell_sessions(&self, change: &Change, concerns: &impl Fn(&S::Caller) -> bool) {
        for session in self.sessions.snapshot() {
            let Some(peer) = session.peer.get() else { continue };
            let wanted = match change {
                Change::Resource(uri) => session.is_subscribed(uri),
                _ => true,
            };
            if peer.era() == Era::Legacy && wanted && concerns(&session.caller()) {
                session.general.push_news(change.notification(None));
            }
        }
    }
}
