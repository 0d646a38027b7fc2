//! Which tokens are accepted: the issuer's own, for us, now, and no forgery.

use edge::oidc::Claims;
use jsonwebtoken::Algorithm;
use serde_json::{Value, json};

use super::issuer::{Answer, Issuer};
use super::signer::{Signer, encode, public_rsa_forms, symmetric};
use super::{START, Time, claims, options, outcome, token, verifier};

fn changed(claims: &Value, name: &str, value: Value) -> Value {
    let mut claims = claims.clone();
    claims.as_object_mut().unwrap().remove(name);
    if !value.is_null() {
        claims[name] = value;
    }
    claims
}

#[tokio::test]
async fn each_accepted_algorithm_verifies() {
    use Algorithm::{ES256, ES384, EdDSA, PS256, PS384, PS512, RS256, RS384, RS512};
    let rsa = [RS256, RS384, RS512, PS256, PS384, PS512].map(|algorithm| Signer::rsa("rsa", algorithm));
    let curves = [("a", ES256), ("b", ES384), ("c", EdDSA)].map(|(id, alg)| Signer::curve(id, alg));
    let issuer = Issuer::start(&[&rsa[0], &curves[0], &curves[1], &curves[2]]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    for signer in rsa.iter().chain(&curves) {
        let accepted = verifier.verify(&token(signer, &issuer, &time)).await;
        let expected = Claims {
            subject: "person-1".to_owned(),
            account: "person-1".to_owned(),
            expires_at: START + 3600,
        };
        assert_eq!(accepted, Ok(expected), "{}", signer.header());
    }
    assert_eq!(issuer.key_requests(), 1);
}

#[tokio::test]
async fn the_account_comes_from_the_claim_that_was_chosen() {
    let signer = Signer::curve("a", Algorithm::ES256);
    let issuer = Issuer::start(&[&signer]).await;
    let time = Time::new();
    let mut options = options(&issuer);
    options.account_claim = "email".to_owned();
    let verifier = edge::oidc::Verifier::new(options, std::sync::Arc::new(|| START));
    let claims = changed(&claims(&issuer, &time), "email", json!("a@b.example"));
    assert_eq!(verifier.verify(&signer.token(&claims)).await.unwrap().account, "a@b.example");
    let claims = changed(&claims, "email", json!(["a@b.example"]));
    assert_eq!(outcome(&verifier, &signer.token(&claims)).await, "claim_kind");
}

#[tokio::test]
async fn a_token_without_algorithm_is_refused_however_it_is_written() {
    let signer = Signer::rsa("a", Algorithm::RS256);
    let issuer = Issuer::start(&[&signer]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    let claims = claims(&issuer, &time);
    for name in ["none", "None", "NONE", "nOnE", ""] {
        let header = json!({ "alg": name, "typ": "JWT", "kid": "a" }).to_string();
        let unsigned = format!("{}.{}.", encode(&header), encode(claims.to_string()));
        assert_eq!(outcome(&verifier, &unsigned).await, "algorithm_refused", "{name}");
        let with_signature = signer.sign(&header, &claims.to_string());
        assert_eq!(outcome(&verifier, &with_signature).await, "algorithm_refused", "{name}");
    }
    let stripped = token(&signer, &issuer, &time);
    let stripped = &stripped[..=stripped.rfind('.').unwrap()];
    assert_eq!(outcome(&verifier, stripped).await, "signature_invalid");
}

#[tokio::test]
async fn the_public_key_is_no_shared_secret() {
    let signer = Signer::rsa("a", Algorithm::RS256);
    let oct = json!({ "kty": "oct", "kid": "shared", "k": encode(b"a secret in the open"), "alg": "HS256" });
    let issuer = Issuer::start(&[]).await;
    issuer.answer_keys(Answer::json(&json!({ "keys": [signer.jwk, oct] })));
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    let claims = claims(&issuer, &time);
    for secret in public_rsa_forms() {
        for algorithm in ["HS256", "HS384", "HS512"] {
            let header = json!({ "alg": algorithm, "kid": "a" }).to_string();
            let forged = symmetric(&header, &claims, &secret);
            assert_eq!(outcome(&verifier, &forged).await, "algorithm_refused");
        }
        let disguised = symmetric(r#"{"alg":"RS256","kid":"a"}"#, &claims, &secret);
        assert_eq!(outcome(&verifier, &disguised).await, "signature_invalid");
    }
    let secret = b"a secret in the open";
    let shared = symmetric(r#"{"alg":"HS256","kid":"shared"}"#, &claims, secret);
    assert_eq!(outcome(&verifier, &shared).await, "algorithm_refused");
    let shared = symmetric(r#"{"alg":"RS256","kid":"shared"}"#, &claims, secret);
    assert_eq!(outcome(&verifier, &shared).await, "key_unknown");
}

#[tokio::test]
async fn claims_must_be_ours_and_hold_now() {
    let signer = Signer::curve("a", Algorithm::ES256);
    let issuer = Issuer::start(&[&signer]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    let base = claims(&issuer, &time);
    for (name, value, expected) in [
        ("aud", json!(["someone", "outfitter"]), "accepted"),
        ("aud", json!("someone"), "audience_mismatch"),
        ("aud", json!(["someone"]), "audience_mismatch"),
        ("aud", Value::Null, "audience_missing"),
        ("iss", json!(format!("{}/", issuer.url)), "issuer_mismatch"),
        ("iss", json!("https://issuer.example"), "issuer_mismatch"),
        ("iss", Value::Null, "issuer_missing"),
        ("exp", Value::Null, "expiry_missing"),
        ("exp", json!(START - 3600), "expired"),
        ("nbf", json!(START + 3600), "not_yet_valid"),
        ("iat", json!(START + 3600), "issued_in_future"),
        ("sub", Value::Null, "subject_missing"),
    ] {
        let token = signer.token(&changed(&base, name, value.clone()));
        assert_eq!(outcome(&verifier, &token).await, expected, "{name} {value}");
    }
}

#[tokio::test]
async fn a_token_ends_a_minute_after_it_expires_and_begins_a_minute_early() {
    let signer = Signer::curve("a", Algorithm::ES256);
    let issuer = Issuer::start(&[&signer]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    let base = claims(&issuer, &time);
    let ending = signer.token(&changed(&base, "exp", json!(START + 100)));
    let beginning = signer.token(&changed(&base, "nbf", json!(START + 100)));
    for (pass, of_ending, of_beginning) in [
        (39, "accepted", "not_yet_valid"),
        (1, "accepted", "accepted"),
        (60 + 59, "accepted", "accepted"),
        (1, "expired", "accepted"),
    ] {
        time.pass(pass);
        assert_eq!(outcome(&verifier, &ending).await, of_ending, "{}", time.now());
        assert_eq!(outcome(&verifier, &beginning).await, of_beginning, "{}", time.now());
    }
}

#[tokio::test]
async fn a_key_id_is_only_compared() {
    let signer = Signer::rsa("a", Algorithm::RS256);
    let issuer = Issuer::start(&[&signer]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    let claims = claims(&issuer, &time);
    let traversal = format!("{}/etc/hostname", "../".repeat(12));
    let huge = "k".repeat(8 * 1024);
    for id in [
        "../../../../dev/null",
        &traversal,
        "/dev/null",
        "keys/a",
        "' UNION SELECT 'a",
        "a' OR '1'='1' --",
        "a\0",
        "A",
        "",
        "http://127.0.0.1:1/",
        "$(id)",
        &huge,
    ] {
        let token = signer.token_with(&json!({ "kid": id }), &claims);
        assert_eq!(outcome(&verifier, &token).await, "key_unknown", "{id}");
    }
    assert_eq!(
        outcome(&verifier, &signer.token_with(&json!({ "kid": ["a"] }), &claims)).await,
        "token_malformed"
    );
    assert_eq!(outcome(&verifier, &signer.token(&claims)).await, "accepted");
}

#[tokio::test]
async fn a_key_the_token_brings_is_refused_and_never_fetched() {
    let genuine = Signer::rsa("a", Algorithm::RS256);
    let forger = Signer::curve("a", Algorithm::ES256);
    let issuer = Issuer::start(&[&genuine]).await;
    let elsewhere = Issuer::start(&[&forger]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    let claims = claims(&issuer, &time);
    let keys = format!("{}/keys?set=1", elsewhere.url);
    let document = format!("{}/.well-known/openid-configuration", elsewhere.url);
    for (changes, expected) in [
        (json!({ "jku": keys }), "key_in_header"),
        (json!({ "jku": document }), "key_in_header"),
        (json!({ "jku": keys, "kid": null }), "key_in_header"),
        (json!({ "x5u": keys }), "key_in_header"),
        (json!({ "jwk": forger.jwk }), "key_in_header"),
        (json!({ "x5c": ["MIIB"] }), "key_in_header"),
        (json!({ "kid": keys }), "key_unknown"),
        (json!({}), "key_unfit"),
        (json!({ "crit": ["exp"] }), "critical_header"),
        (json!({ "crit": ["b64"], "b64": false }), "critical_header"),
        (json!({ "typ": "secevent+jwt" }), "type_refused"),
    ] {
        let token = forger.token_with(&changes, &claims);
        assert_eq!(outcome(&verifier, &token).await, expected, "{changes}");
    }
    // The issuer's own signature does not make them welcome either.
    let token = genuine.token_with(&json!({ "jku": keys }), &claims);
    assert_eq!(outcome(&verifier, &token).await, "key_in_header");
    assert_eq!(
        outcome(&verifier, &genuine.token_with(&json!({ "typ": "at+jwt" }), &claims)).await,
        "accepted"
    );
    assert_eq!(outcome(&verifier, &genuine.token_with(&json!({ "typ": null }), &claims)).await, "accepted");
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn a_signature_holds_for_its_own_text_key_and_algorithm_only() {
    let signer = Signer::rsa("a", Algorithm::RS256);
    let forger = Signer::curve("b", Algorithm::ES256);
    let curve = Signer::curve("b", Algorithm::ES256);
    let issuer = Issuer::start(&[&signer, &curve]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    let claims = claims(&issuer, &time);
    let token = signer.token(&claims);
    let (message, signature) = token.rsplit_once('.').unwrap();
    let (header, _) = message.split_once('.').unwrap();
    let raised = encode(changed(&claims, "sub", json!("operator")).to_string());
    assert_eq!(outcome(&verifier, &format!("{header}.{raised}.{signature}")).await, "signature_invalid");
    assert_eq!(outcome(&verifier, &forger.token(&claims)).await, "signature_invalid");
    for (signer, algorithm, expected) in [
        (&signer, "RS384", "signature_invalid"),
        (&signer, "PS256", "signature_invalid"),
        (&signer, "ES256", "key_unfit"),
        (&signer, "EdDSA", "key_unfit"),
        (&curve, "ES384", "key_unfit"),
        (&curve, "RS256", "key_unfit"),
    ] {
        let token = signer.token_with(&json!({ "alg": algorithm }), &claims);
        assert_eq!(outcome(&verifier, &token).await, expected, "{algorithm}");
    }
    for broken in ["", "AA", "A", "not base64", "A=="] {
        assert_eq!(outcome(&verifier, &format!("{message}.{broken}")).await, "signature_invalid", "{broken}");
    }
    assert_eq!(outcome(&verifier, &curve.token(&claims)).await, "accepted");
}

#[tokio::test]
async fn keys_that_are_weak_or_for_something_else_verify_nothing() {
    let small = Signer::small_rsa("small");
    let encrypting = Signer::rsa("enc", Algorithm::RS256).published_with("use", json!("enc"));
    let other = Signer::rsa("other", Algorithm::RS256).published_with("alg", json!("PS256"));
    let off_curve = Signer::curve("off", Algorithm::ES256).published_with("x", json!(encode([1; 32])));
    let short = Signer::curve("short", Algorithm::EdDSA).published_with("x", json!("AAAA"));
    let good = Signer::rsa("good", Algorithm::RS256)
        .published_with("use", json!("sig"))
        .published_with("alg", json!("RS256"));
    let issuer = Issuer::start(&[&small, &encrypting, &other, &off_curve, &short, &good]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    for (signer, expected) in [
        (&small, "key_unfit"),
        (&encrypting, "key_unfit"),
        (&other, "key_unfit"),
        (&off_curve, "signature_invalid"),
        (&short, "key_unfit"),
        (&good, "accepted"),
    ] {
        let token = token(signer, &issuer, &time);
        assert_eq!(outcome(&verifier, &token).await, expected, "{}", signer.jwk);
    }
}

#[tokio::test]
async fn what_is_said_twice_is_not_said() {
    let signer = Signer::curve("a", Algorithm::ES256);
    let issuer = Issuer::start(&[&signer]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    let (header, claims) = (signer.header().to_string(), claims(&issuer, &time).to_string());
    let twice = |text: &str, more: &str| format!("{},{more}}}", text.strip_suffix('}').unwrap());
    for (header, payload) in [
        (header.clone(), twice(&claims, r#""aud":"outfitter""#)),
        (header.clone(), twice(&claims, r#""\u0073ub":"operator""#)),
        (header.clone(), twice(&claims, r#""deep":[{"a":1,"a":2}]"#)),
        (twice(&header, r#""alg":"ES256""#), claims.clone()),
        (twice(&header, r#""kid":"a""#), claims.clone()),
        (header.clone(), format!("{claims}{claims}")),
        (header.clone(), format!("[{claims}]")),
        (header.clone(), "not JSON".to_owned()),
    ] {
        assert_eq!(outcome(&verifier, &signer.sign(&header, &payload)).await, "token_malformed", "{payload}");
    }
    assert_eq!(outcome(&verifier, &signer.sign(&header, &twice(&claims, r#""more":1"#))).await, "accepted");
}

#[tokio::test]
async fn a_long_token_is_refused_before_anything_is_fetched() {
    let signer = Signer::curve("a", Algorithm::ES256);
    let issuer = Issuer::start(&[&signer]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    let padded =
        |bytes: usize| signer.token(&changed(&claims(&issuer, &time), "pad", json!("p".repeat(bytes))));
    assert!(padded(13_000).len() > 16 * 1024);
    assert_eq!(outcome(&verifier, &padded(13_000)).await, "token_too_long");
    assert_eq!(outcome(&verifier, &"x".repeat(1 << 24)).await, "token_too_long");
    assert_eq!(issuer.connections(), 0);
    assert!(padded(11_500).len() > 15 * 1024);
    assert_eq!(outcome(&verifier, &padded(11_500)).await, "accepted");
}
