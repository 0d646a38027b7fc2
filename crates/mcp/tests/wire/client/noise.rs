//! Peers that send what nobody asked for, or read nothing: it is dropped, counted and bounded.

use super::*;
use mcp::client::CallError;
use std::time::Duration;
use tokio::time::Instant;

async fn round_trip(session: &Session, fake: &mut Fake) -> Value {
    let waiting = calling(session, tool("x"));
    let asked = fake.expect("tools/call").await;
    fake.answer(&asked, json!({})).await;
    waiting.await.unwrap().unwrap();
    asked
}

#[tokio::test]
async fn unknown_repeated_and_unexpected_messages_are_dropped_and_counted() {
    let (session, mut fake, _news) = modern(json!({})).await;
    let asked = round_trip(&session, &mut fake).await;
    fake.answer(&asked, json!({"second": true})).await;
    for id in [json!(999_999), json!("1"), json!(-1)] {
        fake.say(json!({"jsonrpc": "2.0", "id": id, "result": {}})).await;
    }
    fake.say(json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {}})).await;
    fake.say(json!({"jsonrpc": "2.0", "error": {"code": -32700, "message": "what?"}})).await;
    fake.raw(
        b"{\"jsonrpc\":\"2.0\"}\n[]\n{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"a\":1,\"a\":2}}\n",
    )
    .await;
    round_trip(&session, &mut fake).await;
    let counts = session.counts();
    assert_eq!((counts.late, counts.unknown), (1, 4));
    assert_eq!((counts.unexpected_requests, counts.malformed, counts.repeated_keys), (1, 2, 1));
}

#[tokio::test]
async fn noise_on_the_output_is_skipped() {
    let (session, mut fake, _news) = legacy(json!({})).await;
    let banner = vec![b'#'; 10 * 1024 * 1024];
    fake.raw(&[&banner[..], b"\nwelcome\n\xef\xbb\xbf\n{\"a\":\"\xff\xfe\"}\n"].concat()).await;
    let long = [&b"{\"a\":\""[..], &vec![b'x'; 17 * 1024 * 1024], b"\"}\n"].concat();
    fake.raw(&long).await;
    round_trip(&session, &mut fake).await;
    let counts = session.counts();
    assert_eq!((counts.skipped_lines, counts.malformed), (4, 1));
}

#[tokio::test]
async fn batches_are_read_only_from_the_revision_that_has_them() {
    for (version, read) in [("2025-03-26", true), ("2025-06-18", false)] {
        let (connecting, mut fake, mut news) = pipe(settings(Choice::Legacy), Arc::default());
        let asked = fake.expect("initialize").await;
        fake.answer(&asked, welcome(version, json!({}))).await;
        fake.expect("notifications/initialized").await;
        let session = connecting.await.unwrap().unwrap();
        fake.raw(b"[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}]\n").await;
        round_trip(&session, &mut fake).await;
        assert_eq!(session.counts().malformed, u64::from(!read));
        assert_eq!(news.try_recv().is_ok(), read, "{version}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_read_fails_calls_by_timeout() {
    let (session, fake, mut news) = legacy(json!({})).await;
    let begun = Instant::now();
    let params = Bytes::from(format!(r#"{{"name":"x","pad":"{}"}}"#, "x".repeat(1024 * 1024)));
    let calls: Vec<_> =
        (0..100).map(|_| calling(&session, Call { params: Some(params.clone()), ..tool("x") })).collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), Err(CallError::Timeout));
    }
    assert_eq!(begun.elapsed().as_secs(), 30, "the write deadline");
    assert_eq!(news.recv().await, Some(Event::Closed("the server does not read".into())));
    drop(fake);
}

#[tokio::test(start_paused = true)]
async fn a_call_with_a_short_timeout_does_not_wait_behind_a_stuck_pipe() {
    let (session, _fake, _news) = legacy(json!({})).await;
    let big = Bytes::from(format!(r#"{{"name":"x","pad":"{}"}}"#, "x".repeat(1024 * 1024)));
    let _stuck: Vec<_> =
        (0..40).map(|_| calling(&session, Call { params: Some(big.clone()), ..tool("x") })).collect();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let begun = Instant::now();
    let call = Call { timeout: Some(Duration::from_secs(2)), ..tool("y") };
    assert_eq!(session.call(call).await, Err(CallError::Timeout));
    assert_eq!(begun.elapsed().as_secs(), 2);
}
