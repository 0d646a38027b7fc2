//! References: what is used cannot go, what is named should exist.

use model::{Kind, Scope};
use storage::{CommitError, Edit, Expected, Write};

use super::fixture::{Fixture, agent, alice, delete, edit, key, on_both, org, server, set, write};

on_both!(
    what_is_referred_to_cannot_be_deleted_unless_forced,
    referrer_and_target_go_together,
    a_nearer_resource_takes_the_reference_over,
    a_dangling_mention_is_reported_or_refused,
    an_update_that_drops_the_mention_frees_the_target,
    mentions_are_decided_within_one_group_of_writes,
);

async fn what_is_referred_to_cannot_be_deleted_unless_forced(fixture: Fixture) {
    let user = key(Kind::Agent, "helper", alice());
    let edits =
        vec![set(server("github"), 1), edit(agent("helper", alice(), &["github", "platform/github"]))];
    fixture.commit(edits).await.unwrap();
    let refused = fixture.commit(vec![delete(server("github"))]).await.unwrap_err();
    assert_eq!(refused, CommitError::Referenced { key: server("github"), by: vec![user] });
    assert!(fixture.store.get(&server("github")).await.unwrap().is_some());
    let forced = Edit::Delete { key: server("github"), expected: Expected::Any, force: true };
    fixture.commit(vec![forced]).await.unwrap();
    assert_eq!(fixture.store.get(&server("github")).await.unwrap(), None);
}

async fn referrer_and_target_go_together(fixture: Fixture) {
    let user = key(Kind::Agent, "helper", Scope::Platform);
    let edits = vec![set(server("github"), 1), edit(agent("helper", Scope::Platform, &["github"]))];
    fixture.commit(edits).await.unwrap();
    fixture.commit(vec![delete(server("github")), delete(user.clone())]).await.unwrap();
    assert_eq!(fixture.store.get(&user).await.unwrap(), None);
    fixture.commit(vec![set(server("github"), 1)]).await.unwrap();
    fixture.commit(vec![delete(server("github"))]).await.unwrap();
}

async fn a_nearer_resource_takes_the_reference_over(fixture: Fixture) {
    let mine = key(Kind::McpServer, "github", alice());
    let edits =
        vec![set(server("github"), 1), set(mine.clone(), 1), edit(agent("helper", alice(), &["github"]))];
    fixture.commit(edits).await.unwrap();
    let refused = fixture.commit(vec![delete(mine.clone())]).await.unwrap_err();
    assert!(matches!(refused, CommitError::Referenced { .. }), "the nearer one is meant");
    fixture.commit(vec![delete(server("github"))]).await.unwrap();
    let elsewhere = vec![set(server("github"), 1), edit(agent("helper", org("acme"), &["github"]))];
    fixture.commit(elsewhere).await.unwrap();
    let refused = fixture.commit(vec![delete(server("github"))]).await.unwrap_err();
    let by = vec![key(Kind::Agent, "helper", org("acme"))];
    assert_eq!(refused, CommitError::Referenced { key: server("github"), by }, "only whom it serves");
}

async fn a_dangling_mention_is_reported_or_refused(fixture: Fixture) {
    let loose = agent("helper", alice(), &["github", "gitlab"]);
    let refused = fixture.store.commit(Write { strict: true, ..write(vec![edit(loose.clone())]) }).await;
    let Err(CommitError::Dangling(dangling)) = refused else { panic!("{refused:?}") };
    assert_eq!(dangling.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [0, 0]);
    let done = fixture.commit(vec![edit(loose.clone()), set(server("gitlab"), 1)]).await.unwrap();
    assert_eq!(done.edited[0].dangling, loose.mentions[..1], "what the same write makes exists");
    let again = fixture.commit(vec![edit(loose.clone())]).await.unwrap();
    assert_eq!(again.edited[0].dangling, loose.mentions[..1], "also when nothing changed");
}

async fn an_update_that_drops_the_mention_frees_the_target(fixture: Fixture) {
    let edits = vec![set(server("a"), 1), set(server("b"), 1), edit(agent("helper", alice(), &["a", "b"]))];
    fixture.commit(edits).await.unwrap();
    fixture.commit(vec![edit(agent("helper", alice(), &["b"])), delete(server("a"))]).await.unwrap();
    let refused = fixture.commit(vec![delete(server("b"))]).await.unwrap_err();
    assert!(matches!(refused, CommitError::Referenced { .. }));
}

async fn mentions_are_decided_within_one_group_of_writes(fixture: Fixture) {
    for round in 0..20 {
        let name = format!("s{round}");
        fixture.commit(vec![set(server(&name), 1)]).await.unwrap();
        let refer =
            Write { strict: true, ..write(vec![edit(agent(&format!("helper{round}"), alice(), &[&name]))]) };
        let (referred, deleted) =
            tokio::join!(fixture.store.commit(refer), fixture.commit(vec![delete(server(&name))]));
        assert_ne!(referred.is_ok(), deleted.is_ok(), "one of them wins: {referred:?} {deleted:?}");
    }
}
