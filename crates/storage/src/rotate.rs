//! Changing the key: the file learns the new one, every secret is wrapped again, the file forgets the old ones.
//!
//! A kill between any two steps is safe: the file always holds every key that a row may need, and the next open
//! wraps what is left.

use model::SecretText;

use crate::engine::{Arg, Session};
use crate::keyring::Keys;
use crate::seal::{self, Place};
use crate::writer::{Job, PUT_SECRETS, sealed};
use crate::{KeyError, Store, Unavailable, record};

const BATCH: i64 = 500;
const OLD_SECRETS: &str = "SELECT r.kind, r.name, r.scope, r.holder, s.resource_id, s.slot, s.version, \
     s.key_id, s.wrapped, s.sealed FROM secrets s JOIN resources r ON r.id = s.resource_id \
     WHERE s.key_id <> $1 AND (s.resource_id, s.slot) > ($2, $3) ORDER BY s.resource_id, s.slot LIMIT $4";

/// What a rotation did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotated {
    /// The key that is active now.
    pub key_id: String,
    /// How many secrets were wrapped again.
    pub rewrapped: u64,
}

/// Why a rotation did not come to its end; every secret that opened before still does.
#[derive(Debug, thiserror::Error)]
pub enum RotateError {
    /// The key file could not be written.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The database could not do it; opening the store again finishes the rotation.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// Some secrets do not open; the old keys are kept for them.
    #[error("{} secrets do not open, so the old key is kept: {}", .0.len(), .0.join(", "))]
    Unopened(Vec<String>),
}

/// The last secret looked at: its resource's id and its slot.
pub(crate) type Cursor = (String, String);

/// What one batch did.
#[derive(Debug, Default)]
pub(crate) struct Rewrapped {
    pub count: u64,
    /// The secrets that do not open.
    pub unopened: Vec<String>,
    /// Where to go on; none at the end.
    pub next: Option<Cursor>,
}

/// Wraps the next secrets with the active key, within the current transaction.
pub(crate) async fn rewrap(
    session: &mut Session,
    keys: &Keys,
    after: Cursor,
) -> Result<Rewrapped, Unavailable> {
    let active = &keys.active().id;
    if after == Cursor::default() {
        // First of all, so that no replica seals with the old key what this rotation has passed already.
        let check = vec![active.as_str().into(), keys.check_value().into()];
        session.run("UPDATE meta SET key_id = $1, key_check = $2 WHERE id = 1", check).await?;
    }
    let args = vec![active.as_str().into(), after.0.into(), after.1.into(), BATCH.into()];
    let rows = session.rows(OLD_SECRETS, args).await?;
    let mut done = Rewrapped::default();
    let mut args: Vec<Arg> = Vec::new();
    for row in &rows {
        let (key, id, slot) = (record::key(row, 0)?, row.text(4)?, row.text(5)?);
        let place = Place { key: &key, resource_id: &id, slot: &slot };
        match seal::rewrap(keys, place, sealed(row, 6)?) {
            Ok(new) => {
                args.extend([id.as_str().into(), slot.as_str().into(), new.version.into()]);
                args.extend([new.key_id.into(), new.wrapped.into(), new.value.into()]);
                done.count += 1;
            }
            Err(_) => done.unopened.push(format!("{slot} of {key}")),
        }
        done.next = Some((id, slot));
    }
    PUT_SECRETS.run(session, args).await?;
    if rows.is_empty() {
        done.next = None;
    }
    Ok(done)
}

/// Finishes what a killed rotation left, before anybody else uses the store; whether the old keys can go.
pub(crate) async fn finish(session: &mut Session, keys: &Keys) -> Result<bool, Unavailable> {
    let mut after = Cursor::default();
    let mut all_opened = true;
    loop {
        session.begin_write().await?;
        let done = rewrap(session, keys, after).await?;
        session.commit().await?;
        for secret in &done.unopened {
            all_opened = false;
            tracing::error!(%secret, "a secret does not open; the old keys are kept");
        }
        match done.next {
            Some(next) => after = next,
            None => return Ok(all_opened),
        }
    }
}

impl Store {
    /// Makes a new key, wraps every secret with it, and forgets the old ones. A passphrase replaces the one that
    /// protects the key file; without one the file stays protected as it is.
    ///
    /// Replicas that share the key file read it again when they find the key changed; others refuse to seal anything
    /// until they are given it.
    pub async fn rotate_key(&self, new_passphrase: Option<SecretText>) -> Result<Rotated, RotateError> {
        let keyring = std::sync::Arc::clone(&self.inner.vault.keyring).lock_owned().await;
        let keyring = blocking(keyring, move |keyring| keyring.add(new_passphrase)).await?;
        self.inner.vault.publish(keyring.keys().clone());
        let (mut rewrapped, mut unopened, mut after) = (0, Vec::new(), Some(Cursor::default()));
        while let Some(cursor) = after {
            let done = self.ask(|answer| Job::Rewrap(cursor, answer)).await??;
            rewrapped += done.count;
            unopened.extend(done.unopened);
            after = done.next;
        }
        if !unopened.is_empty() {
            return Err(RotateError::Unopened(unopened));
        }
        let keyring = blocking(keyring, crate::Keyring::retire).await?;
        self.inner.vault.publish(keyring.keys().clone());
        Ok(Rotated { key_id: keyring.keys().active().id.clone(), rewrapped })
    }
}

type Held = tokio::sync::OwnedMutexGuard<crate::Keyring>;

/// Changes the key file where waiting for a disk or a key derivation holds up nobody.
async fn blocking(
    mut keyring: Held,
    change: impl FnOnce(&mut crate::Keyring) -> Result<(), KeyError> + Send + 'static,
) -> Result<Held, RotateError> {
    let changed = tokio::task::spawn_blocking(move || change(&mut keyring).map(|()| keyring)).await;
    Ok(changed.map_err(|_| Unavailable::closed())??)
}
