//! What becomes of tokens: renewed, widened, never shown to another issuer.

use std::sync::atomic::Ordering;

use mcp::client::{Access, AccessError, Challenge, Retry};
use mcp::oauth::{Bearer, Error, Store};

use super::world::{Fields, look, world};
use super::{bearer, call, is_empty, settings, sign_in};

fn refreshes(sent: &[Fields]) -> usize {
    sent.iter().filter(|fields| fields["grant_type"] == "refresh_token").count()
}

#[tokio::test]
async fn tokens_that_ended_are_renewed_once_for_all() {
    let world = world().await;
    let (bearer, person, _) = bearer(settings(&world));
    // The sign-in gives a token that counts as ended, so that the repeated request renews it.
    look(&world).expires_in = 1;
    let first = Challenge { status: 401, www_authenticate: Vec::new() };
    assert_eq!(bearer.challenged(first).await, Ok(Retry::Again));
    look(&world).expires_in = 3600;
    let all = futures_util::future::join_all((0..4).map(|_| call(&world, &bearer))).await;
    assert!(all.iter().all(|outcome| *outcome == Ok(200)));
    let sent = look(&world).sent("/token");
    assert_eq!((refreshes(&sent), person.visits.load(Ordering::SeqCst)), (1, 1));
    let resource = format!("{}/mcp", look(&world).base);
    assert_eq!((&sent[1]["resource"], sent[1]["refresh_token"].as_str()), (&resource, "refresh-3"));
}

#[tokio::test]
async fn a_token_the_server_does_not_know_any_more_is_renewed() {
    let world = world().await;
    let (bearer, person, _) = bearer(settings(&world));
    assert_eq!(call(&world, &bearer).await, Ok(200));
    look(&world).tokens.clear();
    assert_eq!(call(&world, &bearer).await, Ok(200));
    assert_eq!(person.visits.load(Ordering::SeqCst), 1);
    assert_eq!(refreshes(&look(&world).sent("/token")), 1);
}

#[tokio::test]
async fn a_refused_renewal_leads_to_a_person() {
    for (error, registrations) in [("invalid_grant", 1), ("invalid_client", 2)] {
        let world = world().await;
        let (bearer, person, _) = bearer(settings(&world));
        assert_eq!(call(&world, &bearer).await, Ok(200));
        look(&world).tokens.clear();
        look(&world).refuse_refresh = Some(error);
        assert_eq!(call(&world, &bearer).await, Ok(200));
        assert_eq!(person.visits.load(Ordering::SeqCst), 2);
        assert_eq!(look(&world).sent("/register").len(), registrations, "{error}");
    }
}

#[tokio::test]
async fn a_passing_refusal_does_not_cost_the_right_to_renew() {
    for error in ["temporarily_unavailable", "slow_down", "server_error"] {
        let world = world().await;
        let (bearer, person, _) = bearer(settings(&world));
        assert_eq!(call(&world, &bearer).await, Ok(200));
        look(&world).tokens.clear();
        look(&world).refuse_refresh = Some(error);
        assert!(call(&world, &bearer).await.is_err(), "{error}");
        look(&world).refuse_refresh = None;
        assert_eq!(call(&world, &bearer).await, Ok(200), "{error}");
        assert_eq!(person.visits.load(Ordering::SeqCst), 1, "{error}");
    }
}

#[tokio::test]
async fn without_a_person_the_challenge_is_kept() {
    let world = world().await;
    look(&world).required = "a".to_owned();
    let (sign_in, store) = sign_in(settings(&world));
    let bearer = Bearer::new(sign_in.clone(), None);
    assert_eq!(call(&world, &bearer).await, Err(AccessError(Error::SignIn.to_string())));
    assert!(look(&world).sent("/register").is_empty());

    let pending = sign_in.begin(bearer.wanted().as_ref()).await.unwrap();
    assert!(pending.url.query_pairs().any(|(name, value)| name == "scope" && value == "a"));
    sign_in.finish(&super::consent(&pending.url).await).await.unwrap();
    assert_eq!(call(&world, &bearer).await, Ok(200));
    assert_eq!(bearer.wanted(), None);
    assert!(!is_empty(&store).await);
}

#[tokio::test]
async fn a_step_up_asks_for_the_old_scopes_and_the_new() {
    let world = world().await;
    look(&world).required = "a".to_owned();
    let (bearer, person, _) = bearer(settings(&world));
    assert_eq!(call(&world, &bearer).await, Ok(200));
    look(&world).required = "b".to_owned();
    assert_eq!(call(&world, &bearer).await, Ok(200));
    let seen = look(&world);
    let scopes: Vec<_> = seen.sent("/authorize").iter().map(|fields| fields["scope"].clone()).collect();
    assert_eq!(scopes, ["a", "a b"]);
    assert_eq!((seen.sent("/register").len(), person.visits.load(Ordering::SeqCst)), (1, 2));
}

#[tokio::test]
async fn a_server_that_is_never_content_bothers_people_three_times() {
    let world = world().await;
    let (bearer, person, _) = bearer(settings(&world));
    for scope in ["a", "b", "c"] {
        look(&world).required = scope.to_owned();
        assert_eq!(call(&world, &bearer).await, Ok(200));
    }
    look(&world).required = "d".to_owned();
    assert_eq!(call(&world, &bearer).await, Err(AccessError(Error::TooMany.to_string())));
    assert_eq!(person.visits.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn what_was_asked_for_and_not_granted_is_not_asked_for_again() {
    let world = world().await;
    look(&world).required = "a".to_owned();
    let (bearer, person, _) = bearer(settings(&world));
    assert_eq!(call(&world, &bearer).await, Ok(200));
    for granted in look(&world).tokens.values_mut() {
        "none".clone_into(granted);
    }
    assert_eq!(call(&world, &bearer).await, Ok(403));
    assert_eq!(person.visits.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_refusal_for_other_reasons_is_final() {
    let world = world().await;
    let (bearer, person, _) = bearer(settings(&world));
    let challenge = Challenge { status: 403, www_authenticate: vec!["Bearer".to_owned()] };
    assert_eq!(bearer.challenged(challenge).await, Ok(Retry::GiveUp));
    assert_eq!(person.visits.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn another_issuer_sees_neither_tokens_nor_client() {
    let (one, other) = (world().await, world().await);
    let (bearer, _, store) = bearer(settings(&one));
    assert_eq!(call(&one, &bearer).await, Ok(200));
    let moved = look(&other).base.clone();
    look(&other).iss = Some(moved.clone());
    // Clients of the second are numbered differently.
    for _ in 0..9 {
        let url = format!("{moved}/register");
        super::web()
            .send(http::Request::post(url).body(bytes::Bytes::new()).unwrap(), mcp::web::Options::default())
            .await
            .unwrap();
    }
    look(&one).resource["authorization_servers"] = serde_json::json!([moved]);
    look(&one).tokens.clear();
    let outcome = call(&one, &bearer).await;
    // The first server does not know the tokens of the second issuer.
    assert!(outcome.is_err(), "{outcome:?}");
    assert_eq!(store.load().await.unwrap().unwrap().issuer(), moved);

    let seen = look(&other);
    assert!(!seen.sent("/authorize").is_empty());
    assert!(seen.sent("/authorize").iter().all(|fields| fields["client_id"] == "client-10"));
    assert!(seen.sent("/token")[0]["grant_type"] == "authorization_code");
    let first = ["client-1", "access-3", "refresh-3"];
    let told = seen.seen.iter().flat_map(|(_, fields)| fields.values());
    assert!(told.into_iter().all(|value| first.iter().all(|secret| value != secret)));
}
