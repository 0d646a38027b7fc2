//! Legacy sessions over streamable HTTP.

use super::*;
use mcp::Era;
use mcp::client::CallError;
use std::sync::atomic::{AtomicUsize, Ordering};

#[tokio::test]
async fn a_session_keeps_its_id_names_its_revision_and_is_ended() {
    let site =
        Site::open(|seen| async move { as_legacy(&seen).unwrap_or_else(|| result(&seen, json!({"ok": 1}))) })
            .await;
    let session = site.connect(settings(Choice::Auto)).await.unwrap();
    assert_eq!(session.peer().era, Era::Legacy);
    assert_eq!(session.call(tool("x")).await.unwrap(), &br#"{"ok":1}"#[..]);
    session.close().await;
    let seen = site.seen();
    let first = &site.asked("initialize")[0];
    assert_eq!((first.header("mcp-session-id"), first.header("mcp-protocol-version")), ("", ""));
    assert_eq!(first.header("accept"), "application/json, text/event-stream");
    for later in seen.iter().filter(|seen| !seen.asks("server/discover") && !seen.asks("initialize")) {
        assert_eq!(later.header("mcp-session-id"), "s-1", "{later:?}");
        assert_eq!(later.header("mcp-protocol-version"), "2025-11-25", "{later:?}");
    }
    assert!(seen.iter().any(|seen| seen.method == Method::DELETE));
}

#[tokio::test]
async fn a_forgotten_session_is_begun_anew_once_for_all_its_calls() {
    let begun = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&begun);
    let site = Site::open(move |seen| {
        let count = Arc::clone(&count);
        async move {
            if seen.asks("initialize") {
                let number = count.fetch_add(1, Ordering::SeqCst) + 1;
                let mut response = result(&seen, welcome("2025-06-18", json!({})));
                response.headers_mut().insert("mcp-session-id", format!("s-{number}").parse().unwrap());
                return response;
            }
            if let Some(response) = as_legacy(&seen) {
                return response;
            }
            if seen.header("mcp-session-id") == "s-1" { status(404) } else { result(&seen, json!({"ok": 1})) }
        }
    })
    .await;
    let session = site.connect(settings(Choice::Legacy)).await.unwrap();
    let calls: Vec<_> = (0..10).map(|_| calling(&session, tool("x"))).collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(begun.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_session_that_is_always_forgotten_is_begun_anew_only_once_per_call() {
    let site = Site::open(|seen| async move { as_legacy(&seen).unwrap_or_else(|| status(404)) }).await;
    let session = site.connect(settings(Choice::Legacy)).await.unwrap();
    assert_eq!(session.call(tool("x")).await, Err(CallError::Status(404)));
    assert_eq!((site.asked("initialize").len(), site.asked("tools/call").len()), (2, 2));
}

#[tokio::test]
async fn a_server_without_session_ids_is_not_told_of_an_end() {
    let site = Site::open(|seen| async move {
        if seen.asks("initialize") {
            return result(&seen, welcome("2025-03-26", json!({})));
        }
        as_legacy(&seen).unwrap_or_else(|| result(&seen, json!({})))
    })
    .await;
    let session = site.connect(settings(Choice::Legacy)).await.unwrap();
    session.call(tool("x")).await.unwrap();
    session.close().await;
    assert!(site.seen().iter().all(|seen| seen.method != Method::DELETE));
    assert_eq!(
        site.asked("tools/call")[0].header("mcp-protocol-version"),
        "",
        "the revision has no such header"
    );
}
