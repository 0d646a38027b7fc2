//! Lists: filters, order, pages, and texts that look alike.

use model::{Kind, Organizations, Revision, Scope, ScopeName, Visibility};
use storage::{Put, Query};

use super::fixture::{Fixture, alice, edit, everything, key, on_both, org, put, server, set};

on_both!(
    a_list_is_in_byte_order_and_pages_lose_nothing,
    a_list_holds_only_what_the_caller_may_see,
    tags_must_all_match_and_byte_by_byte,
    a_search_finds_text_in_any_case_and_takes_metacharacters_literally,
    the_first_candidate_that_exists_is_found,
    a_changed_tag_is_forgotten,
);

async fn names(fixture: &Fixture, query: &Query) -> Vec<String> {
    let page = fixture.store.list(query).await.unwrap();
    page.items.iter().map(|stored| stored.key.name.to_string()).collect()
}

async fn a_list_is_in_byte_order_and_pages_lose_nothing(fixture: Fixture) {
    let names = ["a", "a-", "a-b", "a0", "ab", "b"];
    let scopes = [alice(), org("acme"), org("acme-2"), Scope::Platform];
    let mut edits = Vec::new();
    for name in names.iter().rev() {
        for scope in scopes.iter().rev() {
            let tags = vec!["t".to_owned()];
            edits.push(edit(Put { tags, ..put(key(Kind::McpServer, name, scope.clone()), 1) }));
        }
    }
    fixture.commit(edits).await.unwrap();
    for tags in [vec![], vec!["t".to_owned()]] {
        let mut query = Query { limit: 5, tags, ..everything(Kind::McpServer) };
        let mut seen = Vec::new();
        loop {
            let page = fixture.store.list(&query).await.unwrap();
            assert!(page.items.len() <= 5);
            assert_eq!(page.revision, Revision(1));
            seen.extend(page.items.into_iter().map(|stored| stored.key));
            match page.next {
                Some(next) => query.after = Some(next),
                None => break,
            }
        }
        let texts = |key: &model::Key| {
            (key.name.to_string(), key.scope.name().as_str(), key.scope.holder().to_owned())
        };
        assert_eq!(seen.len(), names.len() * scopes.len());
        assert!(seen.windows(2).all(|pair| texts(&pair[0]) < texts(&pair[1])), "{seen:?}");
    }
    let exact = Query { limit: 24, ..everything(Kind::McpServer) };
    assert_eq!(fixture.store.list(&exact).await.unwrap().next, None, "a full last page is the last");
}

async fn a_list_holds_only_what_the_caller_may_see(fixture: Fixture) {
    let mut edits = vec![set(server("platform"), 1)];
    let bob = Scope::IdentityAccount("bob".parse().unwrap());
    let upper = Scope::IdentityAccount("Alice".parse().unwrap());
    for (name, scope) in
        [("acme", org("acme")), ("other", org("other")), ("alice", alice()), ("bob", bob), ("upper", upper)]
    {
        edits.push(set(key(Kind::McpServer, name, scope), 1));
    }
    edits.push(set(key(Kind::Agent, "agent", Scope::Platform), 1));
    fixture.commit(edits).await.unwrap();
    let seen = |platform, organizations, account: Option<&str>| {
        let account = account.map(|account| account.parse().unwrap());
        Query {
            visibility: Visibility { platform, organizations, account, also: vec![] },
            ..everything(Kind::McpServer)
        }
    };
    let only = |names: &[&str]| Organizations::Only(names.iter().map(|name| name.parse().unwrap()).collect());
    for (query, expected) in [
        (seen(true, Organizations::All, Some("alice")), vec!["acme", "alice", "other", "platform"]),
        (seen(true, only(&["acme"]), Some("bob")), vec!["acme", "bob", "platform"]),
        (seen(false, only(&["acme", "other"]), None), vec!["acme", "other"]),
        (seen(false, only(&[]), Some("Alice")), vec!["upper"]),
        (seen(false, only(&[]), None), vec![]),
    ] {
        assert_eq!(names(&fixture, &query).await, expected, "{:?}", query.visibility);
    }
    let scoped = Query { scope: Some(ScopeName::Organization), ..everything(Kind::McpServer) };
    assert_eq!(names(&fixture, &scoped).await, ["acme", "other"]);
    let of_org = Query { org: Some("acme".parse().unwrap()), ..everything(Kind::McpServer) };
    assert_eq!(names(&fixture, &of_org).await, ["acme"]);
}

