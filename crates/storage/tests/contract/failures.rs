//! Databases that go away, and come back.

use std::time::{Duration, Instant};

use model::Revision;
use sqlx::Connection as _;
use storage::{CommitError, Database, Reason};
use testkit::postgres::Postgres;

use super::fixture::{Fixture, server, set};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restarted_server_is_found_again() {
    let server_process = Postgres::start_private();
    let database = Database::Postgres(server_process.database());
    let fixture = Fixture::on(database, tempfile::tempdir().unwrap()).await;
    fixture.commit(vec![set(server("a"), 1)]).await.unwrap();
    let mut watch = fixture.store.watch(Revision(1));

    server_process.stop();
    let started = Instant::now();
    let error = fixture.commit(vec![set(server("a"), 2)]).await.unwrap_err();
    assert!(
        matches!(&error, CommitError::Unavailable(error) if error.reason == Reason::Disconnected),
        "{error}"
    );
    assert!(fixture.store.ready().await.is_err());
    assert!(started.elapsed() < Duration::from_secs(15), "nobody hangs: {:?}", started.elapsed());

    server_process.start();
    let started = Instant::now();
    while fixture.commit(vec![set(server("a"), 3)]).await.is_err() {
        assert!(started.elapsed() < Duration::from_secs(10), "it recovers by itself");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    fixture.store.ready().await.unwrap();
    assert_eq!(watch.next().await.unwrap().revision, Revision(2), "no revision was lost or skipped");

    // A restart between two commits is not even noticed.
    server_process.stop();
    server_process.start();
    fixture.commit(vec![set(server("a"), 4)]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_file_is_busy_until_it_is_not() {
    let fixture = Fixture::sqlite().await;
    let Database::Sqlite(path) = &fixture.database else { unreachable!() };
    let url = format!("sqlite://{}", path.display());
    let mut other = sqlx::SqliteConnection::connect(&url).await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let error = fixture.commit(vec![set(server("a"), 1)]).await.unwrap_err();
    assert!(matches!(&error, CommitError::Unavailable(error) if error.reason == Reason::Busy), "{error}");
    fixture.store.get(&server("a")).await.unwrap();
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    assert_eq!(fixture.commit(vec![set(server("a"), 1)]).await.unwrap().revision, Revision(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_fails_halfway_leaves_nothing_and_the_next_one_works() {
    let fixture = Fixture::sqlite().await;
    fixture.commit(vec![set(server("a"), 1)]).await.unwrap();
    // The trigger fails a statement in the middle of the transaction.
    fixture.sql("CREATE TRIGGER refuse BEFORE INSERT ON changes BEGIN SELECT RAISE(ABORT, 'no'); END").await;
    let error = fixture.commit(vec![set(server("a"), 2)]).await.unwrap_err();
    assert!(matches!(error, CommitError::Unavailable(_)), "{error}");
    assert_eq!(fixture.store.get(&server("a")).await.unwrap().unwrap().revision, Revision(1));
    fixture.sql("DROP TRIGGER refuse").await;
    assert_eq!(fixture.commit(vec![set(server("a"), 2)]).await.unwrap().revision, Revision(2));
}
