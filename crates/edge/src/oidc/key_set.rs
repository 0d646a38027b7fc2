//! The keys an issuer publishes, found by what a token says of its key.

use std::sync::Arc;

use jsonwebtoken::Algorithm;
use serde_json::{Map, Value};

use super::key::{Key, Unusable};

/// A published set, as it was at one fetch.
#[derive(Debug, Default)]
pub(super) struct KeySet {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    id: Option<String>,
    key: Result<Arc<Key>, Unusable>,
}

/// What the set says to a token's `kid` and `alg`.
#[derive(Debug)]
pub(super) enum Found {
    /// The keys that may have signed; more than one only if the issuer gave them the same `kid`.
    Keys(Vec<Arc<Key>>),
    /// The key is there, but not for this.
    Unfit,
    /// No `kid`, and more than one key may be meant.
    Ambiguous,
    /// No such key.
    Unknown,
}

impl KeySet {
    /// The set in `document`; `None` if it is not one. A key that cannot be used does not spoil the others.
    pub(super) fn read(document: &Map<String, Value>) -> Option<Self> {
        let mut entries = Vec::new();
        for jwk in document.get("keys")?.as_array()? {
            let jwk = jwk.as_object()?;
            let id = match jwk.get("kid") {
                None => None,
                Some(id) => Some(id.as_str()?.to_owned()),
            };
            let Some(key) = Key::read(jwk) else { continue };
            if let Err(reason) = &key {
                tracing::debug!(kid = id.as_deref(), %reason, "a key of the issuer is not used");
            }
            entries.push(Entry { id, key: key.map(Arc::new) });
        }
        Some(Self { entries })
    }

    /// The keys for a token that says `id` and `algorithm`.
    pub(super) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Found {
        let named = || self.entries.iter().filter(|entry| id.is_none() || entry.id.as_deref() == id);
        let fitting: Vec<Arc<Key>> = named()
            .filter_map(|entry| entry.key.as_ref().ok())
            .filter(|key| key.fits(algorithm))
            .map(Arc::clone)
            .collect();
        match (id, fitting.len()) {
            (Some(_), 0) if named().next().is_some() => Found::Unfit,
            (_, 0) => Found::Unknown,
            (None, 2..) => Found::Ambiguous,
            _ => Found::Keys(fitting),
        }
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use jsonwebtoken::Algorithm;
    use serde_json::{Value, json};

    use super::KeySet;

    fn edwards(id: &Value, more: &Value) -> Value {
        let mut jwk = json!({ "kty": "OKP", "crv": "Ed25519", "x": URL_SAFE_NO_PAD.encode([7; 32]) });
        for (name, value) in [("kid", id), ("use", more)] {
            if !value.is_null() {
                jwk[name] = value.clone();
            }
        }
        jwk
    }

    fn found(keys: &Value, id: Option<&str>, algorithm: Algorithm) -> String {
        let document = json!({ "keys": keys });
        let set = KeySet::read(document.as_object().unwrap()).unwrap();
        let found = format!("{:?}", set.find(id, algorithm));
        found.split('(').next().unwrap().to_owned()
    }

    #[test]
    fn a_key_is_found_by_its_whole_id_and_kind_only() {
        use Algorithm::{EdDSA, RS256};
        let none = Value::Null;
        let two = json!([edwards(&json!("a"), &none), edwards(&json!("b"), &none)]);
        let mixed = json!([edwards(&json!("a"), &none), edwards(&json!("e"), &json!("enc"))]);
        let nameless = json!([edwards(&none, &none)]);
        for (keys, id, algorithm, expected) in [
            (&two, Some("a"), EdDSA, "Keys"),
            (&two, Some("A"), EdDSA, "Unknown"),
            (&two, Some(""), EdDSA, "Unknown"),
            (&two, Some("../../a"), EdDSA, "Unknown"),
            (&two, Some("a' OR '1'='1"), EdDSA, "Unknown"),
            (&two, Some("a\0"), EdDSA, "Unknown"),
            (&two, Some("a"), RS256, "Unfit"),
            (&two, None, EdDSA, "Ambiguous"),
            (&two, None, RS256, "Unknown"),
            (&mixed, None, EdDSA, "Keys"),
            (&mixed, Some("e"), EdDSA, "Unfit"),
            (&nameless, None, EdDSA, "Keys"),
            (&nameless, Some("a"), EdDSA, "Unknown"),
            (&json!([]), None, EdDSA, "Unknown"),
            (&json!([{ "kty": "oct", "kid": "s", "k": "AAAA" }]), Some("s"), EdDSA, "Unknown"),
        ] {
            assert_eq!(found(keys, id, algorithm), expected, "{id:?} {algorithm:?} in {keys}");
        }
    }

    #[test]
    fn what_is_no_set_is_not_read() {
        for document in
            [json!({}), json!({ "keys": {} }), json!({ "keys": [7] }), json!({ "keys": [{ "kid": 7 }] })]
        {
            assert!(KeySet::read(document.as_object().unwrap()).is_none(), "{document}");
        }
    }
}
