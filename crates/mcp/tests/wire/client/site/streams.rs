//! Answers that come as events, streams that break, and what a server says on them before it answers.

use super::*;
use mcp::client::CallError;
use std::time::Duration;

#[tokio::test]
async fn a_broken_stream_goes_on_after_its_last_event_when_the_server_said_to() {
    let site = Site::open(|seen| async move {
        if seen.asks("tools/call") {
            return events(vec!["id: e-1\nretry: 300\ndata:\n\n".into()]);
        }
        if seen.method == Method::GET && seen.header("last-event-id") == "e-1" {
            return events(vec![message(&json!({"jsonrpc": "2.0", "id": 3, "result": {"resumed": true}}))]);
        }
        as_legacy(&seen).unwrap()
    })
    .await;
    let session = site.connect(settings(Choice::Auto)).await.unwrap();
    assert_eq!(session.call(tool("x")).await.unwrap(), &br#"{"resumed":true}"#[..]);
    let asked = site.asked("tools/call")[0].clone();
    let resumed = site.seen().into_iter().find(|seen| !seen.header("last-event-id").is_empty()).unwrap();
    assert_eq!(resumed.header("mcp-session-id"), "s-1");
    assert!(resumed.at - asked.at >= Duration::from_millis(300), "the server's delay is kept");
    assert_eq!(site.asked("tools/call").len(), 1, "the call is not made twice");
}

#[tokio::test]
async fn a_stream_that_breaks_without_an_id_is_a_lost_call() {
    let site = Site::open(|seen| async move {
        if seen.asks("tools/call") {
            return events(vec!["data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n".into()]);
        }
        as_legacy(&seen).unwrap()
    })
    .await;
    let session = site.connect(settings(Choice::Legacy)).await.unwrap();
    assert_eq!(session.call(tool("x")).await, Err(CallError::Disconnected));
    assert_eq!(site.asked("tools/call").len(), 1);
}

#[tokio::test]
async fn a_question_on_a_calls_own_stream_goes_to_the_calls_own_answerer() {
    let (said, saying) = mpsc::channel::<Value>(1);
    let saying = Arc::new(tokio::sync::Mutex::new(saying));
    let site = Site::open(move |seen| {
        let (said, saying) = (said.clone(), Arc::clone(&saying));
        async move {
            if seen.asks("tools/call") {
                let question = json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": {}});
                let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}});
                let first = format!("{}{}", message(&log), message(&question));
                let second = async move {
                    let answer = saying.lock().await.recv().await.unwrap();
                    answer_event(&seen, json!({"said": answer["result"]["content"]["key"]}))
                };
                let pieces = stream::once(async move { first }).chain(stream::once(second));
                return events_from(Body::from_stream(pieces.map(Ok::<_, std::io::Error>)));
            }
            if seen.body.get("result").is_some() {
                said.send(seen.body.clone()).await.unwrap();
            }
            as_legacy(&seen).unwrap()
        }
    })
    .await;
    let session = site.connect(settings(Choice::Legacy)).await.unwrap();
    let own = Arc::new(Person::default());
    let (notices, mut told) = mpsc::channel(4);
    let call = Call { answering: Some(own.clone()), notices: Some(notices), ..tool("x") };
    assert_eq!(session.call(call).await.unwrap(), &br#"{"said":"\"q\""}"#[..]);
    assert_eq!(own.asked.lock().unwrap().len(), 1);
    assert!(told.recv().await.is_some(), "its notices go to the call as well");
}

#[tokio::test]
async fn a_legacy_servers_own_stream_is_heard_and_connected_again_after_it_broke() {
    let site = Site::open(|seen| async move {
        let changed = message(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
        match (seen.method.clone(), seen.header("last-event-id")) {
            (Method::GET, "") => events(vec![format!("id: 7\nretry: 10\n{changed}")]),
            (Method::GET, "7") => {
                let changed =
                    message(&json!({"jsonrpc": "2.0", "method": "notifications/prompts/list_changed"}));
                open_events(vec![changed])
            }
            _ => as_legacy(&seen).unwrap(),
        }
    })
    .await;
    let (_session, mut news) =
        site.connect_as(settings(Choice::Legacy), Flavour::Auto, HeaderMap::new(), None).await.unwrap();
    assert_eq!(news.recv().await, Some(Event::ToolsChanged));
    assert_eq!(news.recv().await, Some(Event::PromptsChanged));
}
