//! Calls: answers find them, progress prolongs them, and giving one up is told as the era wants it.

use super::*;
use mcp::client::CallError;
use std::collections::HashSet;
use std::time::Duration;
use tokio::time::{Instant, advance, sleep};

#[tokio::test]
async fn five_thousand_calls_share_one_pipe() {
    let (session, mut fake, _news) = legacy(json!({"tools": {}})).await;
    let calls: Vec<_> =
        (0..5000).map(|number| (number, calling(&session, tool(&number.to_string())))).collect();
    let far = tokio::spawn(async move {
        let mut ids = HashSet::new();
        for _ in 0..100 {
            let mut asked = Vec::new();
            for _ in 0..50 {
                asked.push(fake.expect("tools/call").await);
            }
            for request in asked.iter().rev() {
                assert!(ids.insert(request["id"].as_u64().unwrap()), "every id is new");
                fake.answer(request, json!({"name": request["params"]["name"]})).await;
            }
        }
        fake
    });
    for (number, call) in calls {
        let expected = format!(r#"{{"name":"{number}"}}"#);
        assert_eq!(call.await.unwrap().unwrap(), expected.as_bytes());
    }
    drop(far.await.unwrap());
    assert_eq!(session.counts(), mcp::client::Counts::default());
}

#[tokio::test]
async fn results_and_parameters_pass_byte_for_byte() {
    let (session, mut fake, _news) = legacy(json!({})).await;
    let params = r#"{"name":"x", "vendor" : [1.0,1e2,"\u00e9"],"arguments":{"a":12345678901234567890}}"#;
    let call = Call { params: Some(Bytes::from(params)), ..tool("x") };
    let waiting = calling(&session, call);
    let line = fake.lines.next_line().await.unwrap().unwrap();
    assert!(
        line.contains(r#""name":"x", "vendor" : [1.0,1e2,"\u00e9"],"arguments":{"a":12345678901234567890}}"#),
        "{line}"
    );
    let big = "x".repeat(15 * 1024 * 1024);
    let result = format!(r#"{{"content":[ ],"vendor":1.50,"big":"{big}"}}"#);
    let id = serde_json::from_str::<Value>(&line).unwrap()["id"].clone();
    fake.raw(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n").as_bytes()).await;
    assert!(waiting.await.unwrap().unwrap() == result.as_bytes());
}

#[tokio::test(start_paused = true)]
async fn progress_resets_the_timeout_and_carries_the_callers_token() {
    let (session, mut fake, _news) = legacy(json!({})).await;
    let (notices, mut told) = mpsc::channel(8);
    let params = json!({"name": "x", "_meta": {"progressToken": "mine", "other": 1}}).to_string();
    let call = Call { params: Some(Bytes::from(params)), notices: Some(notices), ..tool("x") };
    let waiting = calling(&session, call);
    let asked = fake.expect("tools/call").await;
    assert_eq!(asked["params"]["_meta"]["other"], 1);
    let token = asked["params"]["_meta"]["progressToken"].clone();
    assert_ne!(token, "mine");
    for step in 0..4 {
        sleep(Duration::from_secs(50)).await;
        let params = json!({"progressToken": token, "progress": step, "vendor": true});
        fake.say(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})).await;
        let notice: Value = serde_json::from_slice(&told.recv().await.unwrap()).unwrap();
        assert_eq!(notice["params"], json!({"progressToken": "mine", "progress": step, "vendor": true}));
    }
    fake.answer(&asked, json!({"done": true})).await;
    assert_eq!(waiting.await.unwrap().unwrap(), &br#"{"done":true}"#[..]);
}

#[tokio::test(start_paused = true)]
async fn progress_does_not_prolong_a_call_beyond_its_cap() {
    let short = Settings { cap: Duration::from_secs(100), ..settings(Choice::Legacy) };
    let (connecting, mut fake, _news) = pipe(short, Arc::default());
    fake.be_legacy(json!({})).await;
    let session = connecting.await.unwrap().unwrap();
    let begun = Instant::now();
    let waiting = calling(&session, tool("x"));
    let asked = fake.expect("tools/call").await;
    for _ in 0..2 {
        sleep(Duration::from_secs(45)).await;
        let params = json!({"progressToken": asked["id"], "progress": 1});
        fake.say(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})).await;
    }
    assert_eq!(waiting.await.unwrap(), Err(CallError::Timeout));
    assert_eq!(begun.elapsed().as_secs(), 100);
}

#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_times_out_and_the_peer_is_told() {
    let (session, mut fake, _news) = modern(json!({})).await;
    let begun = Instant::now();
    let waiting = calling(&session, tool("x"));
    let asked = fake.expect("tools/call").await;
    assert_eq!(waiting.await.unwrap(), Err(CallError::Timeout));
    assert_eq!(begun.elapsed().as_secs(), 60);
    assert_eq!(fake.expect("notifications/cancelled").await["params"]["requestId"], asked["id"]);
}

