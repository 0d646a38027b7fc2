//! Where credentials are kept between sign-ins; one store holds the credentials of one user at one server.

use std::sync::{Mutex, PoisonError};

use crate::question::Boxed;

use super::credentials::Credentials;

/// Why a store did not do its work; names no secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StoreError(pub String);

/// Keeps credentials. Whoever implements it decides what they are kept under, and seals them.
pub trait Store: Send + Sync + 'static {
    /// The credentials saved last.
    fn load(&self) -> Boxed<'_, Result<Option<Credentials>, StoreError>>;

    /// Replaces the credentials.
    fn save(&self, credentials: Credentials) -> Boxed<'_, Result<(), StoreError>>;

    /// Forgets the credentials.
    fn clear(&self) -> Boxed<'_, Result<(), StoreError>>;
}

/// A store that forgets everything with the process.
#[derive(Debug, Default)]
pub struct Memory(Mutex<Option<Credentials>>);

impl Memory {
    fn replace(&self, credentials: Option<Credentials>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = credentials;
    }
}

impl Store for Memory {
    fn load(&self) -> Boxed<'_, Result<Option<Credentials>, StoreError>> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Box::pin(async move { Ok(found) })
    }

    fn save(&self, credentials: Credentials) -> Boxed<'_, Result<(), StoreError>> {
        self.replace(Some(credentials));
        Box::pin(async { Ok(()) })
    }

    fn clear(&self) -> Boxed<'_, Result<(), StoreError>> {
        self.replace(None);
        Box::pin(async { Ok(()) })
    }
}
