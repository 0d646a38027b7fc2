//! Secrets: kept, set, cleared, and never opened when anything about them is wrong.

use model::{Key, Kind, Outcome, SecretWrite};
use storage::{Database, OpenError, Options, SecretError, Store};

use super::fixture::{FOREVER, Fixture, alice, delete, edit, key, on_both, put, value, with_secrets};

on_both!(
    a_secret_is_kept_replaced_and_cleared,
    the_same_value_again_is_no_change,
    rows_that_were_moved_or_altered_do_not_open,
    a_wrong_key_file_is_refused_at_open,
    a_missing_key_file_is_refused_and_none_is_left_behind,
    secrets_go_with_their_resource,
    a_plain_value_that_becomes_a_secret_is_sealed,
    a_secret_does_not_become_plain_without_its_value,
);

fn environment(name: &str) -> Key {
    key(Kind::Environment, name, alice())
}

async fn opened(fixture: &Fixture, name: &str, slot: &str) -> Option<String> {
    let secret = fixture.store.open_secret(&environment(name), slot).await.unwrap();
    secret.map(|text| text.expose().to_owned())
}

async fn a_secret_is_kept_replaced_and_cleared(fixture: Fixture) {
    let write = |secrets: &[(&str, SecretWrite)]| vec![edit(with_secrets(environment("prod"), secrets))];
    let made = fixture.commit(write(&[("A", value("one")), ("B", value("two"))])).await.unwrap();
    assert_eq!(made.edited[0].secrets_changed, ["A", "B"]);
    assert_eq!(opened(&fixture, "prod", "A").await.as_deref(), Some("one"));

    let done = fixture.commit(write(&[("A", SecretWrite::Keep), ("B", value("three"))])).await.unwrap();
    assert_eq!(
        (done.edited[0].outcome, &*done.edited[0].secrets_changed),
        (Outcome::Updated, &["B".to_owned()][..])
    );
    assert_eq!(opened(&fixture, "prod", "A").await.as_deref(), Some("one"));
    assert_eq!(opened(&fixture, "prod", "B").await.as_deref(), Some("three"));

    let done = fixture.commit(write(&[("A", SecretWrite::Clear), ("B", SecretWrite::Keep)])).await.unwrap();
    assert_eq!(done.edited[0].secrets_changed, ["A"]);
    assert_eq!(opened(&fixture, "prod", "A").await, None);

    let done = fixture.commit(write(&[("C", SecretWrite::Keep)])).await.unwrap();
    assert_eq!(done.edited[0].secrets_changed, ["B"], "a slot that is no longer there goes");
    assert_eq!(opened(&fixture, "prod", "B").await, None);
}

async fn the_same_value_again_is_no_change(fixture: Fixture) {
    let write = || vec![edit(with_secrets(environment("prod"), &[("A", value("one"))]))];
    let made = fixture.commit(write()).await.unwrap();
    let again = fixture.commit(write()).await.unwrap();
    assert_eq!((again.revision, again.edited[0].outcome), (made.revision, Outcome::Unchanged));
}

async fn rows_that_were_moved_or_altered_do_not_open(fixture: Fixture) {
    let both = [("A", value("one")), ("B", value("two"))];
    fixture.commit(vec![edit(with_secrets(environment("prod"), &both))]).await.unwrap();
    let fails = async |what: &str| {
        let error = fixture.store.open_secret(&environment("prod"), "A").await.unwrap_err();
        assert_eq!(error, SecretError::Unopened { key: environment("prod"), slot: "A".to_owned() }, "{what}");
        assert!(error.to_string().contains("`A` of environment `prod`"), "{error}");
    };
    fixture
        .sql("UPDATE secrets SET slot = CASE slot WHEN 'A' THEN 'C' WHEN 'B' THEN 'A' ELSE slot END")
        .await;
    fails("another slot's row").await;
    fixture.sql("UPDATE secrets SET slot = 'B' WHERE slot = 'A'").await;
    fixture.sql("UPDATE secrets SET slot = 'A' WHERE slot = 'C'").await;
    assert_eq!(opened(&fixture, "prod", "A").await.as_deref(), Some("one"));

    fixture.sql("UPDATE secrets SET version = version + 1").await;
    fails("another version").await;
    fixture.sql("UPDATE secrets SET version = version - 1").await;
    fixture.sql("UPDATE secrets SET key_id = 'ffff'").await;
    fails("another key").await;

    let set = [("A", value("one")), ("B", SecretWrite::Keep)];
    let done = fixture.commit(vec![edit(with_secrets(environment("prod"), &set))]).await.unwrap();
    assert_eq!(done.edited[0].secrets_changed, ["A"], "a value that does not open is replaced");
    assert_eq!(opened(&fixture, "prod", "A").await.as_deref(), Some("one"));
    let flip = match fixture.database {
        Database::Sqlite(_) => {
            "UPDATE secrets SET sealed = CAST(substr(sealed, 1, 30) || x'00' || substr(sealed, 32) AS BLOB)"
        }
        Database::Postgres(_) => {
            "UPDATE secrets SET sealed = set_byte(sealed, 30, (get_byte(sealed, 30) + 1) % 256)"
        }
    };
    fixture.sql(flip).await;
    fails("an altered byte").await;
}

