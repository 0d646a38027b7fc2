//! Calls to which a modern peer needs answers first.

use super::*;
use mcp::client::{CallError, MAX_ROUNDS};

async fn asking(fake: &mut Fake, asked: &Value, keys: &[&str], state: Option<&str>) {
    let question = json!({"method": "elicitation/create", "params": {"message": "?"}});
    let requests: serde_json::Map<String, Value> =
        keys.iter().map(|key| ((*key).to_owned(), question.clone())).collect();
    let mut result = json!({"resultType": "input_required", "inputRequests": requests});
    if let Some(state) = state {
        result["requestState"] = json!(state);
    }
    fake.answer(asked, result).await;
}

#[tokio::test]
async fn answers_go_back_under_their_keys_with_a_new_id_and_the_state() {
    let (connecting, mut fake, _news) = pipe(settings(Choice::Modern), Arc::default());
    fake.be_modern(json!({})).await;
    let session = connecting.await.unwrap().unwrap();
    let own = Arc::new(Person::default());
    let waiting = calling(&session, Call { answering: Some(own.clone()), ..tool("x") });
    let first = fake.expect("tools/call").await;
    asking(&mut fake, &first, &["a", "b\"c"], Some("s\u{e9}1")).await;
    let second = fake.expect("tools/call").await;
    assert_ne!(second["id"], first["id"]);
    assert_eq!(second["params"]["requestState"], "s\u{e9}1");
    assert_eq!(second["params"]["inputResponses"]["a"]["content"]["key"], "a");
    assert_eq!(second["params"]["inputResponses"]["b\"c"]["content"]["key"], "b\"c");
    assert_eq!(second["params"]["name"], "x");
    asking(&mut fake, &second, &["d"], None).await;
    let third = fake.expect("tools/call").await;
    assert_eq!(third["params"].get("requestState"), None, "no state is kept from an earlier round");
    assert_eq!(third["params"]["inputResponses"].as_object().unwrap().len(), 1);
    fake.answer(&third, json!({"resultType": "complete", "content": []})).await;
    assert_eq!(waiting.await.unwrap().unwrap(), &br#"{"resultType":"complete","content":[]}"#[..]);
    assert_eq!(own.asked.lock().unwrap().len(), 3, "the call's own answerer was asked");
}

#[tokio::test]
async fn rounds_are_bounded() {
    assert_eq!(MAX_ROUNDS, 16);
    let (session, mut fake, _news) = modern(json!({})).await;
    let waiting = calling(&session, tool("x"));
    for _ in 0..17 {
        let asked = fake.expect("tools/call").await;
        asking(&mut fake, &asked, &["a"], None).await;
    }
    assert_eq!(waiting.await.unwrap(), Err(CallError::Rounds(16)));
}

#[tokio::test]
async fn every_sort_of_result_is_known_or_an_error() {
    let unknown = Err(CallError::Malformed("an unknown resultType"));
    let cases = [
        (json!({"a": 1}), Ok(())),
        (json!({"resultType": "complete"}), Ok(())),
        (json!({"resultType": "task", "taskId": "t"}), unknown.clone()),
        (json!({"resultType": "other"}), unknown.clone()),
        (json!({"resultType": 5}), unknown),
        (
            json!({"resultType": "input_required"}),
            Err(CallError::Malformed("input_required without a question")),
        ),
    ];
    let (session, mut fake, _news) = modern(json!({})).await;
    for (result, expected) in cases {
        let waiting = calling(&session, tool("x"));
        let asked = fake.expect("tools/call").await;
        fake.answer(&asked, result.clone()).await;
        assert_eq!(waiting.await.unwrap().map(drop), expected, "{result}");
    }
}

#[tokio::test]
async fn a_task_is_given_to_a_caller_who_declared_tasks() {
    let able = Bytes::from_static(br#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#);
    let (connecting, mut fake, _news) =
        pipe(Settings { capabilities: able, ..settings(Choice::Auto) }, Arc::default());
    fake.be_modern(json!({})).await;
    let session = connecting.await.unwrap().unwrap();
    let waiting = calling(&session, tool("x"));
    let asked = fake.expect("tools/call").await;
    fake.answer(&asked, json!({"resultType": "task", "taskId": "t"})).await;
    assert_eq!(waiting.await.unwrap().unwrap(), &br#"{"resultType":"task","taskId":"t"}"#[..]);
}

#[tokio::test]
async fn a_question_that_was_not_declared_fails_the_call() {
    let (session, mut fake, _news) = modern(json!({})).await;
    let waiting = calling(&session, tool("x"));
    let asked = fake.expect("tools/call").await;
    let requests = json!({"k": {"method": "sampling/createMessage", "params": {}}});
    fake.answer(&asked, json!({"resultType": "input_required", "inputRequests": requests})).await;
    assert!(matches!(waiting.await.unwrap(), Err(CallError::Unanswered(fault)) if fault.code == -32601));
}
