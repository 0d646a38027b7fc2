//! The keys in use: one snapshot for whoever seals or opens, one owner for whoever changes them.

use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::Mutex;

use crate::Keyring;
use crate::keyring::Keys;

/// Holds the keyring of a store.
pub(crate) struct Vault {
    keys: RwLock<Arc<Keys>>,
    /// Locked for the length of a rotation.
    pub keyring: Arc<Mutex<Keyring>>,
}

impl Vault {
    pub fn new(keyring: Keyring) -> Self {
        let keys = RwLock::new(Arc::new(keyring.keys().clone()));
        Self { keys, keyring: Arc::new(Mutex::new(keyring)) }
    }

    pub fn keys(&self) -> Arc<Keys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn publish(&self, keys: Keys) {
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
    }
}
