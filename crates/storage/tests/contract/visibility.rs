//! The law of lists: a page walk gives exactly what `admits` admits, in the order of the list, whatever the way there.

use model::{Key, Kind, Organizations, Scope, ScopeName, Visibility};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use storage::{Put, Query};

use super::fixture::{Fixture, edit, everything, key, on_both, put};

on_both!(
    pages_are_what_is_admitted_in_order,
    many_holders_and_many_single_resources_page_alike,
    a_single_resource_that_is_visible_twice_is_listed_once,
);

/// A resource with the tags and the text that lists know it by.
#[derive(Clone, Debug)]
struct Known {
    key: Key,
    tags: Vec<String>,
    search: String,
}

fn scopes() -> Vec<Scope> {
    let orgs = ["acme", "acme-2", "zeta"].map(|name| Scope::Organization(name.parse().unwrap()));
    let accounts = ["alice", "Alice", "bob"].map(|name| Scope::IdentityAccount(name.parse().unwrap()));
    [Scope::Platform].into_iter().chain(orgs).chain(accounts).collect()
}

/// Every third of all that could be, so that names, scopes and tags fall together in many ways.
fn population() -> Vec<Known> {
    let names = ["a", "a-", "a-b", "a0", "ab", "b", "c"];
    let kinds = [Kind::McpServer, Kind::Agent];
    let all = kinds.into_iter().flat_map(|kind| names.into_iter().map(move |name| (kind, name)));
    let all = all.flat_map(|(kind, name)| scopes().into_iter().map(move |scope| key(kind, name, scope)));
    let known = all.zip(0..).filter(|(_, n)| n % 3 != 1).map(|(key, n)| {
        let tags = [(2, "even"), (5, "five")];
        let tags = tags.iter().filter(|(by, _)| n % by == 0).map(|(_, tag)| (*tag).to_owned()).collect();
        let search = if n % 4 == 0 { "100% needle" } else { "hay" }.to_owned();
        Known { key, tags, search }
    });
    known.collect()
}

async fn fill(fixture: &Fixture, known: &[Known]) {
    let edits = known.iter().rev().map(|known| {
        let Known { key, tags, search } = known.clone();
        edit(Put { tags, search, ..put(key, 1) })
    });
    fixture.commit(edits.collect()).await.unwrap();
}

fn queries() -> impl Strategy<Value = Query> {
    let orgs = prop::sample::subsequence(vec!["acme", "acme-2", "none", "zeta"], 0..=4);
    let organizations = prop_oneof![
        1 => Just(Organizations::All),
        4 => orgs.prop_map(|names| {
            Organizations::Only(names.into_iter().map(|name| name.parse().unwrap()).collect())
        }),
    ];
    let account = prop::option::of(prop::sample::select(vec!["alice", "Alice", "bob", "nobody"]));
    // Some of what exists, and some that does not.
    let names = ["a", "a-", "a-b", "a0", "missing", "c"];
    let also = [Kind::McpServer, Kind::Agent].into_iter().flat_map(|kind| {
        let names = names.into_iter();
        names.flat_map(move |name| scopes().into_iter().map(move |scope| key(kind, name, scope)))
    });
    let also = prop::sample::subsequence(also.collect::<Vec<_>>(), 0..40);
    let visibility = (any::<bool>(), organizations, account, also).prop_map(
        |(platform, organizations, account, mut also)| {
            also.sort();
            let account = account.map(|account| account.parse().unwrap());
            Visibility { platform, organizations, account, also }
        },
    );
    let scope = prop::option::weighted(0.3, prop::sample::select(ScopeName::ALL.to_vec()));
    let org = prop::option::weighted(0.2, prop::sample::select(vec!["acme", "zeta"]));
    let tags = prop::sample::subsequence(vec!["even", "five"], 0..=2);
    let tags = prop_oneof![3 => Just(vec![]), 1 => tags];
    let search = prop::option::weighted(0.3, prop::sample::select(vec!["NEEDLE", "100%", "a_", ""]));
    let kind = prop::sample::select(vec![Kind::McpServer, Kind::Agent, Kind::Executor]);
    (visibility, scope, org, tags, search, kind).prop_map(|(visibility, scope, org, tags, search, kind)| {
        Query {
            visibility,
            scope,
            org: org.map(|org| org.parse().unwrap()),
            tags: tags.into_iter().map(str::to_owned).collect(),
            search: search.map(str::to_owned),
            ..everything(kind)
        }
    })
}