async fn a_wrong_key_file_is_refused_at_open(mut fixture: Fixture) {
    fixture.stop().await;
    let other = Fixture::sqlite().await;
    let options = Options { database: fixture.database.clone(), retention: FOREVER };
    let error = Store::open(options, other.keyring()).await.err().unwrap();
    assert!(matches!(error, OpenError::WrongKey { .. }), "{error}");
    assert!(error.to_string().contains("is not this database's key file"), "{error}");
}

async fn a_missing_key_file_is_refused_and_none_is_left_behind(mut fixture: Fixture) {
    fixture.stop().await;
    std::fs::rename(fixture.keys(), fixture.directory.path().join("elsewhere")).unwrap();
    let options = Options { database: fixture.database.clone(), retention: FOREVER };
    let error = Store::open(options, fixture.keyring()).await.err().unwrap();
    assert!(matches!(error, OpenError::KeyGone { .. }), "{error}");
    assert!(error.to_string().contains("the key file is gone"), "{error}");
    assert!(!fixture.keys().exists());
}

async fn secrets_go_with_their_resource(fixture: Fixture) {
    let make = || edit(with_secrets(environment("prod"), &[("A", value("one"))]));
    fixture.commit(vec![make()]).await.unwrap();
    fixture.commit(vec![delete(environment("prod"))]).await.unwrap();
    let keep = edit(with_secrets(environment("prod"), &[("A", SecretWrite::Keep)]));
    fixture.commit(vec![keep]).await.unwrap();
    assert_eq!(opened(&fixture, "prod", "A").await, None, "a new resource has nothing to keep");
    fixture.commit(vec![make()]).await.unwrap();
    fixture.commit(vec![delete(environment("prod")), make()]).await.unwrap();
    assert_eq!(opened(&fixture, "prod", "A").await.as_deref(), Some("one"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_file_holds_a_secret_in_the_clear() {
    let canary = "canary-f81d4fae-7dec-11d0";
    let mut fixture = Fixture::sqlite().await;
    let secret = with_secrets(environment("prod"), &[("A", value(canary))]);
    fixture.commit(vec![edit(secret)]).await.unwrap();
    let marker = put(environment("marker"), "marker-6ba7b810");
    fixture.commit(vec![edit(marker)]).await.unwrap();
    assert_eq!(opened(&fixture, "prod", "A").await.as_deref(), Some(canary));
    let holds = |text: &str| {
        let files = std::fs::read_dir(fixture.directory.path()).unwrap();
        files
            .map(|file| std::fs::read(file.unwrap().path()).unwrap())
            .any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    };
    assert!(holds("marker-6ba7b810"), "the search itself works");
    assert!(!holds(canary));
    let mut copy = Vec::new();
    fixture.store.backup(&mut copy).await.unwrap();
    assert!(!String::from_utf8_lossy(&copy).contains(canary));
    fixture.stop().await;
}

fn variable(secret: bool, plain: Option<&str>, write: Option<SecretWrite>) -> storage::Edit {
    let mut put = put(environment("prod"), "x");
    put.body.spec = serde_json::json!({"data": {"K": {"is_secret": secret}}});
    if let Some(plain) = plain {
        put.body.spec["data"]["K"]["value"] = plain.into();
    }
    put.secrets = write.into_iter().map(|write| ("spec.data.K".to_owned(), write)).collect();
    edit(put)
}

async fn a_plain_value_that_becomes_a_secret_is_sealed(fixture: Fixture) {
    fixture.commit(vec![variable(false, Some("plain"), None)]).await.unwrap();
    let done = fixture.commit(vec![variable(true, None, Some(SecretWrite::Keep))]).await.unwrap();
    assert_eq!(done.edited[0].secrets_changed, ["spec.data.K"]);
    assert_eq!(opened(&fixture, "prod", "spec.data.K").await.as_deref(), Some("plain"));
}

async fn a_secret_does_not_become_plain_without_its_value(fixture: Fixture) {
    fixture.commit(vec![variable(true, None, Some(value("sealed")))]).await.unwrap();
    let refused = fixture.commit(vec![variable(false, None, None)]).await.unwrap_err();
    assert!(matches!(refused, storage::CommitError::Unmasked { edit: 0, .. }), "{refused}");
    assert_eq!(opened(&fixture, "prod", "spec.data.K").await.as_deref(), Some("sealed"));
    fixture.commit(vec![variable(false, Some("other"), None)]).await.unwrap();
    assert_eq!(opened(&fixture, "prod", "spec.data.K").await, None);
}
