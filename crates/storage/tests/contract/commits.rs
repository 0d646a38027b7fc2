//! Commits: gapless revisions, conflicts, all or nothing.

use std::collections::BTreeSet;

use model::{Outcome, Revision};
use storage::{CommitError, Edit, Expected, Put};

use super::fixture::{Fixture, body, delete, edit, on_both, put, server, set, write};

on_both!(
    revisions_are_gapless_and_unique_under_concurrent_writers,
    a_stale_write_is_a_conflict_that_names_both_revisions,
    a_write_happens_as_a_whole_or_not_at_all,
    an_unchanged_put_takes_no_revision,
    the_order_of_fields_is_no_change,
    what_must_be_absent_is_refused_when_it_exists,
    a_missing_resource_cannot_be_deleted,
    a_resource_made_again_has_another_id,
    a_rehearsal_says_what_would_happen_and_does_nothing,
    ten_thousand_puts_fit_in_one_write,
    a_value_the_database_refuses_fails_alone,
    queued_writes_are_finished_at_shutdown,
);

async fn revisions_are_gapless_and_unique_under_concurrent_writers(fixture: Fixture) {
    let writers = (0..32).map(|writer| {
        let store = fixture.store.clone();
        tokio::spawn(async move {
            let mut revisions = Vec::new();
            for n in 0..10 {
                let edits =
                    vec![set(server(&format!("w{writer}-{n}")), n), set(server("shared"), writer * 100 + n)];
                revisions.push(store.commit(write(edits)).await.unwrap().revision.0);
            }
            assert!(revisions.is_sorted(), "each writer's revisions grow");
            revisions
        })
    });
    let mut all = BTreeSet::new();
    for writer in writers.collect::<Vec<_>>() {
        all.extend(writer.await.unwrap());
    }
    assert_eq!(all, (1..=320).collect());
    assert_eq!(fixture.store.revision().await.unwrap(), Revision(320));
}

async fn a_stale_write_is_a_conflict_that_names_both_revisions(fixture: Fixture) {
    let first = fixture.commit(vec![set(server("a"), 1)]).await.unwrap().revision;
    let second = fixture.commit(vec![set(server("a"), 2)]).await.unwrap().revision;
    for expected in [Expected::Base(first), Expected::Exactly(first)] {
        let refused = fixture.commit(vec![edit(Put { expected, ..put(server("a"), 3) })]).await.unwrap_err();
        let conflict = CommitError::Conflict { key: server("a"), expected: first, stored: Some(second) };
        assert_eq!(refused, conflict);
        assert_eq!(refused.to_string(), "MCP server `a` (platform) is at revision 2, not at 1");
        let same = fixture.commit(vec![edit(Put { expected, ..put(server("a"), 2) })]).await.unwrap();
        assert_eq!(same.edited[0].outcome, Outcome::Unchanged, "already what was asked for");
    }
    let stale = Edit::Delete { key: server("a"), expected: Expected::Exactly(first), force: false };
    assert!(matches!(fixture.commit(vec![stale]).await, Err(CommitError::Conflict { .. })));

    let missing = put(server("b"), 1);
    let exactly = Put { expected: Expected::Exactly(first), ..missing.clone() };
    let refused = fixture.commit(vec![edit(exactly)]).await.unwrap_err();
    assert_eq!(refused, CommitError::Conflict { key: server("b"), expected: first, stored: None });
    let based = Put { expected: Expected::Base(first), ..missing };
    assert_eq!(fixture.commit(vec![edit(based)]).await.unwrap().edited[0].outcome, Outcome::Created);
    let fresh = Put { expected: Expected::Exactly(second), ..put(server("a"), 3) };
    assert_eq!(fixture.commit(vec![edit(fresh)]).await.unwrap().edited[0].outcome, Outcome::Updated);
}

async fn a_write_happens_as_a_whole_or_not_at_all(fixture: Fixture) {
    fixture.commit(vec![set(server("a"), 1)]).await.unwrap();
    let edits = vec![set(server("b"), 1), delete(server("a")), delete(server("missing"))];
    let refused = fixture.commit(edits).await.unwrap_err();
    assert_eq!(refused, CommitError::NotFound { key: server("missing") });
    assert_eq!(fixture.store.get(&server("b")).await.unwrap(), None);
    assert!(fixture.store.get(&server("a")).await.unwrap().is_some());
    let done = fixture.commit(vec![set(server("b"), 1), delete(server("a"))]).await.unwrap();
    assert_eq!(done.revision, Revision(2));
    let outcomes: Vec<_> = done.edited.iter().map(|edited| edited.outcome).collect();
    assert_eq!(outcomes, [Outcome::Created, Outcome::Deleted]);
    assert_eq!(fixture.store.get(&server("a")).await.unwrap(), None);
    assert_eq!(fixture.store.get(&server("b")).await.unwrap(), done.edited[0].after);
}

async fn an_unchanged_put_takes_no_revision(fixture: Fixture) {
    let made = fixture.commit(vec![set(server("a"), 0.1)]).await.unwrap();
    let again = fixture.commit(vec![set(server("a"), 0.1)]).await.unwrap();
    assert_eq!(again.revision, made.revision);
    assert_eq!(again.edited[0].outcome, Outcome::Unchanged);
    assert_eq!(again.edited[0].before, made.edited[0].after);
    let next = fixture.commit(vec![set(server("a"), 2), set(server("b"), 1)]).await.unwrap();
    assert_eq!(next.revision, Revision(2));
    let stored = fixture.store.get(&server("a")).await.unwrap().unwrap();
    assert_eq!(
        (stored.revision, stored.created_at),
        (Revision(2), made.edited[0].after.as_ref().unwrap().created_at)
    );
}

