//! The audit log: a row for each change, none for what was refused.

use model::{Kind, Outcome, Revision};
use storage::{AuditRow, AuditSubject, Put};

use super::fixture::{
    Fixture, alice, body, delete, edit, key, on_both, put, server, set, value, with_secrets,
};

on_both!(every_change_has_a_row_and_nothing_else_has, a_row_names_what_changed_and_no_value);

async fn rows(fixture: &Fixture) -> Vec<AuditRow> {
    fixture.store.audit((Revision(0), 0), 1000).await.unwrap()
}

async fn every_change_has_a_row_and_nothing_else_has(fixture: Fixture) {
    fixture.commit(vec![set(server("a"), 1), set(server("b"), 1)]).await.unwrap();
    fixture.commit(vec![set(server("a"), 1)]).await.unwrap();
    fixture.commit(vec![set(server("a"), 2), delete(server("missing"))]).await.unwrap_err();
    fixture.commit(vec![set(server("a"), 1), set(server("b"), 2), delete(server("a"))]).await.unwrap();
    let rows = rows(&fixture).await;
    let name = |row: &AuditRow| match &row.subject {
        AuditSubject::Resource(key) => key.name.to_string(),
        AuditSubject::Record { .. } => panic!("no record was written"),
    };
    let short: Vec<_> = rows.iter().map(|row| (row.revision.0, row.ordinal, row.action, name(row))).collect();
    assert_eq!(
        short,
        [
            (1, 0, Outcome::Created, "a".to_owned()),
            (1, 1, Outcome::Created, "b".to_owned()),
            (2, 0, Outcome::Updated, "b".to_owned()),
            (2, 1, Outcome::Deleted, "a".to_owned()),
        ]
    );
    assert!(rows.iter().all(|row| row.actor == "alice" && row.via == "test"));
    let rest = fixture.store.audit((Revision(1), 0), 2).await.unwrap();
    assert_eq!(rest, rows[1..3]);
}

async fn a_row_names_what_changed_and_no_value(fixture: Fixture) {
    let environment = key(Kind::Environment, "prod", alice());
    let secret = with_secrets(environment.clone(), &[("TOKEN", value("hunter2"))]);
    fixture.commit(vec![edit(secret.clone())]).await.unwrap();
    let mut changed = body("visible-value");
    changed.labels.insert("team".to_owned(), "core".into());
    let secrets = with_secrets(environment, &[("TOKEN", value("hunter3"))]).secrets;
    fixture.commit(vec![edit(Put { body: changed, secrets, ..put(secret.key, 1) })]).await.unwrap();
    let rows = rows(&fixture).await;
    assert_eq!(rows[1].detail, r#"{"fields":["value","metadata.labels"],"secrets":["TOKEN"]}"#);
    assert!(rows.iter().all(|row| !row.detail.contains("hunter") && !row.detail.contains("visible")));
}