/// The law, as plainly as possible.
fn plainly(known: &[Known], query: &Query) -> Vec<Key> {
    let wanted = known.iter().filter(|Known { key, tags, search }| {
        key.kind == query.kind
            && query.visibility.admits(key)
            && query.scope.is_none_or(|scope| key.scope.name() == scope)
            && query.org.as_ref().is_none_or(|org| key.scope.organization() == Some(org))
            && query.tags.iter().all(|tag| tags.contains(tag))
            && query.search.as_ref().is_none_or(|text| search.contains(&text.to_lowercase()))
    });
    let mut keys: Vec<Key> = wanted.map(|known| known.key.clone()).collect();
    keys.sort_by_key(|key| (key.name.to_string(), key.scope.name().as_str(), key.scope.holder().to_owned()));
    keys
}

async fn walk(fixture: &Fixture, query: &Query, limit: usize) -> Vec<Key> {
    let mut query = Query { limit, ..query.clone() };
    let mut seen = Vec::new();
    loop {
        let page = fixture.store.list(&query).await.unwrap();
        assert!(page.items.len() <= limit);
        assert!(page.next.is_none() || page.items.len() == limit, "only the last page is short");
        seen.extend(page.items.into_iter().map(|stored| stored.key));
        match page.next {
            Some(next) => query.after = Some(next),
            None => return seen,
        }
    }
}

async fn pages_are_what_is_admitted_in_order(fixture: Fixture) {
    let known = population();
    fill(&fixture, &known).await;
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[9; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut found = 0;
    for _ in 0..150 {
        let query = queries().new_tree(&mut runner).unwrap().current();
        let expected = plainly(&known, &query);
        found += expected.len();
        for limit in [1, 2, 3, 7, 1000] {
            assert_eq!(walk(&fixture, &query, limit).await, expected, "pages of {limit}: {query:?}");
        }
    }
    assert!(found > 500, "the queries are about something: {found}");
}

async fn many_holders_and_many_single_resources_page_alike(fixture: Fixture) {
    let org = |n: usize| Scope::Organization(format!("org-{n:03}").parse().unwrap());
    let known: Vec<Known> = (0..600)
        .map(|n| {
            let key = key(Kind::McpServer, &format!("s{}", n % 50), org(n / 3));
            Known { key, tags: vec![], search: if n % 90 == 0 { "rare" } else { "" }.to_owned() }
        })
        .collect();
    fill(&fixture, &known).await;
    for (orgs, singles) in [(0, 600), (1, 0), (99, 500), (100, 1), (101, 1), (150, 300), (200, 600)] {
        let mut also: Vec<Key> = known[600 - singles..].iter().map(|known| known.key.clone()).collect();
        also.sort();
        let only = (0..orgs).map(|n| org(n).organization().unwrap().clone()).collect();
        let organizations = Organizations::Only(only);
        let visibility = Visibility { platform: true, organizations, account: None, also };
        for search in [None, Some("rare".to_owned())] {
            let query = Query { visibility: visibility.clone(), search, ..everything(Kind::McpServer) };
            let expected = plainly(&known, &query);
            for limit in [7, 50, 300, 1000] {
                let seen = walk(&fixture, &query, limit).await;
                assert_eq!(seen, expected, "{orgs} organizations, {singles} singles, pages of {limit}");
            }
        }
    }
}

async fn a_single_resource_that_is_visible_twice_is_listed_once(fixture: Fixture) {
    let known = population();
    fill(&fixture, &known).await;
    let mut also: Vec<Key> = known.iter().map(|known| known.key.clone()).collect();
    also.sort();
    let organizations = Organizations::Only(vec!["acme".parse().unwrap(), "acme".parse().unwrap()]);
    let visibility = Visibility { platform: true, organizations, account: None, also };
    let query = Query { visibility, ..everything(Kind::Agent) };
    assert_eq!(walk(&fixture, &query, 4).await, plainly(&known, &query));
}