async fn the_order_of_fields_is_no_change(fixture: Fixture) {
    let one: serde_json::Value = serde_json::from_str(r#"{"x": 1, "y": [{"a": 1, "b": 2}]}"#).unwrap();
    let two: serde_json::Value = serde_json::from_str(r#"{"y": [{"b": 2, "a": 1}], "x": 1}"#).unwrap();
    fixture.commit(vec![set(server("a"), one)]).await.unwrap();
    let again = fixture.commit(vec![set(server("a"), two)]).await.unwrap();
    assert_eq!(again.edited[0].outcome, Outcome::Unchanged);
}

async fn what_must_be_absent_is_refused_when_it_exists(fixture: Fixture) {
    let create = || vec![edit(Put { expected: Expected::Absent, ..put(server("a"), 1) })];
    let made = fixture.commit(create()).await.unwrap();
    let refused = fixture.commit(create()).await.unwrap_err();
    assert_eq!(refused, CommitError::Exists { key: server("a"), revision: made.revision });
}

async fn a_missing_resource_cannot_be_deleted(fixture: Fixture) {
    let refused = fixture.commit(vec![delete(server("a"))]).await.unwrap_err();
    assert_eq!(refused, CommitError::NotFound { key: server("a") });
    assert_eq!(fixture.store.revision().await.unwrap(), Revision(0));
}

async fn a_resource_made_again_has_another_id(fixture: Fixture) {
    let id = |done: storage::Committed| done.edited.last().unwrap().after.clone().unwrap().id;
    let first = id(fixture.commit(vec![set(server("a"), 1)]).await.unwrap());
    let same = id(fixture.commit(vec![set(server("a"), 2)]).await.unwrap());
    assert_eq!(first, same);
    let again = id(fixture.commit(vec![delete(server("a")), set(server("a"), 2)]).await.unwrap());
    assert_ne!(first, again);
    assert_eq!(fixture.store.get(&server("a")).await.unwrap().unwrap().id, again);
}

async fn a_rehearsal_says_what_would_happen_and_does_nothing(fixture: Fixture) {
    fixture.commit(vec![set(server("a"), 1)]).await.unwrap();
    let edits = vec![set(server("a"), 2), set(server("b"), 1)];
    let done = fixture.store.rehearse(write(edits)).await.unwrap();
    assert_eq!(done.revision, Revision(1));
    let outcomes: Vec<_> = done.edited.iter().map(|edited| edited.outcome).collect();
    assert_eq!(outcomes, [Outcome::Updated, Outcome::Created]);
    assert_eq!(fixture.store.get(&server("a")).await.unwrap().unwrap().body, body(1));
    assert_eq!(fixture.store.get(&server("b")).await.unwrap(), None);
    assert_eq!(fixture.store.revision().await.unwrap(), Revision(1));
    let refused = fixture.store.rehearse(write(vec![delete(server("c"))])).await.unwrap_err();
    assert_eq!(refused, CommitError::NotFound { key: server("c") });
}

async fn ten_thousand_puts_fit_in_one_write(fixture: Fixture) {
    let edits = |value: i64| (0..10_000).map(|n| set(server(&format!("s{n}")), value)).collect();
    let done = fixture.commit(edits(1)).await.unwrap();
    assert_eq!((done.revision, done.edited.len()), (Revision(1), 10_000));
    let done = fixture.commit(edits(2)).await.unwrap();
    assert!(done.edited.iter().all(|edited| edited.outcome == Outcome::Updated));
    let done = fixture.commit((0..10_000).map(|n| delete(server(&format!("s{n}")))).collect()).await.unwrap();
    assert_eq!(done.revision, Revision(3));
}

async fn a_value_the_database_refuses_fails_alone(fixture: Fixture) {
    // PostgreSQL has no NUL in text; SQLite does not mind.
    let poison = Put { tags: vec!["\0".to_owned()], ..put(server("poison"), 1) };
    let (bad, good) = tokio::join!(fixture.commit(vec![edit(poison)]), futures(&fixture, 20),);
    assert!(bad.is_ok() || matches!(bad, Err(CommitError::Unavailable(_))), "{bad:?}");
    assert_eq!(good, 20);
}

async fn futures(fixture: &Fixture, count: usize) -> usize {
    let tasks: Vec<_> = (0..count)
        .map(|n| {
            let store = fixture.store.clone();
            tokio::spawn(
                async move { store.commit(write(vec![set(server(&format!("g{n}")), 1)])).await.is_ok() },
            )
        })
        .collect();
    let mut done = 0;
    for task in tasks {
        done += usize::from(task.await.unwrap());
    }
    done
}

async fn queued_writes_are_finished_at_shutdown(mut fixture: Fixture) {
    let tasks: Vec<_> = (0..50)
        .map(|n| {
            let store = fixture.store.clone();
            tokio::spawn(async move { store.commit(write(vec![set(server(&format!("q{n}")), 1)])).await })
        })
        .collect();
    tokio::task::yield_now().await;
    fixture.stop().await;
    let mut done = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => done += 1,
            Err(CommitError::Unavailable(error)) => assert_eq!(error.reason, storage::Reason::Closed),
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(fixture.store.revision().await.unwrap(), Revision(done));
    let late = fixture.commit(vec![set(server("late"), 1)]).await.unwrap_err();
    assert!(matches!(late, CommitError::Unavailable(error) if error.reason == storage::Reason::Closed));
}
