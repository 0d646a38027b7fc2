//! HTTP+SSE: one stream, messages beside it.

use http::{Method, StatusCode};

use super::stage::{Reply, Stage, call, initialize, reaches};

async fn open(stage: &Stage, caller: &str) -> (Reply, String) {
    let headers = [("x-caller", caller), ("accept", "text/event-stream")];
    let mut reply = stage.send(Method::GET, "/sse", &headers, "").await;
    assert_eq!(reply.status, StatusCode::OK);
    let seen = reply.until("\n\n").await;
    let endpoint = seen.strip_prefix("event: endpoint\ndata: ").unwrap().trim_end().to_owned();
    assert!(endpoint.starts_with("/messages?sessionId="), "{endpoint}");
    (reply, endpoint)
}

#[tokio::test]
async fn messages_are_answered_on_the_stream() {
    let stage = Stage::new().await;
    let (mut stream, endpoint) = open(&stage, "ann").await;
    let posted = stage.send(Method::POST, &endpoint, &[], initialize("2024-11-05")).await;
    assert_eq!((posted.status, posted.text().await.as_str()), (StatusCode::ACCEPTED, "Accepted"));
    stream.until(r#""protocolVersion":"2024-11-05""#).await;
    stage.send(Method::POST, &endpoint, &[], call(2, "echo", r#"{"a":1}"#)).await;
    stream.until("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":1}}\n\n").await;
    let malformed = stage.send(Method::POST, &endpoint, &[], "{").await;
    assert_eq!(malformed.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_stream_is_for_its_caller_and_ends_with_its_connection() {
    let stage = Stage::new().await;
    let (stream, endpoint) = open(&stage, "ann").await;
    let stolen = stage.send(Method::POST, &endpoint, &[("x-caller", "bob")], initialize("2024-11-05")).await;
    assert_eq!(stolen.status, StatusCode::NOT_FOUND);
    let id = endpoint.rsplit('=').next().unwrap();
    let confused = stage.post(&[("mcp-session-id", id)], call(1, "echo", "{}")).await;
    assert_eq!(confused.status, StatusCode::NOT_FOUND, "it is no session of the other transport");
    stage.send(Method::POST, &endpoint, &[], initialize("2024-11-05")).await;
    stage.send(Method::POST, &endpoint, &[], call(2, "sleep", r#"{"ms":60000}"#)).await;
    reaches(&stage.tools.began, 1).await;
    drop(stream);
    reaches(&stage.tools.dropped, 1).await;
    assert_eq!(stage.server.sessions(), 0);
    let late = stage.send(Method::POST, &endpoint, &[], call(3, "echo", "{}")).await;
    assert_eq!(late.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn calls_wait_for_the_handshake() {
    let stage = Stage::new().await;
    let (mut stream, endpoint) = open(&stage, "ann").await;
    stage.send(Method::POST, &endpoint, &[], call(1, "echo", "{}")).await;
    stream.until(r#""id":1,"error":{"code":-32600"#).await;
    let second = initialize("2024-11-05");
    stage.send(Method::POST, &endpoint, &[], second.clone()).await;
    stage.send(Method::POST, &endpoint, &[], second).await;
    stream.until("initialized before").await;
}

#[tokio::test]
async fn arrays_are_taken_where_the_revision_knows_them() {
    let stage = Stage::new().await;
    for (version, expected) in [("2025-03-26", StatusCode::ACCEPTED), ("2024-11-05", StatusCode::BAD_REQUEST)]
    {
        let (mut stream, endpoint) = open(&stage, "ann").await;
        stage.send(Method::POST, &endpoint, &[], initialize(version)).await;
        stream.until("serverInfo").await;
        let array = format!("[{},{}]", call(2, "echo", "{}"), call(3, "echo", "{}"));
        assert_eq!(stage.send(Method::POST, &endpoint, &[], array).await.status, expected);
        if expected == StatusCode::ACCEPTED {
            stream.until("data: [{").await;
        }
    }
}
