//! Keys made for the tests, and tokens signed with them, well-formed or not.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey};
use rsa::RsaPrivateKey;
use rsa::pkcs1::EncodeRsaPrivateKey as _;
use rsa::traits::PublicKeyParts as _;
use serde_json::{Value, json};

/// Slow to make, so all tests share it.
static RSA: LazyLock<RsaPrivateKey> = LazyLock::new(|| rsa_key(2048));

/// A key of an issuer, private and published.
pub(super) struct Signer {
    pub(super) jwk: Value,
    id: String,
    algorithm: Algorithm,
    secret: EncodingKey,
}

fn rsa_key(bits: usize) -> RsaPrivateKey {
    RsaPrivateKey::new(&mut rsa::rand_core::OsRng, bits).unwrap()
}

pub(super) fn encode(part: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(part)
}

impl Signer {
    /// The shared RSA key under the name `id`.
    pub(super) fn rsa(id: &str, algorithm: Algorithm) -> Self {
        Self::of_rsa(&RSA, id, algorithm)
    }

    pub(super) fn small_rsa(id: &str) -> Self {
        Self::of_rsa(&rsa_key(1024), id, Algorithm::RS256)
    }

    fn of_rsa(key: &RsaPrivateKey, id: &str, algorithm: Algorithm) -> Self {
        let (n, e) = (encode(key.n().to_bytes_be()), encode(key.e().to_bytes_be()));
        Self {
            jwk: json!({ "kty": "RSA", "kid": id, "n": n, "e": e }),
            id: id.to_owned(),
            algorithm,
            secret: EncodingKey::from_rsa_der(key.to_pkcs1_der().unwrap().as_bytes()),
        }
    }

    /// A new key on the curve of `algorithm`.
    pub(super) fn curve(id: &str, algorithm: Algorithm) -> Self {
        let (kind, curve) = match algorithm {
            Algorithm::ES256 => (&rcgen::PKCS_ECDSA_P256_SHA256, "P-256"),
            Algorithm::ES384 => (&rcgen::PKCS_ECDSA_P384_SHA384, "P-384"),
            Algorithm::EdDSA => (&rcgen::PKCS_ED25519, "Ed25519"),
            _ => panic!("{algorithm:?} has no curve"),
        };
        let pair = rcgen::KeyPair::generate_for(kind).unwrap();
        let (public, private) = (pair.public_key_raw(), pair.serialize_der());
        let (jwk, secret) = if algorithm == Algorithm::EdDSA {
            let jwk = json!({ "kty": "OKP", "crv": curve, "kid": id, "x": encode(public) });
            (jwk, EncodingKey::from_ed_der(&private))
        } else {
            let (x, y) = public[1..].split_at(public.len() / 2);
            let jwk = json!({ "kty": "EC", "crv": curve, "kid": id, "x": encode(x), "y": encode(y) });
            (jwk, EncodingKey::from_ec_der(&private))
        };
        Self { jwk, id: id.to_owned(), algorithm, secret }
    }

    /// The same with `value` as `name` in what is published.
    pub(super) fn published_with(mut self, name: &str, value: Value) -> Self {
        self.jwk[name] = value;
        self
    }

    pub(super) fn header(&self) -> Value {
        json!({ "alg": self.algorithm, "typ": "JWT", "kid": self.id })
    }

    pub(super) fn token(&self, claims: &Value) -> String {
        self.sign(&self.header().to_string(), &claims.to_string())
    }

    /// A token with `changes` in its header; null removes.
    pub(super) fn token_with(&self, changes: &Value, claims: &Value) -> String {
        let mut header = self.header();
        for (name, value) in changes.as_object().unwrap() {
            header.as_object_mut().unwrap().remove(name);
            if !value.is_null() {
                header[name] = value.clone();
            }
        }
        self.sign(&header.to_string(), &claims.to_string())
    }

    /// A token of any two texts, with a signature that holds, unless the key is too weak to sign with.
    pub(super) fn sign(&self, header: &str, payload: &str) -> String {
        let message = format!("{}.{}", encode(header), encode(payload));
        // The library refuses to sign with a weak key; the signature is not what such a token is refused for.
        let signature = jsonwebtoken::crypto::sign(message.as_bytes(), &self.secret, self.algorithm)
            .unwrap_or_else(|_| encode([7; 128]));
        format!("{message}.{signature}")
    }
}

/// A token signed by HMAC with `secret`.
pub(super) fn symmetric(header: &str, claims: &Value, secret: &[u8]) -> String {
    let message = format!("{}.{}", encode(header), encode(claims.to_string()));
    let secret = EncodingKey::from_secret(secret);
    let signature = jsonwebtoken::crypto::sign(message.as_bytes(), &secret, Algorithm::HS256).unwrap();
    format!("{message}.{signature}")
}

/// The forms in which the shared RSA public key could be taken for a secret.
pub(super) fn public_rsa_forms() -> Vec<Vec<u8>> {
    use rsa::pkcs1::EncodeRsaPublicKey as _;
    use rsa::pkcs8::{EncodePublicKey as _, LineEnding};
    let public = RSA.to_public_key();
    vec![
        public.to_public_key_pem(LineEnding::LF).unwrap().into_bytes(),
        public.to_public_key_der().unwrap().as_bytes().to_vec(),
        public.to_pkcs1_pem(LineEnding::LF).unwrap().into_bytes(),
        public.to_pkcs1_der().unwrap().as_bytes().to_vec(),
        RSA.n().to_bytes_be(),
    ]
}
