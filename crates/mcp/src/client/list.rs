//! Whole lists of a peer, page by page, within bounds; a list whose frame repeats a key is refused.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, timeout_at};

use crate::header::{Mirror, mirrors};
use crate::json::{Object, Shape, View};
use crate::version::Era;

use super::Session;
use super::error::CallError;

/// How many pages a list may have.
pub const MAX_PAGES: usize = 1_000;

/// How many items a list may have.
pub const MAX_ITEMS: usize = 100_000;

/// How many bytes the pages of a list may have together.
pub const MAX_LIST: usize = 64 << 20;

/// How long a list may take.
const LIST_DEADLINE: Duration = Duration::from_mins(5);

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum List {
    /// `tools/list`
    Tools,
    /// `prompts/list`
    Prompts,
    /// `resources/list`
    Resources,
    /// `resources/templates/list`
    ResourceTemplates,
}

impl List {
    fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Prompts => "prompts/list",
            Self::Resources => "resources/list",
            Self::ResourceTemplates => "resources/templates/list",
        }
    }

    fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources | Self::ResourceTemplates => "resources",
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::ResourceTemplates => "resourceTemplates",
            _ => self.capability(),
        }
    }
}

/// All pages of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The items as they came, JSON objects.
    pub items: Vec<Bytes>,
    /// How long it may be kept, in milliseconds: the shortest that any page names.
    pub ttl_ms: Option<u64>,
    /// `private` when any page says so.
    pub cache_scope: Option<String>,
}

/// Why there is no list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// A page was not answered.
    #[error("{0}")]
    Call(#[from] CallError),
    /// A cursor leads to a page that was there before.
    #[error("the pages of the list do not end")]
    Loop,
    /// More pages than allowed.
    #[error("the list has more than {MAX_PAGES} pages")]
    Pages,
    /// The pages have more bytes than [`MAX_LIST`] together.
    #[error("the list is longer than {MAX_LIST} bytes")]
    Large,
    /// More items than allowed.
    #[error("the list has more than {MAX_ITEMS} items")]
    Items,
    /// Readers could disagree about what the list says.
    #[error("the list repeats a key")]
    Repeated,
    /// Not the form of a list.
    #[error("the answer is no list of objects")]
    Form,
}

impl Listing {
    /// Adds a page; gives the cursor of the next one.
    fn add(&mut self, page: &Bytes, key: &str) -> Result<Option<String>, ListError> {
        let view = View::new(page);
        let items = view.get(key).filter(|items| items.shape() == Shape::Array).ok_or(ListError::Form)?;
        for item in items.items() {
            if item.shape() != Shape::Object {
                return Err(ListError::Form);
            }
            if self.items.len() == MAX_ITEMS {
                return Err(ListError::Items);
            }
            self.items.push(page.slice_ref(item.bytes()));
        }
        let ttl = view.get("ttlMs").and_then(View::integer).and_then(|ttl| u64::try_from(ttl).ok());
        self.ttl_ms = [self.ttl_ms, ttl].into_iter().flatten().min();
        let scope = view.get("cacheScope").and_then(View::text).map(std::borrow::Cow::into_owned);
        if self.cache_scope.as_deref() != Some("private") {
            self.cache_scope = scope.or(self.cache_scope.take());
        }
        Ok(view.get("nextCursor").and_then(View::text).map(std::borrow::Cow::into_owned))
    }
}

impl Session {
    /// The whole list; empty when the peer did not declare that it has one.
    pub async fn list(&self, list: List) -> Result<Listing, ListError> {
        let mut listing = Listing::default();
        let peer = self.peer();
        if View::new(&peer.capabilities)
            .get(list.capability())
            .is_none_or(|value| value.shape() != Shape::Object)
        {
            return Ok(listing);
        }
        let mut seen = HashSet::new();
        let mut params = None;
        let mut bytes = 0;
        let deadline = Instant::now() + LIST_DEADLINE;
        for _ in 0..MAX_PAGES {
            let page = timeout_at(deadline, self.simple(list.method(), params.take())).await;
            let frame = page.map_err(|_| CallError::Timeout)??;
            bytes += frame.bytes().len();
            if bytes > MAX_LIST {
                return Err(ListError::Large);
            }
            if frame.repeated() > 0 {
                return Err(ListError::Repeated);
            }
            let page = frame.shared_result().ok_or(ListError::Form)?;
            let Some(cursor) = listing.add(&page, list.key())? else {
                if list == List::Tools && peer.era == Era::Modern && self.0.channel.wire.is_streamable() {
                    self.keep_followable(&mut listing);
                }
                return Ok(listing);
            };
            params = Some(Object::new().with("cursor", &cursor).finish());
            if !seen.insert(cursor) {
                return Err(ListError::Loop);
            }
        }
        Err(ListError::Pages)
    }

    /// Leaves out the tools whose wishes for headers cannot be followed; remembers the wishes of the others.
    fn keep_followable(&self, listing: &mut Listing) {
        let mut wishes = std::collections::HashMap::new();
        listing.items.retain(|tool| {
            let tool = View::new(tool);
            let name = tool.get("name").and_then(View::text).unwrap_or_default();
            match mirrors(tool.get("inputSchema").unwrap_or(View::new(b"{}"))) {
                Ok(found) if found.is_empty() => true,
                Ok(found) => {
                    wishes.insert(name.into_owned(), Arc::<[Mirror]>::from(found));
                    true
                }
                Err(error) => {
                    tracing::warn!(tool = %name, %error, "a tool is left out");
                    false
                }
            }
        });
        self.0.set_wishes(wishes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_of_lists_are_these() {
        assert_eq!((MAX_PAGES, MAX_ITEMS), (1000, 100_000));
        let page = |count: usize| Bytes::from(format!(r#"{{"tools":[{}]}}"#, vec!["{}"; count].join(",")));
        assert_eq!(Listing::default().add(&page(MAX_ITEMS), "tools"), Ok(None));
        assert_eq!(Listing::default().add(&page(MAX_ITEMS + 1), "tools"), Err(ListError::Items));
    }

    #[test]
    fn the_most_careful_page_decides_how_a_list_is_kept() {
        let mut listing = Listing::default();
        let add = |listing: &mut Listing, text: &'static str| {
            listing.add(&Bytes::from_static(text.as_bytes()), "tools").unwrap()
        };
        assert_eq!(
            add(&mut listing, r#"{"tools":[],"ttlMs":9,"cacheScope":"private","nextCursor":"n"}"#),
            Some("n".into())
        );
        assert_eq!(add(&mut listing, r#"{"tools":[],"ttlMs":10,"cacheScope":"public"}"#), None);
        assert_eq!((listing.ttl_ms, listing.cache_scope.as_deref()), (Some(9), Some("private")));
        assert_eq!(listing.add(&Bytes::from_static(b"{}"), "tools"), Err(ListError::Form));
        assert_eq!(listing.add(&Bytes::from_static(br#"{"tools":[1]}"#), "tools"), Err(ListError::Form));
    }
}
