//! Changing the key, also when it is interrupted.

use model::{Key, Kind, SecretText};
use storage::{Keyring, RotateError};

use super::fixture::{Fixture, alice, edit, key, on_both, value, with_secrets};

on_both!(
    a_rotation_rewraps_every_secret_and_forgets_the_old_key,
    a_rotation_killed_before_rewrapping_is_finished_by_the_next_open,
    a_rotation_killed_halfway_is_finished_by_the_next_open,
    a_rotation_keeps_the_old_key_for_what_does_not_open,
    secrets_written_during_a_rotation_survive_it,
    an_empty_passphrase_is_refused_and_changes_nothing,
);

fn environment(n: usize) -> Key {
    key(Kind::Environment, &format!("env{n}"), alice())
}

async fn fill(fixture: &Fixture, count: usize) {
    let edits = (0..count).map(|n| {
        edit(with_secrets(environment(n), &[("A", value(&format!("a{n}"))), ("B", value(&format!("b{n}")))]))
    });
    fixture.commit(edits.collect()).await.unwrap();
}

async fn check(fixture: &Fixture, count: usize) {
    for n in 0..count {
        let a = fixture.store.open_secret(&environment(n), "A").await.unwrap().unwrap();
        assert_eq!(a.expose(), format!("a{n}"));
    }
}

fn key_ids(fixture: &Fixture) -> Vec<String> {
    let file: serde_json::Value = serde_json::from_slice(&std::fs::read(fixture.keys()).unwrap()).unwrap();
    let keys = file["keys"].as_array().unwrap();
    keys.iter().map(|key| key["id"].as_str().unwrap().to_owned()).collect()
}

/// What the file looks like after the first step: a new key first, the old ones behind it.
fn begin(fixture: &Fixture) {
    let scratch = tempfile::tempdir().unwrap();
    Keyring::load_or_create(&scratch.path().join("keys"), None).unwrap();
    let read = |path: &std::path::Path| -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    };
    let (mut new, old) = (read(&scratch.path().join("keys")), read(&fixture.keys()));
    let keys = new["keys"].as_array_mut().unwrap();
    keys.extend(old["keys"].as_array().unwrap().iter().cloned());
    std::fs::write(fixture.keys(), new.to_string()).unwrap();
}

async fn a_rotation_rewraps_every_secret_and_forgets_the_old_key(fixture: Fixture) {
    fill(&fixture, 300).await;
    let old = key_ids(&fixture);
    let rotated = fixture.store.rotate_key(None).await.unwrap();
    assert_eq!(rotated.rewrapped, 600);
    assert_eq!(key_ids(&fixture), [rotated.key_id]);
    assert_ne!(key_ids(&fixture), old);
    check(&fixture, 300).await;
    let fixture = fixture.reopen().await;
    check(&fixture, 300).await;
    fill(&fixture, 1).await;
    check(&fixture, 1).await;
}

async fn a_rotation_killed_before_rewrapping_is_finished_by_the_next_open(fixture: Fixture) {
    fill(&fixture, 3).await;
    begin(&fixture);
    let fixture = fixture.reopen().await;
    assert_eq!(key_ids(&fixture).len(), 1);
    check(&fixture, 3).await;
}

async fn a_rotation_killed_halfway_is_finished_by_the_next_open(mut fixture: Fixture) {
    fill(&fixture, 6).await;
    // The rows of half of the secrets as they were before a rotation, put back after it.
    fixture.sql("CREATE TABLE kept AS SELECT * FROM secrets WHERE slot = 'A'").await;
    let before = std::fs::read(fixture.keys()).unwrap();
    fixture.store.rotate_key(None).await.unwrap();
    fixture.stop().await;
    fixture.sql("DELETE FROM secrets WHERE slot = 'A'; INSERT INTO secrets SELECT * FROM kept").await;
    let mut file: serde_json::Value =
        serde_json::from_slice(&std::fs::read(fixture.keys()).unwrap()).unwrap();
    let old: serde_json::Value = serde_json::from_slice(&before).unwrap();
    file["keys"].as_array_mut().unwrap().push(old["keys"][0].clone());
    std::fs::write(fixture.keys(), file.to_string()).unwrap();

    let fixture = fixture.reopen().await;
    assert_eq!(key_ids(&fixture).len(), 1);
    check(&fixture, 6).await;
}

