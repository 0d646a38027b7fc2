//! Lists: all pages, within bounds, and only such as every reader reads alike.

use super::*;
use mcp::client::{List, ListError, Listing};

fn listing(session: &Session, list: List) -> JoinHandle<Result<Listing, ListError>> {
    let session = session.clone();
    tokio::spawn(async move { session.list(list).await })
}

#[tokio::test]
async fn ten_thousand_tools_come_page_by_page_and_untouched() {
    let (session, mut fake, _news) = modern(json!({"tools": {}})).await;
    let waiting = listing(&session, List::Tools);
    let tool = |number: usize| {
        json!({"name": format!("t{number}"), "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}},
            "vendor": {"x": number}})
    };
    for page in 0..4 {
        let asked = fake.expect("tools/list").await;
        let cursor = if page == 0 { Value::Null } else { json!(format!("c{page}")) };
        assert_eq!(asked["params"]["cursor"], cursor);
        let tools: Vec<Value> = (page * 2500..(page + 1) * 2500).map(tool).collect();
        let mut result =
            json!({"resultType": "complete", "tools": tools, "ttlMs": 1000 - page, "cacheScope": "public"});
        if page < 3 {
            result["nextCursor"] = json!(format!("c{}", page + 1));
        }
        fake.answer(&asked, result).await;
    }
    let listing = waiting.await.unwrap().unwrap();
    assert_eq!(
        (listing.items.len(), listing.ttl_ms, listing.cache_scope.as_deref()),
        (10_000, Some(997), Some("public"))
    );
    assert_eq!(listing.items[9999], tool(9999).to_string().as_bytes());
}

#[tokio::test]
async fn a_list_that_was_not_declared_is_empty_and_not_asked_for() {
    let (session, mut fake, _news) = legacy(json!({"tools": {}})).await;
    for list in [List::Prompts, List::Resources, List::ResourceTemplates] {
        assert_eq!(session.list(list).await, Ok(Listing::default()));
    }
    let waiting = listing(&session, List::Tools);
    let asked = fake.expect("tools/list").await;
    fake.answer(&asked, json!({"tools": []})).await;
    assert_eq!(waiting.await.unwrap(), Ok(Listing::default()));
}

#[tokio::test]
async fn pages_that_lead_back_or_never_end_are_errors() {
    for (cursors, expected, asked_for) in [(2, ListError::Loop, 3), (usize::MAX, ListError::Pages, 1000)] {
        let (session, mut fake, _news) = legacy(json!({"resources": {}})).await;
        let waiting = listing(&session, List::ResourceTemplates);
        for page in 0..asked_for {
            let asked = fake.expect("resources/templates/list").await;
            let next = (page % cursors).to_string();
            fake.answer(&asked, json!({"resourceTemplates": [], "nextCursor": next})).await;
        }
        assert_eq!(waiting.await.unwrap(), Err(expected));
    }
}

#[tokio::test]
async fn a_list_that_repeats_a_key_is_refused() {
    let (session, mut fake, _news) = legacy(json!({"tools": {}})).await;
    let waiting = listing(&session, List::Tools);
    let id = fake.expect("tools/list").await["id"].clone();
    fake.raw(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"tools\":[{{\"name\":\"a\",\"name\":\"b\"}}]}}}}\n").as_bytes())
        .await;
    assert_eq!(waiting.await.unwrap(), Err(ListError::Repeated));
    assert_eq!(session.counts().repeated_keys, 1);
}
