//! One public key of the issuer, and what it may verify.
//!
//! A key that was read has the size its kind demands, and verifies only algorithms of its own kind.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::{Map, Value};

use super::token::{self, Token};

const MIN_RSA_BITS: usize = 2048;
/// What the RSA implementation accepts at most.
const MAX_RSA_BITS: usize = 4096;

/// Why a published key is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unusable {
    #[error("it is not for verifying signatures")]
    Purpose,
    #[error("it is for an algorithm that is not accepted")]
    Algorithm,
    #[error("its curve is not accepted")]
    Curve,
    #[error("its modulus is not of 2048 to 4096 bits")]
    Size,
    #[error("its parameters cannot be read")]
    Unreadable,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Rsa,
    P256,
    P384,
    Ed25519,
}

/// A key that verifies signatures.
#[derive(Debug)]
pub(super) struct Key {
    kind: Kind,
    only: Option<Algorithm>,
    material: DecodingKey,
}

impl Key {
    /// The key in `jwk`; `None` if it is symmetric or of a kind we know nothing of.
    pub(super) fn read(jwk: &Map<String, Value>) -> Option<Result<Self, Unusable>> {
        let read = match jwk.get("kty").and_then(Value::as_str)? {
            "RSA" => rsa,
            "EC" => elliptic,
            "OKP" => edwards,
            _ => return None,
        };
        Some(purpose(jwk).and_then(|only| {
            let (kind, material) = read(jwk)?;
            let key = Self { kind, only, material };
            if only.is_none_or(|algorithm| key.fits(algorithm)) { Ok(key) } else { Err(Unusable::Algorithm) }
        }))
    }

    /// Whether signatures by `algorithm` are this key's to verify.
    pub(super) fn fits(&self, algorithm: Algorithm) -> bool {
        use Algorithm::{ES256, ES384, EdDSA, PS256, PS384, PS512, RS256, RS384, RS512};
        let of_kind = match self.kind {
            Kind::Rsa => matches!(algorithm, RS256 | RS384 | RS512 | PS256 | PS384 | PS512),
            Kind::P256 => algorithm == ES256,
            Kind::P384 => algorithm == ES384,
            Kind::Ed25519 => algorithm == EdDSA,
        };
        of_kind && self.only.is_none_or(|only| only == algorithm)
    }

    /// Whether this key's owner signed `token`.
    pub(super) fn signed(&self, token: &Token<'_>) -> bool {
        let Token { algorithm, message, signature, .. } = token;
        self.fits(*algorithm)
            && jsonwebtoken::crypto::verify(signature, message.as_bytes(), &self.material, *algorithm)
                .unwrap_or(false)
    }
}

/// The one algorithm the key is for, if it names one.
fn purpose(jwk: &Map<String, Value>) -> Result<Option<Algorithm>, Unusable> {
    match jwk.get("use") {
        None => {}
        Some(Value::String(purpose)) if purpose == "sig" => {}
        Some(_) => return Err(Unusable::Purpose),
    }
    match jwk.get("key_ops") {
        None => {}
        Some(Value::Array(operations)) if operations.iter().any(|operation| operation == "verify") => {}
        Some(_) => return Err(Unusable::Purpose),
    }
    match jwk.get("alg") {
        None => Ok(None),
        Some(Value::String(name)) => token::algorithm(name).map(Some).ok_or(Unusable::Algorithm),
        Some(_) => Err(Unusable::Algorithm),
    }
}

fn rsa(jwk: &Map<String, Value>) -> Result<(Kind, DecodingKey), Unusable> {
    let modulus = number(jwk, "n")?;
    let exponent = number(jwk, "e")?;
    let (Some(first), Some(last)) = (modulus.first(), exponent.last()) else {
        return Err(Unusable::Unreadable);
    };
    let bits = modulus.len() * 8 - first.leading_zeros() as usize;
    if !(MIN_RSA_BITS..=MAX_RSA_BITS).contains(&bits) {
        return Err(Unusable::Size);
    }
    // An exponent of one makes every message its own signature.
    if exponent == [1] || last % 2 == 0 {
        return Err(Unusable::Unreadable);
    }
    Ok((Kind::Rsa, DecodingKey::from_rsa_raw_components(&modulus, &exponent)))
}

fn elliptic(jwk: &Map<String, Value>) -> Result<(Kind, DecodingKey), Unusable> {
    let (kind, length) = match jwk.get("crv").and_then(Value::as_str) {
        Some("P-256") => (Kind::P256, 32),
        Some("P-384") => (Kind::P384, 48),
        _ => return Err(Unusable::Curve),
    };
    let (x, y) = (bytes(jwk, "x")?, bytes(jwk, "y")?);
    if x.len() != length || y.len() != length {
        return Err(Unusable::Unreadable);
    }
    let point = [&[0x04], x.as_slice(), y.as_slice()].concat();
    Ok((kind, DecodingKey::from_ec_der(&point)))
}

fn edwards(jwk: &Map<String, Value>) -> Result<(Kind, DecodingKey), Unusable> {
    if jwk.get("crv").and_then(Value::as_str) != Some("Ed25519") {
        return Err(Unusable::Curve);
    }
    let x = bytes(jwk, "x")?;
    // The library slices without looking.
    if x.len() != 32 {
        return Err(Unusable::Unreadable);
    }
    Ok((Kind::Ed25519, DecodingKey::from_ed_der(&x)))
}

fn bytes(jwk: &Map<String, Value>, name: &str) -> Result<Vec<u8>, Unusable> {
    let text = jwk.get(name).and_then(Value::as_str).ok_or(Unusable::Unreadable)?;
    URL_SAFE_NO_PAD.decode(text).map_err(|_| Unusable::Unreadable)
}

/// A big-endian number without leading zeros, which some issuers write.
fn number(jwk: &Map<String, Value>, name: &str) -> Result<Vec<u8>, Unusable> {
    Ok(bytes(jwk, name)?.into_iter().skip_while(|byte| *byte == 0).collect())
}

#[cfg(test)]
mod tests;
