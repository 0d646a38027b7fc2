//! What a server does not take: bodies, texts and callers beyond their bounds.

use std::time::{Duration, Instant};

use http::StatusCode;
use mcp::server::Settings;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::stage::{Stage, call};

const NEWEST: [(&str, &str); 2] = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call")];

#[tokio::test]
async fn a_body_may_have_four_mebibytes() {
    let stage = Stage::new().await;
    let session = stage.session("ann", "2025-11-25").await;
    let headers = [("mcp-session-id", session.as_str())];
    let frame = call(1, "echo", r#"{"text":""}"#).len();
    let text = "x".repeat((4 << 20) - frame);
    let fits = call(1, "echo", &format!(r#"{{"text":"{text}"}}"#));
    assert_eq!(fits.len(), 4 << 20);
    let reply = stage.post(&headers, fits).await;
    assert_eq!(reply.status, StatusCode::OK);
    let answer = reply.text().await;
    assert!(answer.len() > text.len(), "{} bytes: {}", answer.len(), &answer[..answer.len().min(200)]);
    let too_large = call(1, "echo", &format!(r#"{{"text":"{text}x"}}"#));
    assert_eq!(stage.post(&headers, too_large).await.status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn an_endless_body_is_refused_while_it_comes() {
    let stage = Stage::new().await;
    let mut socket = tokio::net::TcpStream::connect(stage.address).await.unwrap();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    socket.write_all(head.as_bytes()).await.unwrap();
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    for _ in 0..200 {
        if socket.write_all(chunk.as_bytes()).await.is_err() {
            break;
        }
    }
    let mut answer = vec![0; 64];
    let length = socket.read(&mut answer).await.unwrap_or(0);
    let answer = String::from_utf8_lossy(&answer[..length]);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[tokio::test]
async fn a_body_that_trickles_is_given_up() {
    let stage =
        Stage::with(Settings { body_within: Duration::from_millis(200), ..Settings::default() }).await;
    let mut socket = tokio::net::TcpStream::connect(stage.address).await.unwrap();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{";
    socket.write_all(head.as_bytes()).await.unwrap();
    let mut answer = vec![0; 64];
    let length = socket.read(&mut answer).await.unwrap();
    assert!(answer[..length].starts_with(b"HTTP/1.1 408"));
}

#[tokio::test]
async fn texts_made_to_hurt_are_refused_quickly() {
    let stage = Stage::new().await;
    let one = r#"{"jsonrpc":"2.0","method":"a"}"#;
    let keys: String = (0..300_000).map(|number| format!("\"k{number}\":1,")).collect::<Vec<_>>().concat();
    let hurtful = [
        format!("[{}]", vec![one; 100_001].join(",")),
        "[".repeat(4 << 20),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{}"#, r#"{"a":"#.repeat(100_000)),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{{keys}"z":1}}}}"#),
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}"#.into(),
        r#"{"jsonrpc":"2.0","id":1,"Method":"tools/call"}"#.into(),
        r#"{"jsonrpc":"2.0","id":1,"m\u0065thod":"tools/call"}"#.into(),
        "\u{feff}{}".into(),
        "not json".into(),
    ];
    for text in hurtful {
        let began = Instant::now();
        let reply = stage.post(&NEWEST, text.clone()).await;
        let (status, taken) = (reply.status, began.elapsed());
        assert_eq!(status, StatusCode::BAD_REQUEST, "{}", &text[..text.len().min(80)]);
        assert!(taken < Duration::from_secs(2), "{taken:?} for {}", &text[..text.len().min(80)]);
    }
}

#[tokio::test]
async fn only_json_is_posted_and_only_known_forms_are_answered_with() {
    let stage = Stage::new().await;
    let session = stage.session("ann", "2025-11-25").await;
    let id = ("mcp-session-id", session.as_str());
    let refused = stage.post(&[id, ("accept", "text/html")], call(1, "echo", "{}")).await;
    assert_eq!(refused.status, StatusCode::NOT_ACCEPTABLE);
    let json = stage.post(&[id, ("accept", "application/json")], call(2, "tell", r#"{"ms":200}"#)).await;
    assert_eq!(json.text().await, r#"{"jsonrpc":"2.0","id":2,"result":{"told":true}}"#);
    let events = stage.post(&[id, ("accept", "text/event-stream")], call(3, "echo", "{}")).await;
    assert!(events.is_events());
    let mut socket = tokio::net::TcpStream::connect(stage.address).await.unwrap();
    let form =
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\n{}";
    socket.write_all(form.as_bytes()).await.unwrap();
    let mut answer = vec![0; 64];
    let length = socket.read(&mut answer).await.unwrap();
    assert!(answer[..length].starts_with(b"HTTP/1.1 415"));
}

#[tokio::test]
async fn strangers_hosts_and_pages_are_refused_on_every_path() {
    let stage = Stage::new().await;
    for path in ["/mcp", "/sse", "/messages?sessionId=x"] {
        for (host, origin) in
            [("evil.com", None), ("localhost", Some("http://evil.com")), ("localhost", Some("null"))]
        {
            let mut socket = tokio::net::TcpStream::connect(stage.address).await.unwrap();
            let origin = origin.map_or(String::new(), |origin| format!("origin: {origin}\r\n"));
            let text =
                format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n{origin}accept: text/event-stream\r\n\r\n");
            socket.write_all(text.as_bytes()).await.unwrap();
            let mut answer = vec![0; 64];
            let length = socket.read(&mut answer).await.unwrap();
            assert!(answer[..length].starts_with(b"HTTP/1.1 403"), "{path} {host} {origin}");
        }
    }
}

#[tokio::test]
async fn calls_are_bounded_and_a_panic_is_an_error_of_that_call_alone() {
    let stage = Stage::with(Settings { calls: 1, ..Settings::default() }).await;
    let broken = stage.modern("ann", 1, "tools/call", r#"{"name":"panic","arguments":{}}"#).await;
    assert!(broken.text().await.contains(r#""id":1,"error":{"code":-32603"#));
    let mut running =
        stage.modern("ann", 2, "tools/call", r#"{"name":"tell","arguments":{"ms":60000}}"#).await;
    running.until("first").await;
    let busy = stage.modern("ann", 3, "tools/call", r#"{"name":"echo","arguments":{}}"#).await;
    assert_eq!(busy.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(busy.text().await.contains("-31004"));
}

#[tokio::test]
async fn a_service_that_cannot_say_what_it_is_harms_nobody_else() {
    let stage = Stage::new().await;
    let session = stage.session("ann", "2025-11-25").await;
    let headers = [("mcp-session-id", session.as_str()), ("x-rights", "broken")];
    for _ in 0..2 {
        let text = stage.post(&headers, call(1, "echo", "{}")).await.text().await;
        assert!(text.contains(r#""id":1,"error":{"code":-32603"#), "{text}");
    }
    let fine = stage.post(&headers[..1], call(1, "echo", "{}")).await.text().await;
    assert!(fine.contains(r#""result":{}"#), "{fine}");
    let opened = stage.post(&[("x-rights", "broken")], super::stage::initialize("2025-11-25")).await;
    assert!(opened.text().await.contains("-32603"));
    assert_eq!(stage.server.sessions(), 1);
}

#[tokio::test]
async fn everything_a_call_says_arrives_as_it_was_written() {
    let stage = Stage::new().await;
    let session = stage.session("ann", "2025-11-25").await;
    let headers = [("mcp-session-id", session.as_str())];
    let odd = r#"{"a": 1e999,"\u0062":"\ud83d\ude00\ud800","c":18446744073709551615 ,"d":[ ] , "e":-0.0}"#;
    let text = stage.post(&headers, call(1, "echo", odd)).await.text().await;
    assert_eq!(text, format!(r#"{{"jsonrpc":"2.0","id":1,"result":{odd}}}"#));
    for id in ["18446744073709551615", "-9223372036854775808", r#""\ud83d\ude00""#, "\"\""] {
        let text = call(1, "echo", "{}").replacen("\"id\":1", &format!("\"id\":{id}"), 1);
        let answer = stage.post(&headers, text).await.text().await;
        assert_eq!(answer, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
}
