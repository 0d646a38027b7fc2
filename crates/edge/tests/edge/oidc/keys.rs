//! How long keys serve, when they are fetched, and how often the issuer is asked.

use jsonwebtoken::Algorithm;
use serde_json::{Value, json};

use super::issuer::{Answer, Issuer};
use super::signer::Signer;
use super::{Time, claims, eventually, outcome, token, verifier};

const DAY: u64 = 24 * 60 * 60;

/// A token that outlives the test.
fn lasting(signer: &Signer, issuer: &Issuer, time: &Time) -> String {
    let mut claims = claims(issuer, time);
    claims["exp"] = json!(time.now() + 10 * DAY);
    signer.token(&claims)
}

#[tokio::test]
async fn nothing_is_fetched_before_the_first_token_and_once_for_many() {
    let signer = Signer::curve("a", Algorithm::ES256);
    let issuer = Issuer::start(&[&signer]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    assert_eq!(issuer.connections(), 0);
    let token = token(&signer, &issuer, &time);
    let mut waiting = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let (verifier, token) = (verifier.clone(), token.clone());
        waiting.spawn(async move { outcome(&verifier, &token).await });
    }
    let outcomes = waiting.join_all().await;
    assert!(outcomes.iter().all(|outcome| *outcome == "accepted"), "{outcomes:?}");
    assert_eq!((issuer.document_requests(), issuer.key_requests()), (1, 1));
}

#[tokio::test]
async fn unknown_keys_cannot_hammer_the_issuer() {
    let signer = Signer::curve("a", Algorithm::ES256);
    let issuer = Issuer::start(&[&signer]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    let claims = claims(&issuer, &time);
    for round in 1..=3 {
        let mut waiting = tokio::task::JoinSet::new();
        for number in 0..50 {
            let token = signer.token_with(&json!({ "kid": format!("{round}-{number}") }), &claims);
            let verifier = verifier.clone();
            waiting.spawn(async move { outcome(&verifier, &token).await });
        }
        let outcomes = waiting.join_all().await;
        assert!(outcomes.iter().all(|outcome| *outcome == "key_unknown"), "{outcomes:?}");
        assert_eq!(issuer.key_requests(), round);
        time.pass(29);
        let token = signer.token_with(&json!({ "kid": "early" }), &claims);
        assert_eq!(outcome(&verifier, &token).await, "key_unknown");
        assert_eq!(issuer.key_requests(), round);
        time.pass(1);
    }
    assert_eq!(issuer.document_requests(), 3);
}

#[tokio::test]
async fn a_new_key_works_at_its_first_use_and_a_gone_one_stops_with_it() {
    let old = Signer::curve("old", Algorithm::ES256);
    let new = Signer::curve("new", Algorithm::EdDSA);
    let issuer = Issuer::start(&[&old]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    let (by_old, by_new) = (token(&old, &issuer, &time), token(&new, &issuer, &time));
    assert_eq!(outcome(&verifier, &by_old).await, "accepted");
    issuer.answer_keys(Answer::keys(&[&new]));
    time.pass(1);
    assert_eq!(outcome(&verifier, &by_old).await, "accepted");
    assert_eq!(outcome(&verifier, &by_new).await, "accepted");
    assert_eq!(issuer.key_requests(), 2);
    time.pass(30);
    assert_eq!(outcome(&verifier, &by_old).await, "key_unknown");
}

#[tokio::test]
async fn stale_keys_serve_while_new_ones_are_fetched() {
    let old = Signer::curve("old", Algorithm::ES256);
    let issuer = Issuer::start(&[&old]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    let token = token(&old, &issuer, &time);
    assert_eq!(outcome(&verifier, &token).await, "accepted");
    issuer.answer_keys(Answer::keys(&[]));
    time.pass(599);
    assert_eq!(outcome(&verifier, &token).await, "accepted");
    assert_eq!(issuer.key_requests(), 1);
    time.pass(1);
    assert_eq!(outcome(&verifier, &token).await, "accepted");
    eventually(&verifier, &token, "key_unknown").await;
}

#[tokio::test]
async fn an_issuer_that_is_away_is_missed_after_a_day_and_found_again() {
    let signer = Signer::curve("a", Algorithm::ES256);
    let issuer = Issuer::start(&[&signer]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    let token = lasting(&signer, &issuer, &time);
    assert_eq!(outcome(&verifier, &token).await, "accepted");
    issuer.answer_keys(Answer::status(503));
    for _ in 0..23 {
        time.pass(60 * 60);
        assert_eq!(outcome(&verifier, &token).await, "accepted");
    }
    let unknown = signer.token_with(&json!({ "kid": "b" }), &claims(&issuer, &time));
    eventually(&verifier, &unknown, "issuer_unavailable").await;
    time.pass(60 * 60);
    assert_eq!(outcome(&verifier, &token).await, "issuer_unavailable");
    let asked = issuer.key_requests();
    time.pass(29);
    assert_eq!(outcome(&verifier, &token).await, "issuer_unavailable");
    assert_eq!(issuer.key_requests(), asked);
    issuer.answer_keys(Answer::keys(&[&signer]));
    time.pass(1);
    assert_eq!(outcome(&verifier, &token).await, "accepted");
    assert_eq!(issuer.key_requests(), asked + 1);
}

#[tokio::test]
async fn an_issuer_away_at_the_start_is_asked_again_after_half_a_minute() {
    let signer = Signer::curve("a", Algorithm::ES256);
    let issuer = Issuer::start(&[&signer]).await;
    issuer.answer_document(Answer::status(500));
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    let token = token(&signer, &issuer, &time);
    for _ in 0..20 {
        assert_eq!(outcome(&verifier, &token).await, "issuer_unavailable");
    }
    assert_eq!((issuer.document_requests(), issuer.key_requests()), (1, 0));
    issuer.answer_document(Answer::json(
        &json!({ "issuer": issuer.url, "jwks_uri": format!("{}/keys?set=1", issuer.url) }),
    ));
    time.pass(30);
    assert_eq!(outcome(&verifier, &token).await, "accepted");
}

#[tokio::test]
async fn a_caller_who_gives_up_takes_nothing_from_the_others() {
    let signer = Signer::curve("a", Algorithm::ES256);
    let issuer = Issuer::start(&[&signer]).await;
    let time = Time::new();
    let verifier = verifier(&issuer, &time);
    let token = token(&signer, &issuer, &time);
    {
        let mut given_up = Box::pin(verifier.verify(&token));
        let polled = std::future::poll_fn(|context| std::task::Poll::Ready(given_up.as_mut().poll(context)));
        assert!(polled.await.is_pending());
    }
    assert_eq!(outcome(&verifier, &token).await, "accepted");
    assert_eq!((issuer.document_requests(), issuer.key_requests()), (1, 1));
}

#[tokio::test]
async fn a_token_that_names_no_key_needs_an_issuer_with_only_one() {
    let first = Signer::curve("a", Algorithm::ES256);
    let second = Signer::curve("b", Algorithm::ES256);
    let other_kind = Signer::curve("c", Algorithm::EdDSA);
    let time = Time::new();
    for (published, expected) in [
        (vec![&first, &other_kind], "accepted"),
        (vec![&first, &second], "key_unnamed"),
        (vec![], "key_unknown"),
    ] {
        let issuer = Issuer::start(&published).await;
        let verifier = verifier(&issuer, &time);
        let token = first.token_with(&json!({ "kid": Value::Null }), &claims(&issuer, &time));
        assert_eq!(outcome(&verifier, &token).await, expected);
    }
}
