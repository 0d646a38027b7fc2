//! Records: written with resources, gone with them, told of like them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use model::{Change, Collection, Outcome, Record, RecordChange, Revision};
use serde_json::json;
use storage::{AuditSubject, CommitError, Edit, Presence, RecordEdit};

use super::fixture::{Fixture, delete, on_both, record, server, set, tuple, write};

on_both!(
    a_record_is_made_changed_and_removed,
    the_same_record_again_is_no_change,
    what_is_expected_of_a_record_is_checked,
    records_and_resources_are_one_commit,
    watch_and_audit_tell_of_records_in_order,
    a_rehearsal_leaves_records_alone,
    ids_are_distinct_byte_for_byte,
    concurrent_writers_lose_no_record,
    all_records_come_from_the_revision_they_come_with,
);

fn token(id: &str, value: i64) -> RecordEdit {
    record(Collection::Token, id, json!({ "value": value }))
}

fn put(id: &str, value: i64) -> Edit {
    Edit::Record(token(id, value))
}

fn remove(collection: Collection, id: &str) -> Edit {
    Edit::Record(RecordEdit { body: None, ..record(collection, id, 0) })
}

fn gone(collection: Collection, id: &str) -> RecordChange {
    RecordChange { collection, id: id.to_owned(), body: None }
}

async fn ids(fixture: &Fixture) -> Vec<String> {
    let (records, _) = fixture.store.records(&Collection::ALL).await.unwrap();
    records.into_iter().map(|record| record.id).collect()
}

async fn a_record_is_made_changed_and_removed(fixture: Fixture) {
    let made = fixture.commit(vec![put("a", 1)]).await.unwrap();
    assert_eq!((made.revision, made.edited.len()), (Revision(1), 0));
    let change = |value: i64| RecordChange {
        collection: Collection::Token,
        id: "a".to_owned(),
        body: Some(json!({ "value": value })),
    };
    assert_eq!(made.records, [change(1)]);
    assert_eq!(fixture.commit(vec![put("a", 2)]).await.unwrap().records, [change(2)]);
    let stored = Record {
        collection: Collection::Token,
        id: "a".to_owned(),
        body: json!({ "value": 2 }),
        revision: Revision(2),
    };
    assert_eq!(fixture.store.records(&[Collection::Token]).await.unwrap(), (vec![stored], Revision(2)));
    assert_eq!(fixture.store.records(&[Collection::Tuple]).await.unwrap(), (vec![], Revision(2)));
    let removed = fixture.commit(vec![remove(Collection::Token, "a")]).await.unwrap();
    assert_eq!((removed.revision, removed.records), (Revision(3), vec![gone(Collection::Token, "a")]));
    assert_eq!(fixture.store.records(&Collection::ALL).await.unwrap(), (vec![], Revision(3)));
}

