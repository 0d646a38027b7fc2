//! Sealed values: each has a random data key, which is wrapped by a key of the keyring.
//!
//! Both layers are bound to the place where the value is stored. A row that was moved, replayed at another
//! version or altered does not open, and what does not open is an error, never an empty value.

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305};
use model::{Key, SecretText};
use zeroize::Zeroizing;

use crate::keyring::Keys;
use crate::random;

const FORMAT: &str = "outfitter-secret-1";
const NONCE: usize = 24;

/// A sealed value, as its row holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sealed {
    pub version: i64,
    pub key_id: String,
    pub wrapped: Vec<u8>,
    pub value: Vec<u8>,
}

/// Where a value is stored.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub key: &'a Key,
    pub resource_id: &'a str,
    pub slot: &'a str,
}

/// It does not open: altered, moved, or sealed with a key that is not in the keyring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unopened;

impl Place<'_> {
    /// Every part with its length before it, so that no two places have the same bytes.
    fn context(&self, version: i64, layer: &str, key_id: &str) -> Vec<u8> {
        let version = version.to_string();
        let parts = [
            FORMAT,
            layer,
            self.key.kind.as_str(),
            self.key.scope.name().as_str(),
            self.key.scope.holder(),
            self.key.name.as_str(),
            self.resource_id,
            self.slot,
            &version,
            key_id,
        ];
        let mut context = Vec::with_capacity(256);
        for part in parts {
            context.extend_from_slice(&(part.len() as u64).to_be_bytes());
            context.extend_from_slice(part.as_bytes());
        }
        context
    }
}

/// Seals a value for its place under the active key.
pub(crate) fn seal(keys: &Keys, place: Place<'_>, version: i64, value: &SecretText) -> Sealed {
    let data_key = Zeroizing::new(random::bytes::<32>());
    let sealed = encrypt(&data_key, value.expose().as_bytes(), &place.context(version, "value", ""));
    let active = keys.active();
    let wrapped = encrypt(&active.key, &*data_key, &place.context(version, "key", &active.id));
    Sealed { version, key_id: active.id.clone(), wrapped, value: sealed }
}

/// Opens what was sealed for this place.
pub(crate) fn open(keys: &Keys, place: Place<'_>, row: &Sealed) -> Result<SecretText, Unopened> {
    let data_key = unwrap(keys, place, row)?;
    let value = decrypt(&data_key, &row.value, &place.context(row.version, "value", ""))?;
    let text = std::str::from_utf8(&value).map_err(|_| Unopened)?;
    Ok(SecretText::new(text.to_owned()))
}

/// The same value with its data key wrapped by the active key.
pub(crate) fn rewrap(keys: &Keys, place: Place<'_>, row: Sealed) -> Result<Sealed, Unopened> {
    let data_key = unwrap(keys, place, &row)?;
    let active = keys.active();
    let wrapped = encrypt(&active.key, &*data_key, &place.context(row.version, "key", &active.id));
    Ok(Sealed { key_id: active.id.clone(), wrapped, ..row })
}

fn unwrap(keys: &Keys, place: Place<'_>, row: &Sealed) -> Result<Zeroizing<[u8; 32]>, Unopened> {
    let key = keys.find(&row.key_id).ok_or(Unopened)?;
    let bytes = decrypt(&key.key, &row.wrapped, &place.context(row.version, "key", &row.key_id))?;
    let mut data_key = Zeroizing::new([0; 32]);
    if bytes.len() != data_key.len() {
        return Err(Unopened);
    }
    data_key.copy_from_slice(&bytes);
    Ok(data_key)
}

/// A random nonce, then the ciphertext.
pub(crate) fn encrypt(key: &[u8; 32], message: &[u8], context: &[u8]) -> Vec<u8> {
    let nonce = random::bytes::<NONCE>();
    let cipher = XChaCha20Poly1305::new(&(*key).into());
    let sealed = cipher
        .encrypt(&nonce.into(), Payload { msg: message, aad: context })
        .expect("messages are far below the cipher's limit");
    [nonce.as_slice(), &sealed].concat()
}

/// Undoes `encrypt`, if nothing was altered.
pub(crate) fn decrypt(key: &[u8; 32], sealed: &[u8], context: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unopened> {
    let (nonce, message) = sealed.split_at_checked(NONCE).ok_or(Unopened)?;
    let nonce: [u8; NONCE] = nonce.try_into().map_err(|_| Unopened)?;
    XChaCha20Poly1305::new(&(*key).into())
        .decrypt(&nonce.into(), Payload { msg: message, aad: context })
        .map(Zeroizing::new)
        .map_err(|_| Unopened)
}

#[cfg(test)]
mod tests {
    use model::{Key, Kind, Scope, SecretText};

    use super::{Place, Sealed, Unopened, open, rewrap, seal};
    use crate::keyring::Keys;

    fn key(name: &str) -> Key {
        Key { kind: Kind::Environment, name: name.parse().unwrap(), scope: Scope::Platform }
    }

    #[test]
    fn a_value_opens_only_where_it_was_sealed_and_unaltered() {
        let keys = Keys::generate();
        let (here, there) = (key("here"), key("there"));
        let place = Place { key: &here, resource_id: "env-1", slot: "TOKEN" };
        let sealed = seal(&keys, place, 3, &SecretText::new("hunter2".to_owned()));
        assert_eq!(open(&keys, place, &sealed).unwrap().expose(), "hunter2");

        for elsewhere in [
            Place { key: &there, ..place },
            Place { resource_id: "env-2", ..place },
            Place { slot: "OTHER", ..place },
        ] {
            assert_eq!(open(&keys, elsewhere, &sealed), Err(Unopened));
        }
        assert_eq!(open(&keys, place, &Sealed { version: 4, ..sealed.clone() }), Err(Unopened));
        assert_eq!(open(&Keys::generate(), place, &sealed), Err(Unopened));
        for index in 0..sealed.value.len() {
            let mut altered = sealed.clone();
            altered.value[index] ^= 1;
            assert_eq!(open(&keys, place, &altered), Err(Unopened), "byte {index} of the value");
        }
        for index in 0..sealed.wrapped.len() {
            let mut altered = sealed.clone();
            altered.wrapped[index] ^= 1;
            assert_eq!(open(&keys, place, &altered), Err(Unopened), "byte {index} of the key");
        }
        assert_eq!(open(&keys, place, &Sealed { value: vec![], ..sealed }), Err(Unopened));
    }

    #[test]
    fn neighbouring_parts_do_not_run_into_each_other() {
        let keys = Keys::generate();
        let here = key("here");
        let place = Place { key: &here, resource_id: "ab", slot: "c" };
        let sealed = seal(&keys, place, 1, &SecretText::new("x".to_owned()));
        assert_eq!(open(&keys, Place { resource_id: "a", slot: "bc", ..place }, &sealed), Err(Unopened));
    }

    #[test]
    fn a_rewrapped_value_needs_only_the_new_key() {
        let old = Keys::generate();
        let both = old.with_new();
        let here = key("here");
        let place = Place { key: &here, resource_id: "env-1", slot: "TOKEN" };
        let sealed = seal(&old, place, 1, &SecretText::new("hunter2".to_owned()));
        let rewrapped = rewrap(&both, place, sealed).unwrap();
        let new = both.only_active();
        assert_eq!(open(&new, place, &rewrapped).unwrap().expose(), "hunter2");
        assert_eq!(open(&old, place, &rewrapped), Err(Unopened));
    }
}
