//! Records that belong to a resource: never without it, also within a write and within a group of writes.

use model::{Collection, Kind, RecordChange, Revision, Scope};
use serde_json::json;
use storage::{CommitError, Edit, Expected, Presence, RecordEdit};

use super::fixture::{Fixture, agent, delete, edit, key, on_both, org, record, server, set, tuple};

on_both!(
    a_record_belongs_to_a_resource_that_exists,
    records_go_with_their_resource,
    a_resource_made_again_has_none_of_the_old_records,
    a_record_that_moved_goes_with_its_new_resource_only,
    writes_of_one_group_see_each_others_records,
    many_records_fit_in_one_write,
    a_dangling_mention_is_named_by_its_own_edit,
);

fn free(id: &str) -> Edit {
    Edit::Record(record(Collection::Token, id, 1))
}

fn gone(collection: Collection, id: &str) -> RecordChange {
    RecordChange { collection, id: id.to_owned(), body: None }
}

async fn ids(fixture: &Fixture) -> Vec<String> {
    let (records, _) = fixture.store.records(&Collection::ALL).await.unwrap();
    records.into_iter().map(|record| record.id).collect()
}

/// Every rule that a database keeps, asked of its rows.
async fn sound(fixture: &Fixture) {
    storage::examine(fixture.database.clone()).await.unwrap();
}

async fn a_record_belongs_to_a_resource_that_exists(fixture: Fixture) {
    let refused = CommitError::NotFound { key: server("a") };
    assert_eq!(fixture.commit(vec![tuple("t", server("a"))]).await, Err(refused.clone()));
    fixture.commit(vec![tuple("first", server("a")), set(server("a"), 1)]).await.unwrap();
    fixture.commit(vec![set(server("b"), 1), tuple("second", server("b"))]).await.unwrap();
    let both = vec![tuple("t", server("a")), delete(server("a"))];
    assert_eq!(fixture.commit(both).await, Err(refused.clone()));
    let both = vec![delete(server("a")), tuple("t", server("a"))];
    assert_eq!(fixture.commit(both).await, Err(refused));
    let removal =
        RecordEdit { belongs: Some(server("a")), body: None, ..record(Collection::Tuple, "first", 0) };
    fixture.commit(vec![Edit::Record(removal), delete(server("a"))]).await.unwrap();
    assert_eq!(ids(&fixture).await, ["second"]);
    sound(&fixture).await;
}

async fn records_go_with_their_resource(fixture: Fixture) {
    let other = key(Kind::McpServer, "a", org("acme"));
    fixture.commit(vec![set(server("a"), 1), set(server("b"), 1), set(other.clone(), 1)]).await.unwrap();
    let belonging = RecordEdit { belongs: Some(server("a")), ..record(Collection::Token, "t", 1) };
    let edits = vec![
        tuple("z", server("a")),
        tuple("y", server("a")),
        Edit::Record(belonging),
        tuple("of-b", server("b")),
        tuple("of-org", other),
        free("free"),
    ];
    fixture.commit(edits).await.unwrap();
    let done = fixture.commit(vec![delete(server("a")), free("new")]).await.unwrap();
    assert_eq!((done.revision, done.edited.len()), (Revision(3), 1));
    let removed = [gone(Collection::Token, "t"), gone(Collection::Tuple, "y"), gone(Collection::Tuple, "z")];
    assert_eq!(done.records[..3], removed);
    assert_eq!((done.records.len(), &*done.records[3].id), (4, "new"));
    assert_eq!(ids(&fixture).await, ["free", "new", "of-b", "of-org"]);
    let forced = Edit::Delete { key: server("b"), expected: Expected::Any, force: true };
    assert_eq!(fixture.commit(vec![forced]).await.unwrap().records, [gone(Collection::Tuple, "of-b")]);
    sound(&fixture).await;
}

async fn a_resource_made_again_has_none_of_the_old_records(fixture: Fixture) {
    fixture.commit(vec![set(server("a"), 1), tuple("old", server("a"))]).await.unwrap();
    let edits = vec![
        tuple("within", server("a")),
        delete(server("a")),
        set(server("a"), 1),
        tuple("new", server("a")),
    ];
    let done = fixture.commit(edits).await.unwrap();
    let told: Vec<_> = done.records.iter().map(|change| (&*change.id, change.body.is_some())).collect();
    assert_eq!(told, [("within", true), ("old", false), ("within", false), ("new", true)]);
    assert_eq!(ids(&fixture).await, ["new"]);
    sound(&fixture).await;
}

