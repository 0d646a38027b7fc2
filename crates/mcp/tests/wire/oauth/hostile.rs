//! Servers that lie: nothing is sent to where it does not belong, and no person is shown a dangerous URL.

use std::sync::Arc;

use mcp::egress::{Guard, Rules};
use mcp::oauth::{Error, Memory, SignIn};
use mcp::web::Client;
use serde_json::{Value, json};

use super::world::{Shared, look, world};
use super::{bearer, call, consent, is_empty, settings, sign_in};

/// What comes of a sign-in, and whether anything was sent to the authorization server.
async fn begin(world: &Shared) -> (Option<Error>, bool) {
    let (sign_in, _) = sign_in(settings(world));
    let error = sign_in.begin(None).await.err();
    let seen = look(world);
    (error, ["/register", "/authorize", "/token"].iter().any(|path| !seen.sent(path).is_empty()))
}

#[tokio::test]
async fn an_authorization_page_is_a_plain_web_address() {
    for page in [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        "$(calc)",
        "http://127.0.0.1:1/$(calc)",
        "http://127.0.0.1:1/a b",
        "http://127.0.0.1:1/`id`",
        "-flag",
        "http://user@127.0.0.1:1/",
        "http://as.example/",
    ] {
        let world = world().await;
        look(&world).server["authorization_endpoint"] = page.into();
        assert_eq!(begin(&world).await, (Some(Error::Endpoint("authorization endpoint")), false), "{page}");
    }
}

#[tokio::test]
async fn an_authorization_page_cannot_choose_our_parameters() {
    let world = world().await;
    let page = format!("{}/authorize?state=known", look(&world).base);
    look(&world).server["authorization_endpoint"] = page.into();
    assert_eq!(begin(&world).await.0, Some(Error::Endpoint("authorization endpoint")));
}

#[tokio::test]
async fn codes_and_registrations_are_not_sent_in_the_clear() {
    for (field, name) in
        [("token_endpoint", "token endpoint"), ("registration_endpoint", "registration endpoint")]
    {
        let world = world().await;
        look(&world).server[field] = "http://as.example/x".into();
        assert_eq!(begin(&world).await, (Some(Error::Endpoint(name)), false));
    }
}

#[tokio::test]
async fn an_authorization_server_without_pkce_is_refused() {
    for methods in [Value::Null, json!([]), json!(["plain"])] {
        let world = world().await;
        look(&world).server["code_challenge_methods_supported"] = methods.clone();
        assert_eq!(begin(&world).await, (Some(Error::Pkce), false), "{methods}");
    }
}

#[tokio::test]
async fn metadata_of_another_resource_or_issuer_is_refused() {
    for resource in ["https://evil.example/mcp", "http://127.0.0.1:1/mcp"] {
        let world = world().await;
        look(&world).resource["resource"] = resource.into();
        let (bearer, person, _) = bearer(settings(&world));
        call(&world, &bearer).await.unwrap_err();
        assert_eq!(person.visits.load(std::sync::atomic::Ordering::SeqCst), 0);
        assert_eq!(begin(&world).await, (Some(Error::Resource), false), "{resource}");
    }
    for issuer in [json!("https://evil.example"), Value::Null] {
        let world = world().await;
        look(&world).server["issuer"] = issuer;
        assert_eq!(begin(&world).await, (Some(Error::Issuer), false));
    }
}

#[tokio::test]
async fn a_callback_of_another_issuer_gets_no_token_request() {
    for change in ["missing", "slash", "evil"] {
        let world = world().await;
        let base = look(&world).base.clone();
        look(&world).iss = match change {
            "missing" => None,
            "slash" => Some(format!("{base}/")),
            _ => Some("https://evil.example".into()),
        };
        let (sign_in, store) = sign_in(settings(&world));
        let pending = sign_in.begin(None).await.unwrap();
        let callback = consent(&pending.url).await;
        assert_eq!(sign_in.finish(&callback).await, Err(Error::Issuer), "{change}");
        assert_eq!(sign_in.finish(&callback).await, Err(Error::Callback), "{change}");
        assert!(look(&world).sent("/token").is_empty() && is_empty(&store).await);
    }
}

#[tokio::test]
async fn metadata_at_addresses_that_are_not_allowed_is_not_fetched() {
    // Only what is called `localhost` may be on this machine; the control shows that nothing else is in the way.
    for (place, allowed, fetched) in [
        ("http://127.0.0.1:PORT", "127.0.0.1", true),
        ("http://127.0.0.1:PORT", "localhost", false),
        ("http://[::ffff:127.0.0.1]:PORT", "localhost", false),
        ("http://0x7f.1:PORT", "localhost", false),
        ("http://017700000001:PORT", "localhost", false),
        ("http://user@localhost:PORT", "localhost", false),
        ("http://169.254.169.254", "localhost", false),
    ] {
        let (one, other) = (world().await, world().await);
        let port = look(&other).base.rsplit(':').next().unwrap().to_owned();
        let base = look(&one).base.replace("127.0.0.1", "localhost");
        look(&one).resource = json!({"resource": format!("{base}/mcp"), "authorization_servers": [place.replace("PORT", &port)]});
        look(&one).base = base;
        let rules = Rules::parse(&["localhost".to_owned(), allowed.to_owned()]).unwrap();
        let web = Client::new(Guard::new(rules));
        let sign_in = SignIn::new(settings(&one), web, Arc::new(Memory::default())).unwrap();
        assert_eq!(sign_in.begin(None).await.err(), (!fetched).then_some(Error::Metadata), "{place}");
        assert_eq!(!look(&other).seen.is_empty(), fetched, "{place}");
        assert!(!look(&one).sent("/.well-known/oauth-protected-resource/mcp").is_empty());
    }
}

#[tokio::test]
async fn nothing_goes_out_past_the_guard() {
    let world = world().await;
    let web = Client::new(Guard::new(Rules::default()));
    let sign_in = SignIn::new(settings(&world), web, Arc::new(Memory::default())).unwrap();
    assert_eq!(sign_in.begin(None).await.err(), Some(Error::Metadata));
    assert!(look(&world).seen.is_empty());
}
