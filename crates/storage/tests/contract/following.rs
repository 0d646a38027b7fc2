//! Following records: every change once, in order, and what a new store begins with.

use std::time::Duration;

use model::{Change, Collection, Kind, Outcome, RecordChange, Revision};
use serde_json::json;
use storage::{Actor, AuditSubject, CommitError, Edit, Put, RecordWatch, WatchError, Write};

use super::fixture::{
    Fixture, alice, delete, edit, key, now, on_both, record, server, set, tuple, value, with_secrets, write,
};

on_both!(
    only_commits_of_records_are_told,
    a_large_commit_comes_whole,
    a_quiet_follower_costs_no_history,
    what_is_no_longer_kept_is_said,
    a_new_store_begins_with_what_it_is_given_and_an_old_one_does_not,
    a_write_decided_before_records_changed_is_refused,
    a_secret_given_again_tells_nothing_to_who_may_not_use_it,
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

async fn a_write_decided_before_records_changed_is_refused(mut fixture: Fixture) {
    let decided = |at: i64, edits| Write { decided_at: Some(Revision(at)), ..write(edits) };
    fixture.commit(vec![put("x")]).await.unwrap();
    fixture.commit(vec![set(server("a"), 1)]).await.unwrap();
    let store = &fixture.store;
    let late = store.commit(decided(0, vec![set(server("a"), 2)])).await;
    assert_eq!(late, Err(CommitError::Outdated { records: Revision(1) }));
    // Resources that changed since are no reason.
    assert_eq!(store.commit(decided(1, vec![set(server("a"), 2)])).await.unwrap().revision, Revision(3));
    // A write of the same group counts too.
    let [first, second] = fixture.commit_together([vec![put("y")], vec![put("z")]]).await;
    assert!(first.is_ok() && second.is_ok(), "what was not decided on is not asked");
    let last = fixture.store.revision().await.unwrap();
    let fixture = fixture.reopen().await;
    let late = fixture.store.commit(decided(last.0 - 1, vec![put("w")])).await;
    assert_eq!(late, Err(CommitError::Outdated { records: last }), "it is known after a restart too");
}

async fn a_secret_given_again_tells_nothing_to_who_may_not_use_it(fixture: Fixture) {
    let secret = |compares_secrets| {
        let put = with_secrets(key(Kind::Environment, "prod", alice()), &[("spec.data.KEY", value("right"))]);
        vec![edit(Put { compares_secrets, ..put })]
    };
    fixture.commit(secret(true)).await.unwrap();
    let outcome = |done: storage::Committed| done.edited[0].outcome;
    assert_eq!(outcome(fixture.commit(secret(true)).await.unwrap()), Outcome::Unchanged);
    assert_eq!(outcome(fixture.commit(secret(false)).await.unwrap()), Outcome::Updated);
}
