//! Which era a peer spoke last time; a hint that saves a question, never a verdict.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::version::Era;

/// How many peers are remembered.
pub const MAX_PEERS: usize = 4096;

/// Remembers the era of peers by origin or other key.
#[derive(Debug, Default)]
pub struct EraCache(Mutex<HashMap<String, Era>>);

impl EraCache {
    /// What this peer spoke last.
    pub fn get(&self, peer: &str) -> Option<Era> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(peer).copied()
    }

    /// Remembers what this peer speaks; when there are too many peers, another one is forgotten.
    pub fn put(&self, peer: &str, era: Era) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_PEERS && !known.contains_key(peer) {
            let other = known.keys().next().cloned();
            other.and_then(|other| known.remove(&other));
        }
        known.insert(peer.to_owned(), era);
    }

    /// Forgets a peer.
    pub fn forget(&self, peer: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(peer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_bounded() {
        let cache = EraCache::default();
        for peer in 0..5000 {
            cache.put(&peer.to_string(), Era::Modern);
        }
        assert_eq!(cache.0.lock().unwrap().len(), 4096);
        assert_eq!(cache.get("4999"), Some(Era::Modern));
        cache.forget("4999");
        assert_eq!(cache.get("4999"), None);
    }
}