async fn a_record_that_moved_goes_with_its_new_resource_only(fixture: Fixture) {
    let made =
        vec![set(server("a"), 1), set(server("b"), 1), tuple("t", server("a")), tuple("u", server("a"))];
    fixture.commit(made).await.unwrap();
    let moved = fixture.commit(vec![tuple("t", server("b"))]).await.unwrap();
    assert_eq!((moved.revision, moved.records.len()), (Revision(2), 1));
    let [freed, kept] =
        ["t", "u"].map(|id| fixture.commit(vec![tuple(id, server("b")), delete(server("b"))]));
    assert!(freed.await.is_err() && kept.await.is_err(), "a put to what the same write deletes is refused");
    let done = fixture.commit(vec![delete(server("a"))]).await.unwrap();
    assert_eq!(done.records, [gone(Collection::Tuple, "u")]);
    let free = RecordEdit { belongs: None, ..record(Collection::Tuple, "t", json!({"tuple": "t"})) };
    fixture.commit(vec![Edit::Record(free), delete(server("b"))]).await.unwrap();
    assert_eq!(ids(&fixture).await, ["t"]);
    sound(&fixture).await;
}

async fn writes_of_one_group_see_each_others_records(mut fixture: Fixture) {
    fixture.commit(vec![set(server("a"), 1), set(server("b"), 1), tuple("old", server("a"))]).await.unwrap();
    let put_then_delete = [vec![tuple("t", server("a"))], vec![delete(server("a"))]];
    let [first, second] = fixture.commit_together(put_then_delete).await;
    assert_eq!((first.unwrap().revision, second.as_ref().unwrap().revision), (Revision(2), Revision(3)));
    assert_eq!(second.unwrap().records, [gone(Collection::Tuple, "old"), gone(Collection::Tuple, "t")]);
    let delete_then_put = [vec![delete(server("b"))], vec![tuple("t", server("b"))]];
    let [first, second] = fixture.commit_together(delete_then_put).await;
    assert_eq!(first.unwrap().revision, Revision(4));
    assert_eq!(second, Err(CommitError::NotFound { key: server("b") }));
    let once = |value| {
        vec![Edit::Record(RecordEdit {
            expected: Presence::Absent,
            ..record(Collection::Token, "once", value)
        })]
    };
    let [first, second] = fixture.commit_together([once(1), once(2)]).await;
    assert_eq!(first.unwrap().revision, Revision(5));
    let exists = CommitError::RecordExists { collection: Collection::Token, id: "once".to_owned() };
    assert_eq!(second, Err(exists));
    assert_eq!(ids(&fixture).await, ["once"]);
    sound(&fixture).await;
}

async fn many_records_fit_in_one_write(fixture: Fixture) {
    let resource = |n: usize| key(Kind::Agent, &format!("a{n}"), Scope::Platform);
    let mut edits: Vec<Edit> = (0..500).map(|n| set(resource(n), 1)).collect();
    edits.extend((0..2000).map(|n| tuple(&format!("t{n:04}"), resource(n % 500))));
    assert_eq!(fixture.commit(edits).await.unwrap().records.len(), 2000);
    let done = fixture.commit((0..499).map(|n| delete(resource(n))).collect()).await.unwrap();
    assert_eq!(done.records.len(), 1996);
    assert_eq!(ids(&fixture).await, ["t0499", "t0999", "t1499", "t1999"]);
    sound(&fixture).await;
}

async fn a_dangling_mention_is_named_by_its_own_edit(fixture: Fixture) {
    let edits = vec![
        free("t"),
        set(server("there"), 1),
        free("u"),
        edit(agent("helper", Scope::Platform, &["there", "missing"])),
    ];
    let strict = storage::Write { strict: true, ..super::fixture::write(edits.clone()) };
    let CommitError::Dangling(dangling) = fixture.store.commit(strict).await.unwrap_err() else { panic!() };
    assert_eq!((dangling.len(), dangling[0].0), (1, 3));
    let done = fixture.commit(edits).await.unwrap();
    assert!(done.edited[0].dangling.is_empty());
    assert_eq!(done.edited[1].dangling[0].reference.name.as_str(), "missing");
}