async fn tags_must_all_match_and_byte_by_byte(fixture: Fixture) {
    // The same word in two normal forms, which must stay two words.
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}");
    let tagged = |name: &str, tags: &[&str]| {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        edit(Put { tags, ..put(server(name), 1) })
    };
    fixture
        .commit(vec![
            tagged("a", &["x", "y", composed]),
            tagged("b", &["x", "X", decomposed]),
            tagged("c", &["y", "x ", "x"]),
            tagged("d", &[]),
        ])
        .await
        .unwrap();
    for (tags, expected) in [
        (vec!["x"], vec!["a", "b", "c"]),
        (vec!["x", "y"], vec!["a", "c"]),
        (vec!["y", "x", composed], vec!["a"]),
        (vec!["X"], vec!["b"]),
        (vec![decomposed], vec!["b"]),
        (vec!["x "], vec!["c"]),
        (vec!["%"], vec![]),
    ] {
        let query =
            Query { tags: tags.iter().map(|tag| (*tag).to_owned()).collect(), ..everything(Kind::McpServer) };
        assert_eq!(names(&fixture, &query).await, expected, "{tags:?}");
    }
}

async fn a_search_finds_text_in_any_case_and_takes_metacharacters_literally(fixture: Fixture) {
    let texts =
        ["100% sure", "100 sure", "snake_case", "snakeXcase", "bang!", "back\\slash", "straße ümlaut"];
    let edits = texts.iter().enumerate().map(|(index, text)| {
        edit(Put { search: text.to_lowercase(), ..put(server(&format!("s{index}")), 1) })
    });
    fixture.commit(edits.collect()).await.unwrap();
    for (search, expected) in [
        ("SURE", vec!["s0", "s1"]),
        ("0% ", vec!["s0"]),
        ("e_c", vec!["s2"]),
        ("_", vec!["s2"]),
        ("g!", vec!["s4"]),
        ("\\", vec!["s5"]),
        ("ÜMLAUT", vec!["s6"]),
        ("'; DROP TABLE resources", vec![]),
        ("", vec!["s0", "s1", "s2", "s3", "s4", "s5", "s6"]),
    ] {
        let query = Query { search: Some(search.to_owned()), ..everything(Kind::McpServer) };
        assert_eq!(names(&fixture, &query).await, expected, "{search}");
    }
}

async fn the_first_candidate_that_exists_is_found(fixture: Fixture) {
    let mine = key(Kind::McpServer, "github", alice());
    let candidates = [mine.clone(), server("github")];
    assert_eq!(fixture.store.first(&candidates).await.unwrap(), None);
    fixture.commit(vec![set(server("github"), 1)]).await.unwrap();
    assert_eq!(fixture.store.first(&candidates).await.unwrap().unwrap().key, server("github"));
    fixture.commit(vec![set(mine.clone(), 1)]).await.unwrap();
    assert_eq!(fixture.store.first(&candidates).await.unwrap().unwrap().key, mine);
    assert_eq!(fixture.store.first(&[]).await.unwrap(), None);
}

async fn a_changed_tag_is_forgotten(fixture: Fixture) {
    let tagged = |value: i64, tags: &[&str]| {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        edit(Put { tags, ..put(server("a"), value) })
    };
    fixture.commit(vec![tagged(1, &["old", "both", "both"])]).await.unwrap();
    fixture.commit(vec![tagged(2, &["new", "both"])]).await.unwrap();
    for (tag, count) in [("old", 0), ("both", 1), ("new", 1)] {
        let query = Query { tags: vec![tag.to_owned()], ..everything(Kind::McpServer) };
        assert_eq!(names(&fixture, &query).await.len(), count, "{tag}");
    }
    fixture.commit(vec![super::fixture::delete(server("a"))]).await.unwrap();
    fixture.commit(vec![tagged(3, &[])]).await.unwrap();
    let query = Query { tags: vec!["both".to_owned()], ..everything(Kind::McpServer) };
    assert_eq!(names(&fixture, &query).await.len(), 0);
}
