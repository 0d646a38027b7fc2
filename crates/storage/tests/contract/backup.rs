//! Backups: complete, portable between the databases, refused when damaged.

use model::{Collection, Kind, Revision, Timestamp};
use storage::{Database, Denied, Edit, Options, RestoreError, Store, restore};

use super::fixture::{
    FOREVER, Fixture, agent, alice, delete, edit, everything, key, on_both, put, record, server, set, tuple,
    value, with_secrets,
};

on_both!(
    a_backup_restores_into_either_database,
    a_damaged_backup_is_refused_and_changes_nothing,
    a_store_that_holds_something_is_not_restored_into,
);

async fn fill(fixture: &Fixture) {
    let environment = key(Kind::Environment, "prod", alice());
    let secret = with_secrets(environment.clone(), &[("TOKEN", value("hunter2"))]);
    fixture.commit(vec![set(server("github"), "ünïcödé \"quoted\" \\"), edit(secret)]).await.unwrap();
    let tagged = storage::Put { tags: vec!["t".to_owned()], ..put(server("tagged"), 1) };
    fixture.commit(vec![edit(agent("helper", alice(), &["github"])), edit(tagged)]).await.unwrap();
    fixture.commit(vec![set(server("gone"), 1)]).await.unwrap();
    fixture.commit(vec![delete(server("gone"))]).await.unwrap();
    let denied = |millis: i64| Denied {
        at: Timestamp::from_millis(millis),
        actor: "bob".to_owned(),
        via: "page".to_owned(),
        action: "edit".to_owned(),
        target: "server \"github\"".to_owned(),
        reason: "nöt an editor".to_owned(),
    };
    for millis in [7, -3, 7] {
        fixture.store.deny(denied(millis)).await;
    }
    let account = record(Collection::Account, "zoë", serde_json::json!({"name": "Zoë", "age": 0.1}));
    fixture.commit(vec![tuple("a#b@c", server("github")), Edit::Record(account)]).await.unwrap();
    fixture.commit((0..700).map(|n| set(server(&format!("s{n}")), n)).collect()).await.unwrap();
}

async fn copy(fixture: &Fixture) -> Vec<u8> {
    let mut bytes = Vec::new();
    fixture.store.backup(&mut bytes).await.unwrap();
    bytes
}

async fn a_backup_restores_into_either_database(fixture: Fixture) {
    fill(&fixture).await;
    let bytes = copy(&fixture).await;
    for target in [Fixture::sqlite().await, Fixture::postgres().await] {
        let (database, _directory) = target.empty();
        let options = Options { database, retention: FOREVER };
        let summary = restore(options.clone(), bytes.as_slice()).await.unwrap();
        assert_eq!(summary.revision, Revision(6));
        assert_eq!(summary.rows["resources"], 704);
        let (store, _service) = Store::open(options, fixture.keyring()).await.unwrap();
        for kind in Kind::ALL {
            let (there, here) = (
                store.list(&everything(kind)).await.unwrap(),
                fixture.store.list(&everything(kind)).await.unwrap(),
            );
            assert_eq!(there, here, "{kind}");
        }
        let environment = key(Kind::Environment, "prod", alice());
        let secret = store.open_secret(&environment, "TOKEN").await.unwrap().unwrap();
        assert_eq!(secret.expose(), "hunter2");
        let (mut there, mut here) = (store.watch(Revision(0)), fixture.store.watch(Revision(0)));
        for _ in 0..6 {
            assert_eq!(there.next().await.unwrap(), here.next().await.unwrap());
        }
        let (records, revision) = store.records(&Collection::ALL).await.unwrap();
        assert_eq!((records.len(), revision), (2, Revision(6)));
        assert_eq!(records, fixture.store.records(&Collection::ALL).await.unwrap().0);
        let denials = store.denials(None, 9).await.unwrap();
        assert_eq!(denials.iter().map(|(_, denied)| denied.at.as_millis()).collect::<Vec<_>>(), [-3, 7, 7]);
        assert_eq!(denials, fixture.store.denials(None, 9).await.unwrap());
        let from = (Revision(0), 0);
        assert_eq!(store.audit(from, 9999).await.unwrap(), fixture.store.audit(from, 9999).await.unwrap());
        let mut again = Vec::new();
        store.backup(&mut again).await.unwrap();
        assert_eq!(again, bytes, "a backup of the restored store is the same backup");
    }
}

async fn a_damaged_backup_is_refused_and_changes_nothing(fixture: Fixture) {
    fill(&fixture).await;
    let whole = copy(&fixture).await;
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let mut flipped = whole.clone();
    let middle = whole.len() / 2;
    flipped[middle] = if flipped[middle] == b'a' { b'b' } else { b'a' };
    let without_line: Vec<u8> = [&lines[..9], &lines[10..]].concat().concat();
    let damaged = [
        vec![],
        whole[..whole.len() - 1].to_vec(),
        whole[..middle].to_vec(),
        lines[..lines.len() - 1].concat(),
        without_line,
        flipped,
        [whole.as_slice(), b"{}\n"].concat(),
        b"not a backup\n".to_vec(),
    ];
    let (database, _directory) = fixture.empty();
    let options = Options { database, retention: FOREVER };
    for (index, bytes) in damaged.iter().enumerate() {
        let error = restore(options.clone(), bytes.as_slice()).await.unwrap_err();
        assert!(matches!(error, RestoreError::Damaged(_)), "{index}: {error}");
    }
    restore(options, whole.as_slice()).await.unwrap();
}

async fn a_store_that_holds_something_is_not_restored_into(fixture: Fixture) {
    fill(&fixture).await;
    let bytes = copy(&fixture).await;
    let options = Options { database: fixture.database.clone(), retention: FOREVER };
    if let Database::Sqlite(_) = fixture.database {
        assert!(fixture.store.ready().await.is_ok());
    }
    let error = restore(options, bytes.as_slice()).await.unwrap_err();
    assert!(matches!(error, RestoreError::NotEmpty), "{error}");
    assert_eq!(fixture.store.revision().await.unwrap(), Revision(6));
}
