//! Legacy sessions: whose they are, how many there may be, and how they end.

use std::time::Duration;

use http::{Method, StatusCode};
use mcp::server::Settings;

use super::stage::{Stage, call, initialize};

#[tokio::test]
async fn a_session_of_someone_else_is_as_unknown_as_none() {
    let stage = Stage::new().await;
    let session = stage.session("ann", "2025-11-25").await;
    for (caller, id, expected) in [
        ("ann", session.as_str(), StatusCode::OK),
        ("bob", session.as_str(), StatusCode::NOT_FOUND),
        ("ann", "0123456789abcdef0123456789abcdef", StatusCode::NOT_FOUND),
    ] {
        let headers = [("x-caller", caller), ("mcp-session-id", id)];
        assert_eq!(stage.post(&headers, call(1, "echo", "{}")).await.status, expected);
        let accept = ("accept", "text/event-stream");
        let get = stage.send(Method::GET, "/mcp", &[headers[0], headers[1], accept], "").await;
        assert_eq!(get.status, expected);
    }
    let stolen =
        stage.send(Method::DELETE, "/mcp", &[("x-caller", "bob"), ("mcp-session-id", &session)], "").await;
    assert_eq!(stolen.status, StatusCode::NOT_FOUND);
    assert_eq!(stage.server.sessions(), 1);
}

#[tokio::test]
async fn a_call_runs_with_the_rights_of_its_own_request() {
    let stage = Stage::new().await;
    let opened = stage.post(&[("x-rights", "admin")], initialize("2025-11-25")).await;
    let session = opened.headers["mcp-session-id"].to_str().unwrap().to_owned();
    for rights in ["reader", "admin", "reader"] {
        let reply =
            stage.post(&[("mcp-session-id", &session), ("x-rights", rights)], call(1, "who", "{}")).await;
        assert!(reply.text().await.contains(&format!(r#""who":"{rights}""#)));
    }
}

#[tokio::test]
async fn guessed_ids_open_nothing() {
    let stage = Stage::new().await;
    for number in 0..2_000 {
        let id = format!("{number:032x}");
        let reply = stage.post(&[("mcp-session-id", &id)], call(1, "echo", "{}")).await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND);
    }
    assert_eq!(stage.server.sessions(), 0);
}

#[tokio::test]
async fn a_request_without_its_session_is_refused() {
    let stage = Stage::new().await;
    assert_eq!(stage.post(&[], call(1, "echo", "{}")).await.status, StatusCode::BAD_REQUEST);
    let unknown = [("mcp-protocol-version", "1999-01-01"), ("mcp-session-id", "x")];
    assert_eq!(stage.post(&unknown, call(1, "echo", "{}")).await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_deleted_session_is_over() {
    let stage = Stage::new().await;
    let session = stage.session("ann", "2025-11-25").await;
    let headers = [("mcp-session-id", session.as_str())];
    assert_eq!(stage.send(Method::DELETE, "/mcp", &headers, "").await.status, StatusCode::NO_CONTENT);
    assert_eq!(stage.post(&headers, call(1, "echo", "{}")).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_session_left_alone_ends() {
    let idle = Duration::from_millis(200);
    let stage = Stage::with(Settings { idle, sweep: Duration::from_millis(20), ..Settings::default() }).await;
    stage.session("ann", "2025-11-25").await;
    for _ in 0..200 {
        if stage.server.sessions() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the session is still there");
}

#[tokio::test]
async fn sessions_are_bounded_and_one_caller_cannot_take_anothers() {
    let stage = Stage::with(Settings { sessions: 3, sessions_each: 2, ..Settings::default() }).await;
    let first = stage.session("ann", "2025-11-25").await;
    stage.session("ann", "2025-11-25").await;
    stage.session("ann", "2025-11-25").await;
    let headers = [("mcp-session-id", first.as_str())];
    assert_eq!(stage.post(&headers, call(1, "echo", "{}")).await.status, StatusCode::NOT_FOUND);
    stage.session("bob", "2025-11-25").await;
    let full = stage.post(&[("x-caller", "eve")], initialize("2025-11-25")).await;
    assert_eq!(full.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(stage.server.sessions(), 3);
}

#[tokio::test]
async fn equal_ids_of_different_clients_are_never_confused() {
    let stage = Stage::new().await;
    let sessions = [stage.session("ann", "2025-11-25").await, stage.session("bob", "2025-06-18").await];
    let one = |who: usize, round: usize| {
        let (stage, session) = (&stage, &sessions[who]);
        let caller = ["ann", "bob"][who];
        async move {
            let said = format!(r#"{{"said":"{caller}-{round}"}}"#);
            let reply = stage
                .post(&[("x-caller", caller), ("mcp-session-id", session)], call(7, "echo", &said))
                .await;
            assert_eq!(reply.text().await, format!(r#"{{"jsonrpc":"2.0","id":7,"result":{said}}}"#));
        }
    };
    for round in 0..500 {
        tokio::join!(one(0, round), one(1, round));
    }
}
