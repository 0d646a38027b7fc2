//! Streams: what is announced on them, how they stay alive, and what happens to those who do not read.

use std::time::Duration;

use http::{Method, StatusCode};
use mcp::server::{Change, Settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::stage::{PATIENCE, Reply, Stage, call, modern_text, reaches};

async fn general(stage: &Stage, caller: &str, session: &str) -> Reply {
    let headers = [("x-caller", caller), ("mcp-session-id", session), ("accept", "text/event-stream")];
    let reply = stage.send(Method::GET, "/mcp", &headers, "").await;
    assert_eq!(reply.status, StatusCode::OK);
    reply
}

#[tokio::test]
async fn changes_reach_those_they_concern() {
    let stage = Stage::new().await;
    let (ann, bob) = (stage.session("ann", "2025-11-25").await, stage.session("bob", "2025-11-25").await);
    let mut hers = general(&stage, "ann", &ann).await;
    let mut his = general(&stage, "bob", &bob).await;
    let listen = r#"{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["a:1"]}}"#;
    let mut modern = stage.modern("ann", 41, "subscriptions/listen", listen).await;
    let seen = modern.until("acknowledged").await;
    assert!(
        seen.contains(r#""notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:1"]}"#),
        "no prompts change here: {seen}"
    );
    let subscribe = r#"{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"a:2"}}"#;
    stage.post(&[("mcp-session-id", &ann)], subscribe).await;

    stage.server.announce(&Change::Tools, |caller| caller.name == "ann");
    for uri in ["a:1", "a:2"] {
        stage.server.announce(&Change::Resource(uri.into()), |_| true);
    }
    stage.server.announce(&Change::Resources, |_| true);
    let seen = hers.until("notifications/resources/list_changed").await;
    assert!(seen.contains("tools/list_changed") && seen.contains("a:2") && !seen.contains("a:1"), "{seen}");
    let seen = his.until("notifications/resources/list_changed").await;
    assert!(!seen.contains("tools/list_changed") && !seen.contains("updated"), "{seen}");
    let seen = modern.until("notifications/resources/updated").await;
    let marked = seen.matches(r#""io.modelcontextprotocol/subscriptionId":41"#).count();
    assert_eq!(marked, 3, "acknowledged, tools and one resource: {seen}");
    assert!(!seen.contains("a:2") && !seen.contains("resources/list_changed"), "{seen}");
}

#[tokio::test]
async fn log_messages_come_from_the_level_on_that_was_asked_for() {
    let stage = Stage::new().await;
    let session = stage.session("ann", "2025-11-25").await;
    let headers = [("mcp-session-id", session.as_str())];
    let silent = stage.post(&headers, call(1, "log", "{}")).await.text().await;
    assert!(!silent.contains(" logged"), "{silent}");
    let level = r#"{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"info"}}"#;
    assert!(stage.post(&headers, level).await.text().await.contains(r#""result":{}"#));
    let loud = stage.post(&headers, call(3, "log", "{}")).await.text().await;
    assert!(
        loud.contains("info logged") && loud.contains("error logged") && !loud.contains("debug logged"),
        "{loud}"
    );

    let modern = stage.modern("ann", 1, "tools/call", r#"{"name":"log","arguments":{}}"#).await.text().await;
    assert!(!modern.contains("said") && !modern.contains(" logged"), "nobody asked: {modern}");
    let asked = modern_text(2, "tools/call", r#"{"name":"log","arguments":{}}"#)
        .replace(r#""_meta":{"#, r#""_meta":{"io.modelcontextprotocol/logLevel":"error","#);
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "log")];
    let reply = stage.post(&headers, asked).await;
    assert_eq!(reply.headers["x-accel-buffering"], "no");
    let modern = reply.text().await;
    assert!(
        modern.contains("error said") && modern.contains("error logged") && !modern.contains("info"),
        "{modern}"
    );
}

#[tokio::test]
async fn stopping_ends_subscriptions_with_an_answer() {
    let stage = Stage::new().await;
    let mut modern = stage.modern("ann", 4, "subscriptions/listen", r#"{"notifications":{}}"#).await;
    modern.until("acknowledged").await;
    stage.server.stop(Duration::from_secs(1)).await;
    assert!(modern.text().await.contains(r#""id":4,"result":{"resultType":"complete""#));
    let late = stage.modern("ann", 5, "server/discover", "{}").await;
    assert_eq!(late.status, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn whoever_stops_listening_is_forgotten() {
    let stage = Stage::with(Settings { listeners: 1, ..Settings::default() }).await;
    let mut modern = stage.modern("ann", 4, "subscriptions/listen", r#"{"notifications":{}}"#).await;
    modern.until("acknowledged").await;
    let second = stage.modern("bob", 5, "subscriptions/listen", r#"{"notifications":{}}"#).await;
    assert_eq!(second.status, StatusCode::SERVICE_UNAVAILABLE);
    drop(modern);
    for _ in 0..500 {
        if stage.server.listeners() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the listener is still there");
}

#[tokio::test]
async fn a_silent_stream_shows_that_it_is_alive() {
    let stage = Stage::with(Settings { keep_alive: Duration::from_millis(50), ..Settings::default() }).await;
    let session = stage.session("ann", "2025-11-25").await;
    let mut reply = general(&stage, "ann", &session).await;
    reply.until(": alive\n\n: alive\n\n: alive").await;
}

#[tokio::test]
async fn the_newest_stream_of_a_session_takes_over() {
    let stage = Stage::new().await;
    let session = stage.session("ann", "2025-11-25").await;
    let first = general(&stage, "ann", &session).await;
    let mut second = general(&stage, "ann", &session).await;
    stage.server.announce(&Change::Tools, |_| true);
    second.until("list_changed").await;
    assert!(!first.text().await.contains("list_changed"), "one message goes to one stream");
}

/// Sends a request by hand and reads nothing of the answer.
async fn deaf(stage: &Stage, headers: &str, body: &str) -> tokio::net::TcpStream {
    let mut socket = tokio::net::TcpStream::connect(stage.address).await.unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    socket.write_all(body.as_bytes()).await.unwrap();
    socket
}

#[tokio::test]
async fn a_client_that_does_not_read_is_cut_off_and_others_notice_nothing() {
    let stage = Stage::new().await;
    let headers = "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: flood\r\n";
    let body = modern_text(1, "tools/call", r#"{"name":"flood","arguments":{"count":1000000}}"#);
    let mut socket = deaf(&stage, headers, &body).await;
    reaches(&stage.tools.began, 1).await;
    let began = std::time::Instant::now();
    for round in 0..50 {
        let said = format!(r#"{{"round":{round}}}"#);
        let params = format!(r#"{{"name":"echo","arguments":{said}}}"#);
        assert!(
            stage
                .modern("bob", round, "tools/call", &params)
                .await
                .text()
                .await
                .contains(&format!("\"round\":{round}"))
        );
    }
    reaches(&stage.tools.dropped, 1 + 50).await;
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    let mut seen = Vec::new();
    socket.read_to_end(&mut seen).await.unwrap();
    assert!(seen.len() < 16 << 20, "{} bytes were on their way", seen.len());
    assert!(!String::from_utf8_lossy(&seen).contains("flooded"));
}

#[tokio::test]
async fn a_legacy_client_that_does_not_read_still_finds_the_answer() {
    let stage = Stage::new().await;
    let session = stage.session("ann", "2025-11-25").await;
    let headers = format!("mcp-session-id: {session}\r\n");
    let socket = deaf(&stage, &headers, &call(1, "flood", r#"{"count":20000}"#)).await;
    reaches(&stage.tools.finished, 1).await;
    drop(socket);
    let resume =
        [("mcp-session-id", session.as_str()), ("last-event-id", "1-20000"), ("accept", "text/event-stream")];
    let text = stage.send(Method::GET, "/mcp", &resume, "").await.text().await;
    assert!(text.contains(r#""result":{"flooded":true}"#), "{text}");
    let lost =
        [("mcp-session-id", session.as_str()), ("last-event-id", "1-5"), ("accept", "text/event-stream")];
    assert_eq!(
        stage.send(Method::GET, "/mcp", &lost, "").await.status,
        StatusCode::NOT_FOUND,
        "events were dropped"
    );
}
