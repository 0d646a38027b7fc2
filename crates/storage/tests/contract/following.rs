//! Following records: every change once, in order, and what a new store begins with.

use std::time::Duration;

use model::{Change, Collection, RecordChange, Revision};
use serde_json::json;
use storage::{Actor, AuditSubject, Edit, RecordWatch, WatchError};

use super::fixture::{Fixture, delete, now, on_both, record, server, set, tuple};

on_both!(
    only_commits_of_records_are_told,
    a_large_commit_comes_whole,
    a_quiet_follower_costs_no_history,
    what_is_no_longer_kept_is_said,
    a_new_store_begins_with_what_it_is_given_and_an_old_one_does_not,
);

fn put(id: &str) -> Edit {
    Edit::Record(record(Collection::Tuple, id, json!({ "id": id })))
}

async fn next(watch: &mut RecordWatch) -> (Revision, Vec<String>) {
    let changes = tokio::time::timeout(Duration::from_secs(10), watch.next()).await.unwrap().unwrap();
    let told = changes.changes.into_iter().map(|change| match change {
        Change::Record(RecordChange { id, body: Some(_), .. }) => id,
        Change::Record(RecordChange { id, body: None, .. }) => format!("-{id}"),
        other => panic!("{other:?}"),
    });
    (changes.revision, told.collect())
}

async fn only_commits_of_records_are_told(fixture: Fixture) {
    let mut watch = fixture.store.watch_records(Revision(0));
    fixture.commit(vec![set(server("a"), 1)]).await.unwrap();
    fixture.commit(vec![put("x"), set(server("b"), 1), put("y")]).await.unwrap();
    fixture.commit(vec![set(server("a"), 2)]).await.unwrap();
    fixture.commit(vec![tuple("of-a", server("a"))]).await.unwrap();
    fixture.commit(vec![delete(server("a"))]).await.unwrap();
    assert_eq!(next(&mut watch).await, (Revision(2), vec!["x".to_owned(), "y".to_owned()]));
    assert_eq!(next(&mut watch).await, (Revision(4), vec!["of-a".to_owned()]));
    assert_eq!(next(&mut watch).await, (Revision(5), vec!["-of-a".to_owned()]));
    let mut later = fixture.store.watch_records(Revision(4));
    assert_eq!(next(&mut later).await, (Revision(5), vec!["-of-a".to_owned()]));
}

async fn a_large_commit_comes_whole(fixture: Fixture) {
    let mut watch = fixture.store.watch_records(Revision(0));
    let ids: Vec<String> = (0..1_200).map(|number| format!("{number:04}")).collect();
    fixture.commit(vec![put("first")]).await.unwrap();
    fixture.commit(ids.iter().map(|id| put(id)).collect()).await.unwrap();
    fixture.commit(vec![put("last")]).await.unwrap();
    assert_eq!(next(&mut watch).await.0, Revision(1));
    assert_eq!(next(&mut watch).await, (Revision(2), ids));
    assert_eq!(next(&mut watch).await, (Revision(3), vec!["last".to_owned()]));
}

async fn a_quiet_follower_costs_no_history(fixture: Fixture) {
    let mut watch = fixture.store.watch_records(Revision(0));
    for number in 0..5 {
        fixture.commit(vec![set(server("a"), number)]).await.unwrap();
    }
    let quiet = tokio::time::timeout(Duration::from_millis(200), watch.next()).await;
    assert!(quiet.is_err(), "nothing was to be told");
    fixture.commit(vec![put("x")]).await.unwrap();
    assert_eq!(next(&mut watch).await, (Revision(6), vec!["x".to_owned()]));
}

async fn what_is_no_longer_kept_is_said(fixture: Fixture) {
    fixture.commit(vec![put("x")]).await.unwrap();
    fixture.commit(vec![put("y")]).await.unwrap();
    let mut watch = fixture.store.watch_records(Revision(0));
    fixture.sql("DELETE FROM changes WHERE revision = 1").await;
    fixture.sql("UPDATE meta SET oldest = 1").await;
    assert_eq!(watch.next().await, Err(WatchError::Compacted { oldest: Revision(1) }));
}

async fn a_new_store_begins_with_what_it_is_given_and_an_old_one_does_not(fixture: Fixture) {
    let actor = || Actor { account: "root".parse().unwrap(), via: "start".to_owned() };
    let given = |id: &str| vec![(Collection::Account, id.to_owned(), json!({ "n": 1 }))];
    assert!(fixture.store.found(actor(), now(), given("root")).await.unwrap());
    assert!(!fixture.store.found(actor(), now(), given("other")).await.unwrap());
    let (records, revision) = fixture.store.records(&Collection::ALL).await.unwrap();
    assert_eq!((records.len(), records[0].id.as_str(), revision), (1, "root", Revision(0)));
    let audit = fixture.store.audit((Revision(-1), 0), 9).await.unwrap();
    let subject = AuditSubject::Record { collection: Collection::Account, id: "root".to_owned() };
    assert_eq!((audit.len(), &audit[0].subject, audit[0].via.as_str()), (1, &subject, "start"));
    fixture.commit(vec![put("x")]).await.unwrap();
    assert!(!fixture.store.found(actor(), now(), given("late")).await.unwrap());
}
