//! What a client takes as an answer.

use http::HeaderMap;
use http::header::ACCEPT;

/// The forms of answers a client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) struct Accept {
    pub(in crate::server) json: bool,
    pub(in crate::server) events: bool,
}

impl Accept {
    /// Reads the header; without one everything goes. `None` when neither form would be taken.
    pub(in crate::server) fn read(headers: &HeaderMap) -> Option<Self> {
        if !headers.contains_key(ACCEPT) {
            return Some(Self { json: true, events: true });
        }
        let ranges = headers
            .get_all(ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','));
        let mut accept = Self { json: false, events: false };
        for range in ranges {
            match range.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
                "*/*" => accept = Self { json: true, events: true },
                "application/json" | "application/*" => accept.json = true,
                "text/event-stream" | "text/*" => accept.events = true,
                _ => {}
            }
        }
        (accept.json || accept.events).then_some(accept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_says_which_forms_are_taken() {
        let read = |text: &str| {
            let headers: HeaderMap = [(ACCEPT, text.parse().unwrap())].into_iter().collect();
            Accept::read(&headers).map(|accept| (accept.json, accept.events))
        };
        assert_eq!(read("application/json, text/event-stream"), Some((true, true)));
        assert_eq!(read("Text/Event-Stream;q=0.5"), Some((false, true)));
        assert_eq!(read("application/json"), Some((true, false)));
        assert_eq!(read("*/*"), Some((true, true)));
        assert_eq!(read("text/html"), None);
        assert_eq!(Accept::read(&HeaderMap::new()), Some(Accept { json: true, events: true }));
    }
}
