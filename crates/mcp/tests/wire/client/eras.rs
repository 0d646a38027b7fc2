//! Which era a peer on a pipe is found to speak, however slowly it does.

use super::*;
use mcp::client::{CallError, Class, EraCache};
use mcp::{Era, Version};
use std::time::Duration;
use tokio::time::{Instant, sleep};

#[tokio::test(start_paused = true)]
async fn a_peer_that_answers_the_modern_question_is_modern() {
    let (connecting, mut fake, _news) = pipe(settings(Choice::Auto), Arc::default());
    let asked = fake.expect("server/discover").await;
    let meta = &asked["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({"elicitation": {}, "roots": {}}));
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "test");
    fake.answer(&asked, discovery(json!({}))).await;
    let peer = connecting.await.unwrap().unwrap().peer();
    assert_eq!((peer.version, peer.era), (Version::V2026_07_28, Era::Modern));
    assert_eq!(&peer.info[..], br#"{"name":"fake","version":"1"}"#);
}

#[tokio::test(start_paused = true)]
async fn every_other_error_means_a_handshake() {
    for code in [-32601, -32602, -32000, -32600, 1] {
        let (connecting, mut fake, _news) = pipe(settings(Choice::Auto), Arc::default());
        let asked = fake.expect("server/discover").await;
        fake.refuse(&asked, code).await;
        let asked = fake.expect("initialize").await;
        assert_eq!(asked["params"]["protocolVersion"], "2025-11-25");
        fake.answer(&asked, welcome("2024-11-05", json!({"tools": {}}))).await;
        fake.expect("notifications/initialized").await;
        let peer = connecting.await.unwrap().unwrap().peer();
        assert_eq!((peer.version, peer.era), (Version::V2024_11_05, Era::Legacy), "{code}");
        assert_eq!(peer.instructions.as_deref(), Some(&b"\"use me\""[..]));
    }
}

#[tokio::test(start_paused = true)]
async fn a_modern_objection_is_no_sign_of_a_legacy_peer() {
    let (connecting, mut fake, _news) = pipe(settings(Choice::Auto), Arc::default());
    let asked = fake.expect("server/discover").await;
    let data = json!({"supported": ["2026-07-28"], "requested": "2026-07-28"});
    let error = json!({"code": -32022, "message": "no", "data": data});
    fake.say(json!({"jsonrpc": "2.0", "id": asked["id"], "error": error})).await;
    fake.be_modern(json!({})).await;
    assert_eq!(connecting.await.unwrap().unwrap().peer().era, Era::Modern);
}

#[tokio::test(start_paused = true)]
async fn a_modern_peer_that_takes_twelve_seconds_is_still_modern() {
    let (connecting, mut fake, _news) = pipe(settings(Choice::Auto), Arc::default());
    let asked = fake.expect("server/discover").await;
    sleep(Duration::from_secs(12)).await;
    fake.expect("initialize").await;
    fake.answer(&asked, discovery(json!({}))).await;
    assert_eq!(connecting.await.unwrap().unwrap().peer().era, Era::Modern);
}

#[tokio::test(start_paused = true)]
async fn a_modern_peer_that_refuses_the_handshake_first_is_still_modern() {
    let (connecting, mut fake, _news) = pipe(settings(Choice::Auto), Arc::default());
    let asked = fake.expect("server/discover").await;
    let handshake = fake.expect("initialize").await;
    fake.refuse(&handshake, -32601).await;
    sleep(Duration::from_secs(5)).await;
    fake.answer(&asked, discovery(json!({}))).await;
    assert_eq!(connecting.await.unwrap().unwrap().peer().era, Era::Modern);
}

#[tokio::test(start_paused = true)]
async fn a_peer_silent_to_the_modern_question_is_asked_the_other_way_after_the_grace() {
    let begun = Instant::now();
    let (connecting, mut fake, _news) = pipe(settings(Choice::Auto), Arc::default());
    fake.expect("server/discover").await;
    fake.be_legacy(json!({})).await;
    assert_eq!(begun.elapsed().as_secs(), 10);
    assert_eq!(connecting.await.unwrap().unwrap().peer().era, Era::Legacy);
}

#[tokio::test(start_paused = true)]
async fn a_peer_silent_to_everything_times_out() {
    let (connecting, mut fake, _news) = pipe(settings(Choice::Auto), Arc::default());
    let begun = Instant::now();
    let error = connecting.await.unwrap().err().unwrap();
    assert_eq!((error.clone(), error.class()), (ConnectError::Call(CallError::Timeout), Class::Timeout));
    assert_eq!(begun.elapsed().as_secs(), 30);
    fake.expect("server/discover").await;
    fake.expect("initialize").await;
    assert!(fake.lines.next_line().await.unwrap().is_none(), "no cancellation of the handshake");
}

#[tokio::test(start_paused = true)]
async fn an_unknown_revision_is_an_error_that_names_both() {
    for theirs in ["2026-07-28", "1999-01-01"] {
        let (connecting, mut fake, _news) = pipe(settings(Choice::Legacy), Arc::default());
        let asked = fake.expect("initialize").await;
        fake.answer(&asked, welcome(theirs, json!({}))).await;
        let error = connecting.await.unwrap().err().unwrap();
        assert_eq!(error.to_string(), format!("the server speaks {theirs}, we speak 2025-11-25"));
        assert_eq!(error.class(), Class::Peer);
    }
}

#[tokio::test(start_paused = true)]
async fn a_remembered_peer_is_asked_its_own_way_and_a_changed_one_both_ways() {
    let eras = Arc::new(EraCache::default());
    eras.put("x", Era::Legacy);
    let known =
        Settings { eras: Some(Arc::clone(&eras)), known_as: Some("x".into()), ..settings(Choice::Auto) };
    let (connecting, mut fake, _news) = pipe(known.clone(), Arc::default());
    fake.be_legacy(json!({})).await;
    connecting.await.unwrap().unwrap();
    let (connecting, mut fake, _news) = pipe(known, Arc::default());
    let asked = fake.expect("initialize").await;
    fake.refuse(&asked, -32022).await;
    fake.be_modern(json!({})).await;
    connecting.await.unwrap().unwrap();
    assert_eq!(eras.get("x"), Some(Era::Modern));
}
