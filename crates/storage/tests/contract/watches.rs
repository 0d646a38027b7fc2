//! Watches: everything once, in order, or `compacted`.

use std::time::Duration;

use model::{Change, Revision};
use storage::{Options, Retention, Store, WatchError};

use super::fixture::{Fixture, delete, on_both, server, set, write};

on_both!(
    a_watch_sees_everything_exactly_once_while_writers_run,
    a_large_revision_comes_whole,
    a_change_carries_the_resource_or_its_absence,
    a_watch_behind_what_is_kept_is_compacted,
    a_watch_ends_when_the_store_does,
);

async fn a_watch_sees_everything_exactly_once_while_writers_run(fixture: Fixture) {
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let store = fixture.store.clone();
            tokio::spawn(async move {
                for n in 0..50 {
                    let edits =
                        vec![set(server(&format!("w{writer}")), n), set(server(&format!("v{writer}")), n)];
                    store.commit(write(edits)).await.unwrap();
                }
            })
        })
        .collect();
    for from in [0, 117] {
        let mut watch = fixture.store.watch(Revision(from));
        for expected in from + 1..=400 {
            let changes = tokio::time::timeout(Duration::from_secs(30), watch.next()).await.unwrap().unwrap();
            assert_eq!(changes.revision, Revision(expected));
            assert_eq!(changes.changes.len(), 2);
        }
    }
    for writer in writers {
        writer.await.unwrap();
    }
}

async fn a_large_revision_comes_whole(fixture: Fixture) {
    fixture.commit(vec![set(server("before"), 1)]).await.unwrap();
    fixture.commit((0..1200).map(|n| set(server(&format!("s{n}")), 1)).collect()).await.unwrap();
    fixture.commit((0..499).map(|n| set(server(&format!("s{n}")), 2)).collect()).await.unwrap();
    fixture.commit(vec![set(server("after"), 1)]).await.unwrap();
    let mut watch = fixture.store.watch(Revision(0));
    let mut sizes = Vec::new();
    for _ in 0..4 {
        sizes.push(watch.next().await.unwrap().changes.len());
    }
    assert_eq!(sizes, [1, 1200, 499, 1]);
}

async fn a_change_carries_the_resource_or_its_absence(fixture: Fixture) {
    let mut watch = fixture.store.watch(Revision(0));
    let made = fixture.commit(vec![set(server("a"), 1)]).await.unwrap().edited[0].after.clone().unwrap();
    assert_eq!(watch.next().await.unwrap().changes, [Change::Put(Box::new(made.clone()))]);
    fixture.commit(vec![delete(server("a"))]).await.unwrap();
    assert_eq!(watch.next().await.unwrap().changes, [Change::Delete { key: server("a"), id: made.id }]);
}

async fn a_watch_behind_what_is_kept_is_compacted(mut fixture: Fixture) {
    for n in 0..10 {
        fixture.commit(vec![set(server("a"), n)]).await.unwrap();
    }
    fixture.stop().await;
    fixture.sql("UPDATE changes SET at = 5 WHERE revision <= 6").await;
    let retention = Retention { history: Duration::from_hours(1), audit: Duration::from_hours(1) };
    let options = Options { database: fixture.database.clone(), retention };
    let (store, _service) = Store::open(options.clone(), fixture.keyring()).await.unwrap();
    for from in [0, 5] {
        let behind = store.watch(Revision(from)).next().await.unwrap_err();
        assert_eq!(behind, WatchError::Compacted { oldest: Revision(6) });
    }
    assert_eq!(store.watch(Revision(6)).next().await.unwrap().revision, Revision(7));

    fixture.sql("UPDATE changes SET at = 5; UPDATE audit SET at = 5").await;
    let (store, _service) = Store::open(options, fixture.keyring()).await.unwrap();
    assert_eq!(store.watch(Revision(9)).next().await.unwrap().revision, Revision(10), "the newest stays");
    assert_eq!(store.audit((Revision(0), 0), 100).await.unwrap().len(), 1);
}

async fn a_watch_ends_when_the_store_does(mut fixture: Fixture) {
    fixture.commit(vec![set(server("a"), 1)]).await.unwrap();
    let mut watch = fixture.store.watch(Revision(0));
    fixture.stop().await;
    assert_eq!(watch.next().await.unwrap().revision, Revision(1), "what was committed is still told");
    assert_eq!(watch.next().await.unwrap_err(), WatchError::Closed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_on_one_database_see_each_others_commits() {
    let here = Fixture::postgres().await;
    let options = Options { database: here.database.clone(), retention: super::fixture::FOREVER };
    let (there, service) = Store::open(options, here.keyring()).await.unwrap();
    let task = tokio::spawn(service.run(tokio_util::sync::CancellationToken::new()));
    let mut watch = there.watch(Revision(0));
    for n in 1..=20 {
        let writer = if n % 2 == 0 { &here.store } else { &there };
        let done = writer.commit(write(vec![set(server("a"), n)])).await.unwrap();
        assert_eq!(done.revision, Revision(n));
        let seen = tokio::time::timeout(Duration::from_secs(3), watch.next()).await.unwrap().unwrap();
        assert_eq!(seen.revision, Revision(n));
    }
    task.abort();
}
