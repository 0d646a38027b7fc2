//! Honest sign-ins: what is sent to whom.

use mcp::oauth::{Error, Registration, Store};
use url::Url;

use super::world::{look, world};
use super::{REDIRECT, bearer, call, consent, is_empty, settings, sign_in};

#[tokio::test]
async fn a_sign_in_uses_pkce_and_names_the_resource_everywhere() {
    let world = world().await;
    let (bearer, person, store) = bearer(settings(&world));
    assert_eq!(call(&world, &bearer).await, Ok(200));
    assert_eq!(call(&world, &bearer).await, Ok(200));
    assert_eq!(person.visits.load(std::sync::atomic::Ordering::SeqCst), 1);

    assert!(!is_empty(&store).await);

    let seen = look(&world);
    let resource = format!("{}/mcp", seen.base);
    let (register, authorize, token) =
        (&seen.sent("/register"), &seen.sent("/authorize"), &seen.sent("/token"));
    assert_eq!((register.len(), authorize.len(), token.len()), (1, 1, 1));
    assert_eq!((&authorize[0]["resource"], &token[0]["resource"]), (&resource, &resource));
    assert_eq!(authorize[0]["redirect_uri"], REDIRECT);
    assert_eq!(authorize[0]["client_id"], "client-1");
    assert!(!authorize[0].contains_key("scope"));
    // The authorization server reads no secrets, so the one it gave out is not sent.
    assert!(!token[0].contains_key("Authorization") && !token[0].contains_key("client_secret"));
    assert_eq!(register[0]["application_type"], r#""native""#);
    assert_eq!(register[0]["grant_types"], r#"["authorization_code","refresh_token"]"#);
    assert!(token[0]["code_verifier"].len() >= 43);
}

#[tokio::test]
async fn a_resource_is_named_as_the_server_names_it() {
    let world = world().await;
    let base = look(&world).base.clone();
    look(&world).resource["resource"] = base.clone().into();
    let (bearer, ..) = bearer(settings(&world));
    assert_eq!(call(&world, &bearer).await, Ok(200));
    assert_eq!(look(&world).sent("/token")[0]["resource"], base);
}

#[tokio::test]
async fn a_metadata_document_identifies_the_client_where_that_is_supported() {
    for supported in [true, false] {
        let world = world().await;
        look(&world).server["client_id_metadata_document_supported"] = supported.into();
        let document = "https://gateway.example/client.json";
        let client = Registration::Document(Url::parse(document).unwrap());
        let (bearer, ..) = bearer(mcp::oauth::Settings { client, ..settings(&world) });
        assert_eq!(call(&world, &bearer).await, Ok(200));
        let seen = look(&world);
        let expected = if supported { document } else { "client-1" };
        assert_eq!(seen.sent("/authorize")[0]["client_id"], expected);
        assert_eq!(seen.sent("/register").is_empty(), supported);
    }
}

#[tokio::test]
async fn a_known_client_shows_its_secret_to_its_issuer_only() {
    for (issuer, fine) in
        [(None, true), (Some(String::new()), true), (Some("https://other.example".into()), false)]
    {
        let world = world().await;
        look(&world).server["token_endpoint_auth_methods_supported"] =
            serde_json::json!(["client_secret_basic"]);
        let issuer =
            issuer.map(|text: String| if text.is_empty() { look(&world).base.clone() } else { text });
        let client =
            Registration::Preregistered { id: "me".into(), secret: Some("hush".to_owned().into()), issuer };
        let (bearer, ..) = bearer(mcp::oauth::Settings { client, ..settings(&world) });
        let outcome = call(&world, &bearer).await;
        let seen = look(&world);
        assert_eq!(outcome.is_ok(), fine);
        assert!(seen.sent("/register").is_empty());
        let headers: Vec<_> =
            seen.sent("/token").iter().map(|fields| fields["Authorization"].clone()).collect();
        assert_eq!(headers, if fine { vec!["Basic bWU6aHVzaA=="] } else { vec![] });
        assert_eq!(seen.sent("/authorize").is_empty(), !fine);
    }
}

#[tokio::test]
async fn scopes_come_from_the_challenge_or_else_the_settings_or_else_the_metadata() {
    for (required, chosen, expected) in [
        ("a", vec![], Some("a offline_access")),
        ("a", vec!["b"], Some("b a offline_access")),
        ("", vec!["b"], Some("b offline_access")),
        ("", vec![], Some("listed offline_access")),
    ] {
        let world = world().await;
        look(&world).required = required.to_owned();
        look(&world).resource["scopes_supported"] = serde_json::json!(["listed"]);
        look(&world).server["scopes_supported"] = serde_json::json!(["other", "offline_access"]);
        let scopes = chosen.iter().map(ToString::to_string).collect();
        let (bearer, ..) = bearer(mcp::oauth::Settings { scopes, ..settings(&world) });
        assert_eq!(call(&world, &bearer).await, Ok(200));
        let seen = look(&world);
        assert_eq!(
            seen.sent("/authorize")[0].get("scope").map(String::as_str),
            expected,
            "{required} {chosen:?}"
        );
    }
}

#[tokio::test]
async fn a_sign_in_is_finished_once_and_only_at_the_redirect() {
    let world = world().await;
    let (sign_in, store) = sign_in(settings(&world));
    let pending = sign_in.begin(None).await.unwrap();
    assert!(!format!("{pending:?}").contains(&pending.state));
    let callback = consent(&pending.url).await;

    let mut longer = callback.clone();
    longer.set_path("/callback2");
    assert_eq!(sign_in.finish(&longer).await, Err(Error::Callback));
    let other = Url::parse(&callback.as_str().replace(&pending.state, "guessed")).unwrap();
    assert_eq!(sign_in.finish(&other).await, Err(Error::Callback));
    assert!(is_empty(&store).await && look(&world).sent("/token").is_empty());

    assert_eq!(sign_in.finish(&callback).await, Ok(()));
    assert_eq!(sign_in.finish(&callback).await, Err(Error::Callback));
    assert_eq!(look(&world).sent("/token").len(), 1);
    let held = store.load().await.unwrap().unwrap();
    assert_eq!(held.issuer(), look(&world).base);
    sign_in.forget().await.unwrap();
    assert!(is_empty(&store).await);
}

#[tokio::test]
async fn a_refusal_ends_the_sign_in() {
    let world = world().await;
    let (sign_in, store) = sign_in(settings(&world));
    let pending = sign_in.begin(None).await.unwrap();
    let base = look(&world).base.clone();
    let refusal = format!("{REDIRECT}?error=access_denied&state={}&iss={base}", pending.state);
    assert_eq!(sign_in.finish(&Url::parse(&refusal).unwrap()).await, Err(Error::Refused));
    let callback = consent(&pending.url).await;
    assert_eq!(sign_in.finish(&callback).await, Err(Error::Callback));
    assert!(is_empty(&store).await);
}
