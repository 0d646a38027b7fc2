//! What is believed of the issuer's answers.

use jsonwebtoken::Algorithm;
use serde_json::{Value, json};

use super::issuer::{Answer, Issuer};
use super::signer::Signer;
use super::{Time, options, outcome, token, verifier};

const MEBIBYTE: usize = 1024 * 1024;

fn document(issuer: &str, keys: &str) -> Answer {
    Answer::json(&json!({ "issuer": issuer, "jwks_uri": keys }))
}

/// The same JSON, blown up to `length` by blanks.
fn padded(value: &Value, length: usize) -> Answer {
    let mut text = value.to_string().into_bytes();
    text.resize(length, b' ');
    Answer::body(text)
}

#[tokio::test]
async fn only_the_issuers_own_document_is_followed() {
    let signer = Signer::curve("a", Algorithm::ES256);
    let issuer = Issuer::start(&[&signer]).await;
    let elsewhere = Issuer::start(&[&signer]).await;
    let time = Time::new();
    let (url, keys) = (issuer.url.clone(), format!("{}/keys?set=1", issuer.url));
    let repeated = format!(r#"{{"issuer":"{url}","issuer":"{url}","jwks_uri":"{keys}"}}"#);
    for answer in [
        document(&format!("{url}/"), &keys),
        document(&elsewhere.url, &keys),
        document(&url, "/keys?set=1"),
        document(&url, "http://issuer.example/keys"),
        document(&url, &keys.replace("://", "://user@")),
        Answer::json(&json!({ "issuer": url })),
        Answer::json(&json!({ "jwks_uri": keys })),
        Answer::json(&json!([])),
        Answer::body(repeated),
        Answer::body("<html></html>"),
        document(&url, &keys).with_status(404),
        document(&url, &keys).with_status(203),
        document(&url, &keys).redirected(302, format!("{}/.well-known/openid-configuration", elsewhere.url)),
        padded(&json!({ "issuer": url, "jwks_uri": keys }), MEBIBYTE + 1),
    ] {
        issuer.answer_document(answer);
        let verifier = verifier(&issuer, &time);
        assert_eq!(outcome(&verifier, &token(&signer, &issuer, &time)).await, "issuer_unavailable");
    }
    assert_eq!((issuer.document_requests(), issuer.key_requests()), (14, 0));
    assert_eq!(elsewhere.connections(), 0);
    issuer.answer_document(padded(&json!({ "issuer": url, "jwks_uri": keys }), MEBIBYTE));
    assert_eq!(outcome(&verifier(&issuer, &time), &token(&signer, &issuer, &time)).await, "accepted");
}

#[tokio::test]
async fn only_a_set_of_keys_is_read_as_one() {
    let signer = Signer::curve("a", Algorithm::ES256);
    let issuer = Issuer::start(&[&signer]).await;
    let elsewhere = Issuer::start(&[&signer]).await;
    let time = Time::new();
    let set = json!({ "keys": [signer.jwk] });
    let mut repeated = set.to_string();
    repeated.insert_str(1, r#""keys":[],"#);
    for answer in [
        Answer::json(&signer.jwk),
        Answer::json(&json!([signer.jwk])),
        Answer::json(&json!({ "keys": signer.jwk })),
        Answer::body(repeated),
        Answer::body(""),
        Answer::json(&set).with_status(500),
        Answer::json(&set).redirected(307, format!("{}/keys?set=1", elsewhere.url)),
        padded(&set, MEBIBYTE + 1),
        padded(&set, 20 * MEBIBYTE),
    ] {
        issuer.answer_keys(answer);
        let verifier = verifier(&issuer, &time);
        assert_eq!(outcome(&verifier, &token(&signer, &issuer, &time)).await, "issuer_unavailable");
    }
    assert_eq!(issuer.key_requests(), 9);
    assert_eq!(elsewhere.connections(), 0);
    issuer.answer_keys(padded(&set, MEBIBYTE));
    assert_eq!(outcome(&verifier(&issuer, &time), &token(&signer, &issuer, &time)).await, "accepted");
}

#[tokio::test]
async fn an_issuer_that_is_gone_is_unavailable() {
    let signer = Signer::curve("a", Algorithm::ES256);
    let issuer = Issuer::start(&[&signer]).await;
    let time = Time::new();
    let (verifier, token) = (verifier(&issuer, &time), token(&signer, &issuer, &time));
    drop(issuer);
    tokio::task::yield_now().await;
    assert_eq!(outcome(&verifier, &token).await, "issuer_unavailable");
}

#[tokio::test]
async fn over_tls_the_issuer_must_be_certified() {
    let signer = Signer::curve("a", Algorithm::ES256);
    let issuer = Issuer::start_with_tls(&[&signer]).await;
    let time = Time::new();
    let token = token(&signer, &issuer, &time);
    assert_eq!(outcome(&verifier(&issuer, &time), &token).await, "accepted");
    let mut stranger = options(&issuer);
    stranger.extra_roots.clear();
    let stranger = edge::oidc::Verifier::new(stranger, std::sync::Arc::new(|| super::START));
    assert_eq!(outcome(&stranger, &token).await, "issuer_unavailable");
    assert_eq!(issuer.key_requests(), 1);
}