async fn a_rotation_keeps_the_old_key_for_what_does_not_open(fixture: Fixture) {
    fill(&fixture, 3).await;
    fixture.sql("UPDATE secrets SET version = 7 WHERE slot = 'B'").await;
    let error = fixture.store.rotate_key(None).await.unwrap_err();
    assert!(matches!(&error, RotateError::Unopened(which) if which.len() == 3), "{error}");
    assert_eq!(key_ids(&fixture).len(), 2);
    check(&fixture, 3).await;
    let fixture = fixture.reopen().await;
    assert_eq!(key_ids(&fixture).len(), 2);
    check(&fixture, 3).await;
}

async fn secrets_written_during_a_rotation_survive_it(fixture: Fixture) {
    fill(&fixture, 200).await;
    let store = fixture.store.clone();
    let writing = tokio::spawn(async move {
        for n in 0..100 {
            let secret = with_secrets(environment(n), &[("A", value(&format!("a{n}")))]);
            store.commit(super::fixture::write(vec![edit(secret)])).await.unwrap();
        }
    });
    fixture.store.rotate_key(None).await.unwrap();
    fixture.store.rotate_key(None).await.unwrap();
    writing.await.unwrap();
    check(&fixture, 200).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_passphrase_given_at_rotation_is_needed_from_then_on() {
    let mut fixture = Fixture::sqlite().await;
    fill(&fixture, 2).await;
    fixture.store.rotate_key(Some(SecretText::new("correct horse".to_owned()))).await.unwrap();
    check(&fixture, 2).await;
    fixture.store.rotate_key(None).await.unwrap();
    fixture.stop().await;
    assert!(Keyring::load_or_create(&fixture.keys(), None).is_err(), "it stays protected");
    let passphrase = SecretText::new("correct horse".to_owned());
    Keyring::load_or_create(&fixture.keys(), Some(passphrase)).unwrap();
}

async fn an_empty_passphrase_is_refused_and_changes_nothing(fixture: Fixture) {
    fill(&fixture, 1).await;
    let before = key_ids(&fixture);
    assert!(matches!(
        fixture.store.rotate_key(Some(SecretText::new(String::new()))).await,
        Err(RotateError::Key(_))
    ));
    assert_eq!(key_ids(&fixture), before);
    check(&fixture.reopen().await, 1).await;
}

/// A second store on the same PostgreSQL database, with the given key file.
async fn replica(first: &Fixture, share_keys: bool) -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let keys = directory.path().join("keys");
    if share_keys {
        std::os::unix::fs::symlink(first.keys(), keys).unwrap();
    } else {
        std::fs::copy(first.keys(), keys).unwrap();
    }
    Fixture::on(first.database.clone(), directory).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_rotation_a_replica_reads_the_shared_key_file_again() {
    let first = Fixture::postgres().await;
    let second = replica(&first, true).await;
    first.store.rotate_key(None).await.unwrap();
    fill(&second, 2).await;
    check(&first, 2).await;
    check(&second, 2).await;
    check(&second.reopen().await, 2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_rotation_a_replica_with_the_old_key_seals_nothing_and_goes_on_otherwise() {
    let first = Fixture::postgres().await;
    let second = replica(&first, false).await;
    first.store.rotate_key(None).await.unwrap();
    let refused = second.commit(vec![edit(with_secrets(environment(0), &[("A", value("x"))]))]).await;
    assert!(refused.unwrap_err().to_string().contains("give this daemon that key file"));
    second.commit(vec![edit(super::fixture::put(environment(1), "x"))]).await.unwrap();
}
