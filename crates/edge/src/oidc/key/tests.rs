//! Published keys, and which of them may verify what.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::Algorithm;
use serde_json::{Value, json};

use super::{Key, Unusable};

fn number(bits: usize) -> String {
    let mut bytes = vec![0xff; bits.div_ceil(8)];
    bytes[0] >>= bytes.len() * 8 - bits;
    URL_SAFE_NO_PAD.encode(bytes)
}

fn point(bytes: usize) -> String {
    URL_SAFE_NO_PAD.encode(vec![7; bytes])
}

fn read(jwk: &Value) -> Option<Result<Key, Unusable>> {
    Key::read(jwk.as_object().unwrap())
}

fn with(base: &Value, name: &str, value: Value) -> Value {
    let mut jwk = base.clone();
    jwk[name] = value;
    jwk
}

#[test]
fn a_key_verifies_only_the_algorithms_of_its_kind() {
    use Algorithm::{ES256, ES384, EdDSA, HS256, PS256, PS384, PS512, RS256, RS384, RS512};
    let all = [RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, EdDSA, HS256];
    let rsa = json!({ "kty": "RSA", "n": number(2048), "e": "AQAB" });
    for (jwk, fitting) in [
        (rsa.clone(), &[RS256, RS384, RS512, PS256, PS384, PS512][..]),
        (with(&rsa, "alg", json!("PS384")), &[PS384]),
        (with(&rsa, "use", json!("sig")), &[RS256, RS384, RS512, PS256, PS384, PS512]),
        (json!({ "kty": "EC", "crv": "P-256", "x": point(32), "y": point(32) }), &[ES256]),
        (json!({ "kty": "EC", "crv": "P-384", "x": point(48), "y": point(48) }), &[ES384]),
        (json!({ "kty": "OKP", "crv": "Ed25519", "x": point(32) }), &[EdDSA]),
    ] {
        let key = read(&jwk).unwrap().unwrap();
        let fit: Vec<Algorithm> = all.into_iter().filter(|algorithm| key.fits(*algorithm)).collect();
        assert_eq!(fit, fitting, "{jwk}");
    }
}

#[test]
fn symmetric_and_strange_keys_are_passed_over() {
    for jwk in [json!({ "kty": "oct", "k": "AAAA" }), json!({ "kty": "AKP" }), json!({}), json!({ "kty": 7 })]
    {
        assert!(read(&jwk).is_none(), "{jwk}");
    }
}

#[test]
fn weak_foreign_and_broken_keys_are_unusable() {
    use Unusable::{Algorithm, Curve, Purpose, Size, Unreadable};
    let rsa = json!({ "kty": "RSA", "n": number(2048), "e": "AQAB" });
    let elliptic = json!({ "kty": "EC", "crv": "P-256", "x": point(32), "y": point(32) });
    let edwards = json!({ "kty": "OKP", "crv": "Ed25519", "x": point(32) });
    for (jwk, expected) in [
        (with(&rsa, "use", json!("enc")), Purpose),
        (with(&rsa, "use", json!(null)), Purpose),
        (with(&rsa, "key_ops", json!(["encrypt"])), Purpose),
        (with(&rsa, "alg", json!("RSA-OAEP")), Algorithm),
        (with(&rsa, "alg", json!("HS256")), Algorithm),
        (with(&rsa, "alg", json!("ES256")), Algorithm),
        (with(&elliptic, "alg", json!("ES384")), Algorithm),
        (with(&rsa, "n", json!(number(1024))), Size),
        (with(&rsa, "n", json!(number(2047))), Size),
        (with(&rsa, "n", json!(format!("AAAA{}", number(1032)))), Size),
        (with(&rsa, "n", json!(number(4097))), Size),
        (with(&rsa, "n", json!("")), Unreadable),
        (with(&rsa, "n", json!("not base64!")), Unreadable),
        (with(&rsa, "e", json!("AQ")), Unreadable),
        (with(&rsa, "e", json!("AAAB")), Unreadable),
        (with(&rsa, "e", json!("Ag")), Unreadable),
        (with(&rsa, "e", json!("")), Unreadable),
        (with(&elliptic, "crv", json!("P-521")), Curve),
        (with(&elliptic, "crv", json!("P-384")), Unreadable),
        (with(&elliptic, "y", json!(point(31))), Unreadable),
        (with(&edwards, "crv", json!("X25519")), Curve),
        (with(&edwards, "x", json!(point(31))), Unreadable),
        (with(&edwards, "x", json!(point(33))), Unreadable),
        (with(&edwards, "x", json!("")), Unreadable),
    ] {
        assert_eq!(read(&jwk).unwrap().err(), Some(expected), "{jwk}");
    }
    for bits in [2048, 3072, 4096] {
        assert!(read(&with(&rsa, "n", json!(number(bits)))).unwrap().is_ok(), "{bits}");
    }
}