#[tokio::test]
async fn a_cancelled_or_dropped_call_is_told_and_its_late_answer_counted() {
    let (session, mut fake, _news) = legacy(json!({})).await;
    let call = tool("x");
    let cancel = call.cancel.clone();
    let waiting = calling(&session, call);
    let first = fake.expect("tools/call").await;
    cancel.cancel();
    assert_eq!(waiting.await.unwrap(), Err(CallError::Cancelled));
    assert_eq!(fake.expect("notifications/cancelled").await["params"]["requestId"], first["id"]);
    let waiting = calling(&session, tool("y"));
    let second = fake.expect("tools/call").await;
    waiting.abort();
    assert_eq!(fake.expect("notifications/cancelled").await["params"]["requestId"], second["id"]);
    fake.answer(&first, json!({})).await;
    fake.answer(&second, json!({})).await;
    let waiting = calling(&session, tool("z"));
    let third = fake.expect("tools/call").await;
    fake.answer(&third, json!({})).await;
    waiting.await.unwrap().unwrap();
    assert_eq!(session.counts().late, 2);
}

#[tokio::test]
async fn a_fault_of_the_peer_is_the_calls_error() {
    let (session, mut fake, _news) = legacy(json!({})).await;
    let waiting = calling(&session, tool("x"));
    let asked = fake.expect("tools/call").await;
    fake.refuse(&asked, -32002).await;
    let Err(CallError::Fault(fault)) = waiting.await.unwrap() else { panic!("not a fault") };
    assert_eq!((fault.code, fault.message.as_str()), (-32002, "no"));
}

#[tokio::test]
async fn when_the_peer_goes_every_call_fails_and_listeners_hear_it() {
    let (session, mut fake, mut news) = legacy(json!({})).await;
    let waiting = calling(&session, tool("x"));
    fake.expect("tools/call").await;
    drop(fake);
    assert_eq!(waiting.await.unwrap(), Err(CallError::Disconnected));
    assert_eq!(news.recv().await, Some(Event::Closed("the server closed its output".into())));
    assert_eq!(session.call(tool("y")).await, Err(CallError::Disconnected));
    assert!(session.is_closed());
}

