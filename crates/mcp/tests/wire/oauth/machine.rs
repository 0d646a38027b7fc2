//! A machine's own grant.

use mcp::client::AccessError;
use mcp::oauth::{Algorithm, Error, Key, Machine, MachineSettings};
use serde_json::json;

use super::world::{Shared, look, world};
use super::{call, settings, web};

fn machine(world: &Shared, key: Key, issuer: Option<String>) -> Machine {
    let server = settings(world).server;
    let settings = MachineSettings { server, id: "machine".into(), key, issuer, scopes: Vec::new() };
    Machine::new(settings, web()).unwrap()
}

fn secret() -> Key {
    Key::Secret("hush".to_owned().into())
}

#[tokio::test]
async fn a_secret_is_shown_in_the_way_the_authorization_server_reads() {
    for (method, header, field) in [
        ("client_secret_basic", Some("Basic bWFjaGluZTpodXNo"), None),
        ("client_secret_post", None, Some("hush")),
    ] {
        let world = world().await;
        look(&world).server["token_endpoint_auth_methods_supported"] = json!([method]);
        look(&world).required = "a".to_owned();
        let machine = machine(&world, secret(), None);
        assert_eq!(call(&world, &machine).await, Ok(200));
        assert_eq!(call(&world, &machine).await, Ok(200));
        let sent = look(&world).sent("/token");
        let resource = format!("{}/mcp", look(&world).base);
        assert_eq!(sent.len(), 1);
        assert_eq!(sent[0]["grant_type"], "client_credentials");
        assert_eq!((&sent[0]["resource"], sent[0]["scope"].as_str()), (&resource, "a"));
        assert_eq!(sent[0].get("Authorization").map(String::as_str), header);
        assert_eq!(sent[0].get("client_secret").map(String::as_str), field);
    }
}

#[tokio::test]
async fn a_private_key_signs_an_assertion() {
    let world = world().await;
    look(&world).server["token_endpoint_auth_methods_supported"] = json!(["private_key_jwt"]);
    let pem = rcgen::KeyPair::generate().unwrap().serialize_pem();
    let machine = machine(&world, Key::Private { pem: pem.into(), algorithm: Algorithm::Es256 }, None);
    assert_eq!(call(&world, &machine).await, Ok(200));
    let sent = look(&world).sent("/token");
    assert_eq!(sent[0]["client_assertion_type"], "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    assert_eq!(sent[0]["client_assertion"].split('.').count(), 3);
}

#[tokio::test]
async fn a_machine_shows_its_secret_to_one_issuer_only() {
    let (one, other) = (world().await, world().await);
    for world in [&one, &other] {
        look(world).server["token_endpoint_auth_methods_supported"] = json!(["client_secret_post"]);
    }
    let moved = look(&other).base.clone();
    let configured = machine(&one, secret(), Some("https://as.example".into()));
    assert_eq!(call(&one, &configured).await, Err(AccessError(Error::Issuer.to_string())));
    assert!(look(&one).sent("/token").is_empty());

    let machine = machine(&one, secret(), None);
    assert_eq!(call(&one, &machine).await, Ok(200));
    look(&one).resource["authorization_servers"] = json!([moved]);
    look(&one).tokens.clear();
    assert_eq!(call(&one, &machine).await, Err(AccessError(Error::Issuer.to_string())));
    assert!(look(&other).sent("/token").is_empty());
}

#[tokio::test]
async fn a_token_that_ended_is_replaced_without_being_asked() {
    let world = world().await;
    look(&world).server["token_endpoint_auth_methods_supported"] = json!(["client_secret_post"]);
    let machine = machine(&world, secret(), None);
    assert_eq!(call(&world, &machine).await, Ok(200));
    look(&world).tokens.clear();
    look(&world).expires_in = 1;
    assert_eq!(call(&world, &machine).await, Ok(200));
    look(&world).expires_in = 3600;
    let challenges = look(&world).sent("/mcp").len();
    assert_eq!(call(&world, &machine).await, Ok(200));
    let seen = look(&world);
    // The server is asked where its tokens come from, and then called.
    assert_eq!((seen.sent("/mcp").len(), seen.sent("/token").len()), (challenges + 2, 4));
}
