//! The keys that seal secrets: kept in a file of their own, outside the database, readable by its owner only.

mod file;

use std::path::{Path, PathBuf};

use model::SecretText;
use zeroize::Zeroizing;

use crate::random;
use crate::seal::{Unopened, decrypt, encrypt};

const CHECK: &[u8] = b"outfitter key check";

/// Why the keys are not to be had.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read or written.
    #[error("key file {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Others may read the file.
    #[error("key file {0} can be read by others (mode {mode:03o})\n  hint: chmod 600 {0}", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The file is not one of ours.
    #[error("key file {}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The keys are wrapped by a passphrase and none was given.
    #[error("key file {} is protected by a passphrase and none was given; name its file with --key-passphrase-file", path.display())]
    PassphraseNeeded {
        /// The file.
        path: PathBuf,
    },
    /// An empty passphrase protects nothing, and no start could give it.
    #[error("a passphrase must not be empty")]
    EmptyPassphrase,
    /// The passphrase does not open the keys.
    #[error("key file {}: wrong passphrase; --key-passphrase-file must hold the one it was made with", path.display())]
    WrongPassphrase {
        /// The file.
        path: PathBuf,
    },
}

/// The key file, opened.
#[derive(Debug)]
pub struct Keyring {
    path: PathBuf,
    passphrase: Option<SecretText>,
    created: bool,
    keys: Keys,
}

impl Keyring {
    /// Reads the key file, or makes one with a new random key; with a passphrase its keys are wrapped by it.
    ///
    /// Deriving a key from a passphrase takes a moment: call it where blocking is fine.
    pub fn load_or_create(path: &Path, passphrase: Option<SecretText>) -> Result<Self, KeyError> {
        refuse_empty(passphrase.as_ref())?;
        if let Some(keys) = file::read(path, passphrase.as_ref())? {
            return Ok(Self { path: path.to_owned(), passphrase, created: false, keys });
        }
        let keys = Keys::generate();
        file::write(path, &keys, passphrase.as_ref())?;
        Ok(Self { path: path.to_owned(), passphrase, created: true, keys })
    }

    /// Where the keys are kept.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Whether the file was missing and has just been made.
    pub(crate) fn was_created(&self) -> bool {
        self.created
    }

    /// Removes a file that was made for nothing, so that the right one can be put in its place.
    pub(crate) fn discard(self) {
        if self.created {
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// Adds a new active key; the old ones stay until nothing is wrapped by them.
    pub(crate) fn add(&mut self, passphrase: Option<SecretText>) -> Result<(), KeyError> {
        refuse_empty(passphrase.as_ref())?;
        let keys = self.keys.with_new();
        let passphrase = passphrase.or_else(|| self.passphrase.clone());
        file::write(&self.path, &keys, passphrase.as_ref())?;
        (self.keys, self.passphrase) = (keys, passphrase);
        Ok(())
    }

    /// Reads the file again, which another replica may have changed.
    pub(crate) fn reload(&mut self) -> Result<(), KeyError> {
        if let Some(keys) = file::read(&self.path, self.passphrase.as_ref())? {
            self.keys = keys;
        }
        Ok(())
    }

    /// Forgets all keys but the active one.
    pub(crate) fn retire(&mut self) -> Result<(), KeyError> {
        let keys = self.keys.only_active();
        file::write(&self.path, &keys, self.passphrase.as_ref())?;
        self.keys = keys;
        Ok(())
    }
}

fn refuse_empty(passphrase: Option<&SecretText>) -> Result<(), KeyError> {
    let empty = passphrase.is_some_and(|passphrase| passphrase.expose().is_empty());
    if empty { Err(KeyError::EmptyPassphrase) } else { Ok(()) }
}

/// One key that wraps data keys.
#[derive(Clone)]
pub(crate) struct WrappingKey {
    pub id: String,
    pub key: Zeroizing<[u8; 32]>,
}

impl WrappingKey {
    fn generate() -> Self {
        let id = random::hex(&random::bytes::<8>());
        Self { id, key: Zeroizing::new(random::bytes()) }
    }
}

impl std::fmt::Debug for WrappingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WrappingKey({})", self.id)
    }
}

/// All keys, the active one first; never empty.
#[derive(Clone, Debug)]
pub(crate) struct Keys(Vec<WrappingKey>);

impl Keys {
    pub fn generate() -> Self {
        Self(vec![WrappingKey::generate()])
    }

    pub fn active(&self) -> &WrappingKey {
        &self.0[0]
    }

    pub fn find(&self, id: &str) -> Option<&WrappingKey> {
        self.0.iter().find(|key| key.id == id)
    }

    /// Whether a rotation has begun and not ended.
    pub fn has_old(&self) -> bool {
        self.0.len() > 1
    }

    pub fn with_new(&self) -> Self {
        let mut keys = vec![WrappingKey::generate()];
        keys.extend(self.0.iter().cloned());
        Self(keys)
    }

    pub fn only_active(&self) -> Self {
        Self(vec![self.active().clone()])
    }

    /// A value that only the active key opens: tells a wrong key file from the right one.
    pub fn check_value(&self) -> Vec<u8> {
        encrypt(&self.active().key, CHECK, self.active().id.as_bytes())
    }

    /// Whether key `id` is here and made the check value.
    pub fn passes(&self, id: &str, check: &[u8]) -> Result<(), Unopened> {
        let key = self.find(id).ok_or(Unopened)?;
        let opened = decrypt(&key.key, check, id.as_bytes())?;
        if opened.as_slice() == CHECK { Ok(()) } else { Err(Unopened) }
    }
}

#[cfg(test)]
mod tests;
