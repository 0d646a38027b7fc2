//! Which era a request belongs to, and what each makes of a lost connection.

use std::sync::atomic::Ordering;
use std::time::Duration;

use http::{Method, StatusCode};
use mcp::server::Settings;

use super::stage::{Stage, call, initialize, modern_text, reaches};

#[tokio::test]
async fn a_modern_client_that_goes_away_gives_its_call_up() {
    let stage = Stage::new().await;
    let mut reply = stage.modern("ann", 1, "tools/call", r#"{"name":"tell","arguments":{"ms":60000}}"#).await;
    assert!(reply.is_events());
    reply.until("first").await;
    assert_eq!(stage.tools.dropped.load(Ordering::SeqCst), 0);
    drop(reply);
    reaches(&stage.tools.dropped, 1).await;
    assert_eq!(stage.tools.finished.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_modern_client_that_goes_away_before_the_first_word_gives_its_call_up_as_well() {
    let stage = Stage::with(Settings { settle: Duration::from_hours(1), ..Settings::default() }).await;
    let sent = stage.modern("ann", 1, "tools/call", r#"{"name":"sleep","arguments":{"ms":60000}}"#);
    tokio::select! {
        _ = sent => panic!("nothing is said yet"),
        () = reaches(&stage.tools.began, 1) => {}
    }
    reaches(&stage.tools.dropped, 1).await;
}

#[tokio::test]
async fn a_legacy_call_survives_its_connection_and_is_resumed() {
    let stage = Stage::new().await;
    let session = stage.session("ann", "2025-11-25").await;
    let headers = [("mcp-session-id", session.as_str())];
    let mut reply = stage.post(&headers, call(5, "tell", r#"{"ms":300}"#)).await;
    let seen = reply.until("first").await;
    assert!(seen.starts_with("id: 1-0\nretry: 1000\ndata: \n\n"), "{seen}");
    let last = reply.last_id();
    drop(reply);
    reaches(&stage.tools.finished, 1).await;
    for (caller, expected) in [("bob", StatusCode::NOT_FOUND), ("ann", StatusCode::OK)] {
        let resume =
            [("x-caller", caller), headers[0], ("last-event-id", &last), ("accept", "text/event-stream")];
        let reply = stage.send(Method::GET, "/mcp", &resume, "").await;
        assert_eq!(reply.status, expected);
        if expected == StatusCode::OK {
            let rest = reply.text().await;
            assert!(
                rest.contains(r#"{"jsonrpc":"2.0","id":5,"result":{"told":true}}"#)
                    && !rest.contains("first"),
                "{rest}"
            );
        }
    }
    for gone in ["1-99", "9-0", "x", "1"] {
        let resume = [headers[0], ("last-event-id", gone), ("accept", "text/event-stream")];
        assert_eq!(
            stage.send(Method::GET, "/mcp", &resume, "").await.status,
            StatusCode::NOT_FOUND,
            "{gone}"
        );
    }
}

#[tokio::test]
async fn a_cancelled_legacy_call_is_not_answered() {
    let stage = Stage::new().await;
    let session = stage.session("ann", "2025-11-25").await;
    let headers = [("mcp-session-id", session.as_str())];
    let mut reply = stage.post(&headers, call(5, "tell", r#"{"ms":60000}"#)).await;
    reply.until("first").await;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#;
    assert_eq!(stage.post(&headers, cancel).await.status, StatusCode::ACCEPTED);
    reaches(&stage.tools.dropped, 1).await;
    assert!(!reply.text().await.contains("result"));
}

#[tokio::test]
async fn a_legacy_client_may_name_the_newest_revision_in_its_header() {
    let stage = Stage::new().await;
    let newest = ("mcp-protocol-version", "2026-07-28");
    let reply = stage.post(&[newest], initialize("2025-11-25")).await;
    assert_eq!(reply.status, StatusCode::OK);
    let session = reply.headers["mcp-session-id"].to_str().unwrap().to_owned();
    let reply = stage.post(&[newest, ("mcp-session-id", &session)], call(1, "echo", "{}")).await;
    assert_eq!(reply.text().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
}

#[tokio::test]
async fn modern_clients_have_no_sessions() {
    let stage = Stage::new().await;
    let newest = ("mcp-protocol-version", "2026-07-28");
    for method in [Method::GET, Method::DELETE] {
        let reply = stage.send(method, "/mcp", &[newest], "").await;
        assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(reply.headers["allow"], "POST");
    }
    let reply = stage.modern("ann", 1, "initialize", "{}").await;
    assert_eq!(reply.status, StatusCode::NOT_FOUND);
    let answer = stage.post(&[newest], r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST, "modern clients post no answers");
    let bare = stage.post(
        &[("mcp-method", "notifications/cancelled")],
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
    );
    assert_eq!(bare.await.status, StatusCode::ACCEPTED);
    assert_eq!(stage.server.sessions(), 0);
}

#[tokio::test]
async fn headers_that_say_something_else_are_refused_before_anything_runs() {
    let stage = Stage::new().await;
    let body = modern_text(1, "tools/call", r#"{"name":"echo","arguments":{}}"#);
    let version = ("mcp-protocol-version", "2026-07-28");
    let method = ("mcp-method", "tools/call");
    for headers in [
        vec![version, method, ("mcp-name", "sleep")],
        vec![version, method, ("mcp-name", "=?base64?!?=")],
        vec![version, method],
        vec![method, ("mcp-name", "echo")],
        vec![version, ("mcp-method", "tools/list"), ("mcp-name", "echo")],
        vec![version, method, method, ("mcp-name", "echo")],
    ] {
        let reply = stage.post(&headers, body.clone()).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{headers:?}");
        assert!(reply.text().await.contains("-32020"), "{headers:?}");
    }
    assert_eq!(stage.tools.began.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn arrays_are_for_the_one_revision_that_knows_them() {
    let stage = Stage::new().await;
    let batch = format!("[{},{}]", call(1, "echo", r#"{"a":1}"#), call(2, "echo", r#"{"b":2}"#));
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let session = stage.session("ann", version).await;
        let reply = stage.post(&[("mcp-session-id", &session)], batch.clone()).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{version}");
    }
    let session = stage.session("ann", "2025-03-26").await;
    let text = stage.post(&[("mcp-session-id", &session)], batch).await.text().await;
    assert!(
        text.starts_with('[')
            && text.contains(r#""id":1,"result":{"a":1}"#)
            && text.contains(r#""id":2,"result":{"b":2}"#),
        "{text}"
    );
    let notes =
        r#"[{"jsonrpc":"2.0","method":"notifications/a"},{"jsonrpc":"2.0","method":"notifications/b"}]"#;
    assert_eq!(stage.post(&[("mcp-session-id", &session)], notes).await.status, StatusCode::ACCEPTED);
}
