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

    /// Reads the key file again, unless it is being changed here; what cannot be read changes nothing.
    pub async fn reload(&self) {
        let Ok(keyring) = Arc::clone(&self.keyring).try_lock_owned() else { return };
        let read = tokio::task::spawn_blocking(move || {
            let mut keyring = keyring;
            keyring.reload().map(|()| keyring.keys().clone())
        });
        match read.await {
            Ok(Ok(keys)) => self.publish(keys),
            Ok(Err(error)) => tracing::warn!(%error, "the key file was changed and cannot be read"),
            Err(_) => {}
        }
    }

    pub fn publish(&self, keys: Keys) {
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
    }
}