async fn the_same_record_again_is_no_change(fixture: Fixture) {
    let one: serde_json::Value = serde_json::from_str(r#"{"x": 0.1, "y": {"a": 1, "b": 2}}"#).unwrap();
    let two: serde_json::Value = serde_json::from_str(r#"{"y": {"b": 2, "a": 1}, "x": 0.1}"#).unwrap();
    let of = |body: &serde_json::Value| vec![Edit::Record(record(Collection::Account, "a", body.clone()))];
    fixture.commit(of(&one)).await.unwrap();
    for edits in [of(&one), of(&two), vec![remove(Collection::Account, "b")], vec![]] {
        let again = fixture.commit(edits).await.unwrap();
        assert_eq!((again.revision, again.records), (Revision(1), vec![]));
    }
    assert_eq!(fixture.store.audit((Revision(0), 0), 9).await.unwrap().len(), 1);
}

async fn what_is_expected_of_a_record_is_checked(fixture: Fixture) {
    fixture.commit(vec![put("here", 1)]).await.unwrap();
    let exists = |id: &str| CommitError::RecordExists { collection: Collection::Token, id: id.to_owned() };
    let missing = |id: &str| CommitError::RecordGone { collection: Collection::Token, id: id.to_owned() };
    for (id, body, expected, refused) in [
        ("here", Some(1), Presence::Absent, Some(exists("here"))),
        ("here", None, Presence::Absent, Some(exists("here"))),
        ("there", Some(1), Presence::Present, Some(missing("there"))),
        ("there", None, Presence::Present, Some(missing("there"))),
        ("there", None, Presence::Absent, None),
        ("there", None, Presence::Any, None),
        ("there", Some(1), Presence::Absent, None),
        ("here", Some(2), Presence::Present, None),
        ("here", Some(3), Presence::Any, None),
        ("here", None, Presence::Present, None),
    ] {
        let body = body.map(|value| json!({ "value": value }));
        let edit = Edit::Record(RecordEdit { expected, body, ..token(id, 0) });
        let done = fixture.commit(vec![edit]).await;
        assert_eq!(done.err(), refused, "{id} {expected:?}");
    }
    assert_eq!(exists("x").to_string(), "token `x` exists already");
    assert_eq!(missing("x").to_string(), "token `x` does not exist");
    assert_eq!(ids(&fixture).await, ["there"]);
}

async fn records_and_resources_are_one_commit(fixture: Fixture) {
    let edits = vec![put("before", 1), set(server("a"), 1), put("after", 1), set(server("b"), 1)];
    let done = fixture.commit(edits).await.unwrap();
    assert_eq!(done.revision, Revision(1));
    let edited: Vec<_> = done.edited.iter().map(|edited| edited.key.name.as_str()).collect();
    assert_eq!((edited, done.records.len()), (vec!["a", "b"], 2));

    let refused = fixture.commit(vec![put("more", 1), delete(server("missing"))]).await.unwrap_err();
    assert_eq!(refused, CommitError::NotFound { key: server("missing") });
    let absent = Edit::Record(RecordEdit { expected: Presence::Absent, ..token("after", 2) });
    fixture.commit(vec![set(server("c"), 1), absent]).await.unwrap_err();
    assert_eq!(fixture.store.get(&server("c")).await.unwrap(), None);
    assert_eq!(ids(&fixture).await, ["after", "before"]);

    let mixed = fixture.commit(vec![set(server("a"), 1), put("after", 2)]).await.unwrap();
    assert_eq!((mixed.revision, mixed.edited[0].outcome), (Revision(2), Outcome::Unchanged));
    assert_eq!(fixture.store.get(&server("a")).await.unwrap().unwrap().revision, Revision(1));
}

async fn watch_and_audit_tell_of_records_in_order(fixture: Fixture) {
    let mut watch = fixture.store.watch(Revision(0));
    fixture.commit(vec![put("a", 1), set(server("s"), 1), tuple("t", server("s"))]).await.unwrap();
    let changed = record(Collection::Token, "a", json!({"value": 1, "secret": "hunter2", "old": null}));
    fixture.commit(vec![Edit::Record(changed), delete(server("s"))]).await.unwrap();
    let next = async |watch: &mut storage::Watch| {
        tokio::time::timeout(Duration::from_secs(10), watch.next()).await.unwrap().unwrap()
    };
    let word = |change: &Change| match change {
        Change::Put(stored) => format!("put {}", stored.key.name),
        Change::Delete { key, .. } => format!("delete {}", key.name),
        Change::Record(change) => format!("{} {} {}", change.collection, change.id, change.body.is_some()),
    };
    let first = next(&mut watch).await;
    let words: Vec<_> = first.changes.iter().map(word).collect();
    assert_eq!(words, ["tokens a true", "put s", "tuples t true"]);
    assert_eq!(first.changes[0].key(), None);
    let second = next(&mut watch).await;
    let words: Vec<_> = second.changes.iter().map(word).collect();
    assert_eq!(words, ["tokens a true", "delete s", "tuples t false"]);
    let Change::Record(change) = &second.changes[0] else { unreachable!() };
    assert_eq!(change.body, Some(json!({"value": 1, "secret": "hunter2", "old": null})));

    let rows = fixture.store.audit((Revision(1), 2), 9).await.unwrap();
    let subject = AuditSubject::Record { collection: Collection::Token, id: "a".to_owned() };
    assert_eq!((&rows[0].subject, rows[0].action, rows[0].ordinal), (&subject, Outcome::Updated, 0));
    assert_eq!((&*rows[0].actor, &*rows[0].resource_id), ("alice", ""));
    assert_eq!(rows[0].detail, r#"{"fields":["secret","old"],"secrets":[]}"#);
    assert_eq!(rows[1].subject, AuditSubject::Resource(server("s")));
    let subject = AuditSubject::Record { collection: Collection::Tuple, id: "t".to_owned() };
    assert_eq!((&rows[2].subject, rows[2].action), (&subject, Outcome::Deleted));
    assert_eq!(rows.len(), 3);
    let all = fixture.store.audit((Revision(0), 0), 99).await.unwrap();
    assert!(all.iter().all(|row| !row.detail.contains("hunter2")));
}

async fn a_rehearsal_leaves_records_alone(fixture: Fixture) {
    fixture.commit(vec![set(server("a"), 1), tuple("t", server("a"))]).await.unwrap();
    let edits = vec![put("new", 1), delete(server("a"))];
    let done = fixture.store.rehearse(write(edits)).await.unwrap();
    assert_eq!((done.revision, done.records.len()), (Revision(1), 2));
    assert_eq!(done.records[1], gone(Collection::Tuple, "t"));
    assert_eq!(ids(&fixture).await, ["t"]);
    let refused = fixture.store.rehearse(write(vec![tuple("u", server("b"))])).await.unwrap_err();
    assert_eq!(refused, CommitError::NotFound { key: server("b") });
    assert_eq!(fixture.store.revision().await.unwrap(), Revision(1));
}

async fn ids_are_distinct_byte_for_byte(fixture: Fixture) {
    let ids = [
        "",
        " ",
        "a",
        "A",
        "a ",
        "a:b",
        "a:b#c@d",
        "a|b",
        "a#b",
        "a%",
        "a_",
        "ä",
        "a\u{308}",
        "ﬁ",
        "fi",
        "ß",
        "ss",
        "日本",
        "\u{1F600}",
        "'; --",
        "\\",
        "\"",
        "x\u{200b}",
        "x",
        "1",
        "01",
        "1.0",
    ];
    for collection in [Collection::Tuple, Collection::Account] {
        let edits = ids.iter().zip(0_i64..).map(|(id, value)| Edit::Record(record(collection, id, value)));
        assert_eq!(fixture.commit(edits.collect()).await.unwrap().records.len(), ids.len());
    }
    let mut sorted: Vec<(&str, i64)> = ids.into_iter().zip(0..).collect();
    sorted.sort_unstable();
    for collection in [Collection::Tuple, Collection::Account] {
        let (records, _) = fixture.store.records(&[collection]).await.unwrap();
        let stored: Vec<_> =
            records.iter().map(|record| (&*record.id, record.body.as_i64().unwrap())).collect();
        assert_eq!(stored, sorted);
    }
    let edits = sorted.iter().map(|(id, _)| remove(Collection::Tuple, id)).collect();
    fixture.commit(edits).await.unwrap();
    assert_eq!(fixture.store.records(&Collection::ALL).await.unwrap().0.len(), ids.len());
}

async fn concurrent_writers_lose_no_record(fixture: Fixture) {
    fixture.commit(vec![set(server("shared"), 0)]).await.unwrap();
    let writers: Vec<_> = (0..16)
        .map(|writer| {
            let store = fixture.store.clone();
            tokio::spawn(async move {
                let mut won = 0;
                for n in 0..10 {
                    let own = tuple(&format!("own:{writer}:{n}"), server("shared"));
                    store.commit(write(vec![own])).await.unwrap();
                    let race =
                        RecordEdit { expected: Presence::Absent, ..token(&format!("race:{n}"), writer) };
                    won += usize::from(store.commit(write(vec![Edit::Record(race)])).await.is_ok());
                }
                won
            })
        })
        .collect();
    let mut won = 0;
    for writer in writers {
        won += writer.await.unwrap();
    }
    assert_eq!(won, 10, "each race has one winner");
    let (records, revision) = fixture.store.records(&[Collection::Tuple]).await.unwrap();
    assert_eq!((records.len(), revision), (160, Revision(171)));
    let done = fixture.commit(vec![delete(server("shared"))]).await.unwrap();
    assert_eq!(done.records.len(), 160);
    assert_eq!(ids(&fixture).await.len(), 10);
}

async fn all_records_come_from_the_revision_they_come_with(fixture: Fixture) {
    let done = std::sync::Arc::new(AtomicBool::new(false));
    let (store, ended) = (fixture.store.clone(), std::sync::Arc::clone(&done));
    let writer = tokio::spawn(async move {
        for n in 0..120_i64 {
            let second = if n % 3 == 0 { remove(Collection::Token, "b") } else { put("b", n) };
            store.commit(write(vec![put("a", n), second, put(&format!("c{}", n % 7), n)])).await.unwrap();
        }
        ended.store(true, Ordering::Relaxed);
    });
    let mut samples = Vec::new();
    while !done.load(Ordering::Relaxed) || samples.is_empty() {
        samples.push(fixture.store.records(&[Collection::Token]).await.unwrap());
    }
    writer.await.unwrap();
    samples.push(fixture.store.records(&[Collection::Token]).await.unwrap());

    let (mut watch, mut state, mut at) = (fixture.store.watch(Revision(0)), BTreeMap::new(), Revision(0));
    for (records, revision) in samples {
        while at < revision {
            let changes = watch.next().await.unwrap();
            at = changes.revision;
            for change in changes.changes {
                let Change::Record(change) = change else { unreachable!() };
                match change.body {
                    Some(body) => drop(state.insert(change.id, (body, at))),
                    None => drop(state.remove(&change.id)),
                }
            }
        }
        let listed: BTreeMap<_, _> =
            records.into_iter().map(|record| (record.id, (record.body, record.revision))).collect();
        assert_eq!(listed, state, "at revision {revision}");
    }
    assert_eq!(at, Revision(120));
}