#[tokio::test(start_paused = true)]
async fn questions_of_a_legacy_peer_are_answered_and_stop_the_clock() {
    let person = Arc::new(Person { delay: Duration::from_mins(5), ..Person::default() });
    let (connecting, mut fake, _news) = pipe(settings(Choice::Legacy), Arc::clone(&person));
    fake.be_legacy(json!({})).await;
    let session = connecting.await.unwrap().unwrap();
    let waiting = calling(&session, tool("x"));
    let asked = fake.expect("tools/call").await;
    fake.say(
        json!({"jsonrpc": "2.0", "id": "q-1", "method": "elicitation/create", "params": {"message": "?"}}),
    )
    .await;
    let reply = fake.next().await;
    assert_eq!(reply["id"], "q-1");
    assert_eq!(reply["result"]["action"], "accept");
    assert_eq!(person.asked.lock().unwrap()[0].params.as_deref(), Some(&br#"{"message":"?"}"#[..]));
    fake.answer(&asked, json!({})).await;
    waiting.await.unwrap().unwrap();
}

#[tokio::test]
async fn pings_are_answered_and_what_was_not_declared_is_unknown() {
    let (_session, mut fake, _news) = legacy(json!({})).await;
    fake.say(json!({"jsonrpc": "2.0", "id": 7, "method": "ping"})).await;
    assert_eq!(fake.next().await, json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    for method in ["sampling/createMessage", "vendor/thing"] {
        fake.say(json!({"jsonrpc": "2.0", "id": 8, "method": method, "params": {}})).await;
        assert_eq!(fake.next().await["error"]["code"], -32601, "{method}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_withdrawn_question_is_not_answered() {
    let person = Arc::new(Person { delay: Duration::from_secs(5), ..Person::default() });
    let (connecting, mut fake, _news) = pipe(settings(Choice::Legacy), person);
    fake.be_legacy(json!({})).await;
    let _session = connecting.await.unwrap().unwrap();
    fake.say(json!({"jsonrpc": "2.0", "id": 1, "method": "roots/list"})).await;
    fake.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    sleep(Duration::from_secs(10)).await;
    fake.say(json!({"jsonrpc": "2.0", "id": 2, "method": "ping"})).await;
    assert_eq!(fake.next().await["id"], 2);
}

#[tokio::test(start_paused = true)]
async fn changes_are_told_once_and_updates_by_name() {
    let (session, mut fake, mut news) = legacy(json!({"resources": {"subscribe": true}})).await;
    let watching = {
        let session = session.clone();
        tokio::spawn(async move { session.subscribe("file:///a").await })
    };
    let asked = fake.expect("resources/subscribe").await;
    assert_eq!(asked["params"]["uri"], "file:///a");
    fake.answer(&asked, json!({})).await;
    watching.await.unwrap().unwrap();
    let params = json!({"uri": "file:///a"});
    fake.say(json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": params})).await;
    fake.say(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})).await;
    fake.say(
        json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}}),
    )
    .await;
    assert_eq!(news.recv().await, Some(Event::ResourceUpdated("file:///a".into())));
    assert_eq!(news.recv().await, Some(Event::ToolsChanged));
    assert!(matches!(news.recv().await, Some(Event::Log(_))));
    assert!(
        legacy(json!({})).await.0.subscribe("x").await.is_err(),
        "nothing is asked that was not declared"
    );
}

#[tokio::test(start_paused = true)]
async fn a_modern_peer_is_listened_to_and_again_after_a_break_or_a_new_wish() {
    let able = json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}});
    let (session, mut fake, mut news) = modern(able).await;
    let first = fake.expect("subscriptions/listen").await;
    assert_eq!(first["params"]["notifications"], json!({"toolsListChanged": true}));
    session.subscribe("file:///a").await.unwrap();
    let mut told = [fake.next().await, fake.next().await];
    told.sort_by_key(|message| message["method"] == "subscriptions/listen");
    assert_eq!(told[0]["params"]["requestId"], first["id"]);
    let second = &told[1];
    let wish = json!({"toolsListChanged": true, "resourceSubscriptions": ["file:///a"]});
    assert_eq!(second["params"]["notifications"], wish);
    fake.say(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})).await;
    assert_eq!(news.recv().await, Some(Event::ToolsChanged));
    fake.refuse(second, -32603).await;
    advance(Duration::from_secs(2)).await;
    fake.expect("subscriptions/listen").await;
    assert_eq!(news.recv().await, Some(Event::ToolsChanged), "what changed meanwhile is unknown");
}

#[tokio::test]
async fn pings_follow_the_era_and_close_ends_the_pipe() {
    let (session, mut fake, _news) = legacy(json!({})).await;
    let pinging = {
        let session = session.clone();
        tokio::spawn(async move { session.ping().await })
    };
    let asked = fake.expect("ping").await;
    fake.answer(&asked, json!({})).await;
    pinging.await.unwrap().unwrap();
    session.close().await;
    assert!(fake.lines.next_line().await.unwrap().is_none());
    let (session, mut fake, _news) = modern(json!({})).await;
    let pinging = {
        let session = session.clone();
        tokio::spawn(async move { session.ping().await })
    };
    let asked = fake.expect("server/discover").await;
    fake.answer(&asked, discovery(json!({}))).await;
    pinging.await.unwrap().unwrap();
}
