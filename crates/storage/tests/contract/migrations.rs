//! The schema: resumed after a kill, refused when it is newer.

use storage::{OpenError, Options, Store};

use super::fixture::{FOREVER, Fixture, on_both, server, set, sql_on};

on_both!(an_interrupted_migration_is_resumed, a_newer_schema_is_refused_with_both_versions);

async fn an_interrupted_migration_is_resumed(fixture: Fixture) {
    let newest = [
        "ALTER TABLE meta DROP COLUMN records",
        "DROP INDEX changes_of_records",
        "DROP INDEX resources_of_holder",
        "DROP TABLE denials",
        "DROP TABLE records",
    ];
    let undo = ["DROP TABLE audit", "DROP TABLE changes", "DROP TABLE secrets; DROP TABLE mentions"];
    let undo =
        [&newest[..], &undo[..], &["DROP TABLE tags; DROP TABLE resources", "DROP TABLE meta"]].concat();
    for done in 0..undo.len() {
        let (database, directory) = fixture.empty();
        let mut other = Fixture::on(database.clone(), directory).await;
        other.stop().await;
        let steps: Vec<&str> = undo[..undo.len() - done].to_vec();
        let back = format!("{}; DELETE FROM schema_version WHERE version > {done}", steps.join("; "));
        sql_on(&database, &back).await;
        let other = other.reopen().await;
        other.commit(vec![set(server("a"), 1)]).await.unwrap();
    }
}

async fn a_newer_schema_is_refused_with_both_versions(mut fixture: Fixture) {
    fixture.stop().await;
    fixture.sql("INSERT INTO schema_version (version) VALUES (99)").await;
    let options = Options { database: fixture.database.clone(), retention: FOREVER };
    let error = Store::open(options, fixture.keyring()).await.err().unwrap();
    assert!(matches!(error, OpenError::Newer { found: 99, known: 10 }), "{error}");
    assert_eq!(
        error.to_string(),
        "this database was written by a newer outfitter (schema 99, this binary knows 10); \
         upgrade the binary or restore a backup"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_that_start_together_migrate_once() {
    let fixture = Fixture::postgres().await;
    let (database, directory) = fixture.empty();
    let keys = directory.path().join("keys");
    storage::Keyring::load_or_create(&keys, None).unwrap();
    let opening: Vec<_> = (0..4)
        .map(|_| {
            let options = Options { database: database.clone(), retention: FOREVER };
            let keyring = storage::Keyring::load_or_create(&keys, None).unwrap();
            tokio::spawn(async move { Store::open(options, keyring).await.map(drop) })
        })
        .collect();
    for replica in opening {
        replica.await.unwrap().unwrap();
    }
}
