//! Questions in the middle of a call: sealed rounds for modern clients, requests for legacy ones.

use std::sync::atomic::Ordering;
use std::time::Duration;

use http::StatusCode;
use mcp::json::View;
use mcp::server::Settings;

use super::stage::{Stage, call, reaches};

const ASK: &str = r#"{"name":"ask","arguments":{"b":1,"a":"x"}}"#;
const BOTH: &str = r#"{"one":{"action":"accept"},"two":{"action":"decline"}}"#;

async fn state(stage: &Stage, caller: &str) -> String {
    let text = stage.modern(caller, 1, "tools/call", ASK).await.text().await;
    let view = View::new(text.as_bytes());
    assert!(view.at(&["result", "resultType"]).unwrap().is("input_required"), "{text}");
    assert!(
        view.at(&["result", "inputRequests", "one"]).is_some()
            && view.at(&["result", "inputRequests", "two"]).is_some()
    );
    view.at(&["result", "requestState"]).unwrap().text().unwrap().into_owned()
}

fn again(state: &str, arguments: &str, responses: &str) -> String {
    format!(
        r#"{{"name":"ask","arguments":{arguments},"requestState":"{state}","inputResponses":{responses}}}"#
    )
}

#[tokio::test]
async fn a_call_goes_on_where_it_asked() {
    let stage = Stage::new().await;
    let sealed = state(&stage, "ann").await;
    let same_call_written_differently = again(&sealed, r#"{ "a":"\u0078", "b":1 }"#, BOTH);
    let text = stage.modern("ann", 2, "tools/call", &same_call_written_differently).await.text().await;
    assert!(
        text.contains(r#""id":2"#)
            && text.contains(r#""one":{"action":"accept"},"two":{"action":"decline"}"#),
        "{text}"
    );
    assert_eq!(stage.tools.began.load(Ordering::SeqCst), 1, "the call ran once");
}

#[tokio::test]
async fn a_state_is_good_once_for_one_caller_and_one_call() {
    let stage = Stage::new().await;
    let sealed = state(&stage, "ann").await;
    let arguments = r#"{"b":1,"a":"x"}"#;
    for (caller, text) in [
        ("bob", again(&sealed, arguments, BOTH)),
        ("ann", again(&sealed, r#"{"b":2,"a":"x"}"#, BOTH)),
        ("ann", again(&format!("{sealed}x"), arguments, BOTH)),
        ("ann", again("", arguments, BOTH)),
    ] {
        let text = stage.modern(caller, 2, "tools/call", &text).await.text().await;
        assert!(text.contains("-32602") && text.contains("requestState"), "{text}");
    }
    let done = stage.modern("ann", 3, "tools/call", &again(&sealed, arguments, BOTH)).await.text().await;
    assert!(done.contains("accept"), "{done}");
    let twice = stage.modern("ann", 4, "tools/call", &again(&sealed, arguments, BOTH)).await.text().await;
    assert!(twice.contains("-32602"), "{twice}");
    assert_eq!(stage.tools.began.load(Ordering::SeqCst), 1, "nothing ran a second time");
}

#[tokio::test]
async fn what_is_missing_is_asked_for_again() {
    let stage = Stage::new().await;
    let first = state(&stage, "ann").await;
    let arguments = r#"{"b":1,"a":"x"}"#;
    let half = again(&first, arguments, r#"{"one":{"action":"accept"},"two":7,"three":{}}"#);
    let text = stage.modern("ann", 2, "tools/call", &half).await.text().await;
    let view = View::new(text.as_bytes());
    assert!(view.at(&["result", "inputRequests", "one"]).is_none(), "{text}");
    let second = view.at(&["result", "requestState"]).unwrap().text().unwrap().into_owned();
    assert_ne!(first, second);
    let rest = again(&second, arguments, r#"{"two":{"action":"cancel"}}"#);
    let text = stage.modern("ann", 3, "tools/call", &rest).await.text().await;
    assert!(text.contains(r#""one":{"action":"accept"},"two":{"action":"cancel"}"#), "{text}");
}

#[tokio::test]
async fn waiting_calls_are_bounded_in_number_and_time() {
    let settings = Settings {
        parked: 2,
        park_for: Duration::from_millis(400),
        sweep: Duration::from_millis(20),
        ..Settings::default()
    };
    let stage = Stage::with(settings).await;
    let early = state(&stage, "ann").await;
    state(&stage, "bob").await;
    let text = stage.modern("eve", 1, "tools/call", ASK).await.text().await;
    assert!(text.contains("-31004"), "{text}");
    reaches(&stage.tools.dropped, 3).await;
    let late =
        stage.modern("ann", 2, "tools/call", &again(&early, r#"{"b":1,"a":"x"}"#, BOTH)).await.text().await;
    assert!(late.contains("-32602"), "{late}");
    state(&stage, "ann").await;
}

#[tokio::test]
async fn questions_asked_at_once_take_turns_and_talking_between_rounds_harms_nothing() {
    let stage = Stage::new().await;
    let mut params = r#"{"name":"busy","arguments":{}}"#.to_owned();
    let mut answered = Vec::new();
    for id in 1..=3 {
        let text = stage.modern("ann", id, "tools/call", &params).await.text().await;
        let view = View::new(text.as_bytes());
        assert!(text.contains(&format!(r#""id":{id},"#)), "{text}");
        let Some(sealed) = view.at(&["result", "requestState"]).and_then(View::text) else {
            assert!(text.contains(r#""both":true"#), "{text}");
            continue;
        };
        let asked = view.at(&["result", "inputRequests"]).unwrap().members().next().unwrap().0;
        let key = String::from_utf8(asked.into_owned()).unwrap();
        params = format!(
            r#"{{"name":"busy","arguments":{{}},"requestState":"{sealed}","inputResponses":{{"{key}":{{"action":"accept"}}}}}}"#
        );
        answered.push(key);
    }
    assert_eq!(answered, ["one", "two"]);
}

#[tokio::test]
async fn only_declared_questions_are_asked() {
    let stage = Stage::new().await;
    let text = super::stage::modern_text(1, "tools/call", ASK).replace(r#"{"elicitation":{}}"#, "{}");
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "ask")];
    let reply = stage.post(&headers, text).await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    assert!(reply.text().await.contains("-32021"));
}

#[tokio::test]
async fn a_legacy_client_is_asked_by_requests_on_the_calls_stream() {
    let stage = Stage::new().await;
    let session = stage.session("ann", "2025-06-18").await;
    let headers = [("mcp-session-id", session.as_str())];
    let mut reply = stage.post(&headers, call(9, "ask", "{}")).await;
    reply.until(r#""id":2,"method":"elicitation/create""#).await;
    let answer = |id: u32, result: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    assert_eq!(
        stage.post(&headers, answer(77, "{}")).await.status,
        StatusCode::ACCEPTED,
        "nobody asked that"
    );
    stage.post(&headers, answer(2, r#"{"action":"decline"}"#)).await;
    stage.post(&headers, answer(1, r#"{"action":"accept"}"#)).await;
    let text = reply.text().await;
    assert!(
        text.contains(r#""id":9,"result":{"one":{"action":"accept"},"two":{"action":"decline"}}"#),
        "{text}"
    );
    assert_eq!(stage.server.refused(), 1);
}
