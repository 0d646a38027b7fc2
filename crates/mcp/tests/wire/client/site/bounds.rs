//! What a server may send at most, and what it may not send at all.

use super::*;
use mcp::client::{CallError, Class};

async fn answering_calls<F>(answer: F) -> Session
where
    F: Fn(&Seen) -> Response + Clone + Send + Sync + 'static,
{
    let site = Site::open(move |seen| {
        let response = as_legacy(&seen).unwrap_or_else(|| answer(&seen));
        async move { response }
    })
    .await;
    site.connect(settings(Choice::Legacy)).await.unwrap()
}

#[tokio::test]
async fn an_event_of_seventeen_mebibytes_or_without_end_is_an_error() {
    let mebibyte = "x".repeat(1024 * 1024);
    for ended in [true, false] {
        let mebibyte = mebibyte.clone();
        let session = answering_calls(move |_| {
            let mut pieces = vec!["data: \"".to_owned()];
            pieces.extend(std::iter::repeat_n(mebibyte.clone(), 17));
            if ended {
                pieces.push("\"\n\n".into());
            }
            open_events(pieces)
        })
        .await;
        assert_eq!(session.call(tool("x")).await, Err(CallError::TooLarge));
    }
}

#[tokio::test]
async fn fifteen_mebibytes_pass_as_json_and_as_an_event() {
    let big = "x".repeat(15 * 1024 * 1024);
    let expected = json!({ "big": big }).to_string();
    for as_event in [true, false] {
        let big = big.clone();
        let session = answering_calls(move |seen| {
            let answer = json!({ "big": big });
            if as_event { events(vec![answer_event(seen, answer)]) } else { result(seen, answer) }
        })
        .await;
        assert!(session.call(tool("x")).await.unwrap() == expected.as_bytes());
    }
}

#[tokio::test]
async fn a_body_of_seventeen_mebibytes_is_too_large() {
    let session = answering_calls(|seen| result(seen, json!({"big": "x".repeat(17 * 1024 * 1024)}))).await;
    assert_eq!(session.call(tool("x")).await, Err(CallError::TooLarge));
}

#[tokio::test]
async fn an_answer_to_another_call_is_none() {
    let session =
        answering_calls(|_| json_body(200, &json!({"jsonrpc": "2.0", "id": 77, "result": {}}))).await;
    assert_eq!(session.call(tool("x")).await, Err(CallError::Malformed("not a JSON-RPC message")));
    assert_eq!(session.counts().unknown, 1);
}

#[tokio::test]
async fn every_line_end_is_understood() {
    for end in ["\n", "\r", "\r\n"] {
        let session = answering_calls(move |seen| {
            let text = answer_event(seen, json!({"ok": 1})).replace('\n', end);
            events(text.chars().map(String::from).collect())
        })
        .await;
        assert_eq!(session.call(tool("x")).await.unwrap(), &br#"{"ok":1}"#[..], "{end:?}");
    }
}

#[tokio::test]
async fn an_encoded_answer_is_refused() {
    let session = answering_calls(|seen| {
        let mut response = result(seen, json!({}));
        response.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
        response
    })
    .await;
    assert!(matches!(session.call(tool("x")).await, Err(CallError::Unreachable(_))));
}

#[tokio::test]
async fn a_redirect_to_another_origin_takes_nothing_along() {
    let other = Site::open(|seen| async move { result(&seen, json!({})) }).await;
    let elsewhere = other.url.to_string();
    let site =
        Site::open(move |_| {
            let elsewhere = elsewhere.clone();
            async move {
                Response::builder().status(307).header("location", elsewhere).body(Body::empty()).unwrap()
            }
        })
        .await;
    let secret = HeaderMap::from_iter([(http::header::AUTHORIZATION, "Bearer secret".parse().unwrap())]);
    let error = site.connect_as(settings(Choice::Auto), Flavour::Auto, secret, None).await.err().unwrap();
    assert_eq!(error.class(), Class::Blocked);
    assert!(other.seen().is_empty());
}
