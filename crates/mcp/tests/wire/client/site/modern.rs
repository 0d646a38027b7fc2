//! Modern peers over HTTP: headers that repeat the body, and the end of a stream as the end of a call.

use super::*;
use mcp::Era;
use mcp::client::{CallError, EraCache, List};
use std::time::Duration;

const TOOLS: &str = r#"{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[
    {"name":"é","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}},
    {"name":"bad","inputSchema":{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}},
    {"name":"plain","inputSchema":{"type":"object"}}]}"#;

#[tokio::test]
async fn headers_repeat_the_body_and_tools_with_wishes_nobody_can_follow_are_left_out() {
    let site = Site::open(|seen| async move {
        if let Some(response) = as_modern(&seen) {
            return response;
        }
        let answer = if seen.asks("tools/list") { serde_json::from_str(TOOLS).unwrap() } else { json!({}) };
        result(&seen, answer)
    })
    .await;
    let session = site.connect(settings(Choice::Auto)).await.unwrap();
    assert_eq!(session.peer().era, Era::Modern);
    assert_eq!(session.list(List::Tools).await.unwrap().items.len(), 2);
    let params = json!({"name": "é", "arguments": {"region": "eu", "other": 1}}).to_string();
    session.call(Call { params: Some(Bytes::from(params)), ..tool("") }).await.unwrap();
    for seen in site.seen() {
        assert_eq!(seen.header("mcp-protocol-version"), "2026-07-28");
        assert_eq!(seen.header("mcp-method"), seen.body["method"].as_str().unwrap());
        assert_eq!(seen.header("mcp-session-id"), "");
        assert_eq!(seen.body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    }
    let call = &site.asked("tools/call")[0];
    assert_eq!((call.header("mcp-name"), call.header("mcp-param-region")), ("=?base64?w6k=?=", "eu"));
    session.close().await;
    assert!(site.seen().iter().all(|seen| seen.method == Method::POST), "no stream and no end of its own");
}

#[tokio::test]
async fn a_modern_objection_by_status_400_is_answered_by_a_second_try() {
    let site = Site::open(|seen| async move {
        static FIRST: std::sync::Once = std::sync::Once::new();
        let mut first = false;
        FIRST.call_once(|| first = true);
        if first { fault(&seen, 400, -32022) } else { as_modern(&seen).unwrap() }
    })
    .await;
    let eras = Arc::new(EraCache::default());
    let known = Settings { eras: Some(Arc::clone(&eras)), ..settings(Choice::Auto) };
    assert_eq!(site.connect(known).await.unwrap().peer().era, Era::Modern);
    assert_eq!(eras.get(site.url.as_str()), Some(Era::Modern));
    assert!(site.asked("initialize").is_empty());
}

/// Tells when it is dropped.
struct Leaving(mpsc::Sender<()>);

impl Drop for Leaving {
    fn drop(&mut self) {
        let _ = self.0.try_send(());
    }
}

#[tokio::test]
async fn giving_a_call_up_closes_its_stream_and_posts_nothing() {
    let (gone, mut left) = mpsc::channel::<()>(1);
    let site = Site::open(move |seen| {
        let gone = gone.clone();
        async move {
            if let Some(response) = as_modern(&seen) {
                return response;
            }
            let beats = stream::unfold(Leaving(gone), |gone| async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                Some((Ok::<_, std::io::Error>(Bytes::from_static(b": beat\n\n")), gone))
            });
            events_from(Body::from_stream(beats))
        }
    })
    .await;
    let session = site.connect(settings(Choice::Auto)).await.unwrap();
    let call = tool("x");
    let cancel = call.cancel.clone();
    let waiting = calling(&session, call);
    while site.asked("tools/call").is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    cancel.cancel();
    assert_eq!(waiting.await.unwrap(), Err(CallError::Cancelled));
    tokio::time::timeout(Duration::from_secs(5), left.recv()).await.expect("the stream was closed");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(site.asked("notifications/cancelled").is_empty());
}

#[tokio::test]
async fn a_fault_under_an_error_status_is_the_calls_error() {
    let site =
        Site::open(|seen| async move { as_modern(&seen).unwrap_or_else(|| fault(&seen, 404, -32601)) }).await;
    let session = site.connect(settings(Choice::Auto)).await.unwrap();
    assert!(matches!(session.call(tool("x")).await, Err(CallError::Fault(fault)) if fault.code == -32601));
}

#[tokio::test]
async fn a_call_that_lacks_headers_is_made_again_after_the_tools_were_listed() {
    let site = Site::open(|seen| async move {
        if let Some(response) = as_modern(&seen) {
            return response;
        }
        if seen.asks("tools/list") {
            return result(&seen, serde_json::from_str(TOOLS).unwrap());
        }
        if seen.header("mcp-param-region") == "eu" {
            result(&seen, json!({}))
        } else {
            fault(&seen, 400, -32020)
        }
    })
    .await;
    let session = site.connect(settings(Choice::Auto)).await.unwrap();
    let params = Bytes::from(json!({"name": "é", "arguments": {"region": "eu"}}).to_string());
    session.call(Call { params: Some(params), ..tool("") }).await.unwrap();
    let plain = session.call(tool("plain")).await;
    assert!(
        matches!(plain, Err(CallError::Fault(fault)) if fault.code == -32020),
        "and only when that helps"
    );
    assert_eq!(site.asked("tools/call").len(), 3);
}

#[tokio::test]
async fn a_modern_server_is_listened_to_by_a_long_request() {
    let site = Site::open(|seen| async move {
        if seen.asks("server/discover") {
            return result(&seen, discovery(json!({"tools": {"listChanged": true}})));
        }
        let meta = json!({"io.modelcontextprotocol/subscriptionId": seen.body["id"]});
        let say =
            |method: &str| message(&json!({"jsonrpc": "2.0", "method": method, "params": {"_meta": meta}}));
        open_events(vec![
            say("notifications/subscriptions/acknowledged"),
            say("notifications/tools/list_changed"),
        ])
    })
    .await;
    let (_session, mut news) =
        site.connect_as(settings(Choice::Auto), Flavour::Auto, HeaderMap::new(), None).await.unwrap();
    assert_eq!(news.recv().await, Some(Event::ToolsChanged));
    let asked = &site.asked("subscriptions/listen")[0];
    assert_eq!(asked.header("mcp-method"), "subscriptions/listen");
    assert_eq!(asked.body["params"]["notifications"], json!({"toolsListChanged": true}));
}
