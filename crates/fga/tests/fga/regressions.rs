//! Faults that engines of this kind have had, each with the test that would have found it.

use std::sync::Arc;

use fga::{Context, Error, Graph, Model, Object, Query, Subject, Tuple, TupleCondition, Unfit, UserFilter};
use serde_json::json;

use crate::asking::{DOCUMENTS, check, graph, list};

const WITHIN: &str = "model
  schema 1.1
type user
type document
  relations
    define viewer: [user, user:* with within]
    define editor: [user with within]
condition within(x: int) {
  x < 5
}
";

fn conditioned(tuple: &Tuple, name: &str, context: serde_json::Value) -> Tuple {
    let serde_json::Value::Object(context) = context else { panic!("a context is a map") };
    Tuple { condition: Some(TupleCondition { name: name.to_owned(), context }), ..tuple.clone() }
}

#[test]
fn ids_that_differ_only_in_case_are_different() {
    let graph =
        graph(DOCUMENTS, &[("document:Plan", "viewer", "user:Anne"), ("group:Eng", "member", "user:anne")]);
    let also = [Tuple::parse("document:x", "viewer", "group:eng#member").unwrap()];
    let query = Query::new(&graph).contextual(&also);
    assert_eq!(check(&query, "document:Plan", "viewer", "user:Anne"), Ok(true));
    for (object, subject) in
        [("document:Plan", "user:anne"), ("document:plan", "user:Anne"), ("document:x", "user:anne")]
    {
        assert_eq!(check(&query, object, "viewer", subject), Ok(false), "{object} {subject}");
    }
    assert_eq!(list(&query, "document", "viewer", "user:Anne"), ["document:Plan"]);
    assert_eq!(list(&query, "document", "viewer", "user:anne"), [""; 0]);
}

#[test]
fn what_joins_names_elsewhere_cannot_make_two_questions_one() {
    for text in ["user:a#b", "user:a:b", "user:a b"] {
        assert!(text.parse::<Object>().is_err(), "{text}");
    }
    let graph =
        graph(DOCUMENTS, &[("document:a|b", "viewer", "user:c"), ("document:a", "viewer", "user:b|c")]);
    let query = Query::new(&graph);
    for (object, subject, expected) in [
        ("document:a|b", "user:c", true),
        ("document:a", "user:b|c", true),
        ("document:a", "user:c", false),
        ("document:a|b", "user:b|c", false),
        ("document:a|b|c", "user:c", false),
    ] {
        assert_eq!(check(&query, object, "reader", subject), Ok(expected), "{object} {subject}");
    }
}

#[test]
fn contexts_that_print_alike_are_different_questions() {
    let model = "model\n  schema 1.1\ntype user\ntype door\n  relations\n    define opens: [user with fits]\n\
                 condition fits(key: any) {\n  key[1] == \"2\"\n}\n";
    let mut graph = Graph::new(Arc::new(Model::parse(model).unwrap()));
    let plain = Tuple::parse("door:1", "opens", "user:anne").unwrap();
    graph.insert(&conditioned(&plain, "fits", json!({}))).unwrap();
    for _ in 0..2 {
        for (key, opens) in [(json!([1, "2"]), true), (json!(["1", 2]), false)] {
            let context = Context::from_iter([("key".to_owned(), key.clone())]);
            let answer = check(&Query::new(&graph).context(&context), "door:1", "opens", "user:anne");
            assert_eq!(answer.unwrap_or(false), opens, "{key}");
        }
    }
}

#[test]
fn a_wildcard_does_not_hide_a_direct_tuple_of_a_later_object() {
    for (open, named) in [("document:a", "document:z"), ("document:z", "document:a")] {
        let graph = graph(DOCUMENTS, &[(open, "viewer", "user:*"), (named, "viewer", "user:anne")]);
        for relation in ["viewer", "reader"] {
            let listed = list(&Query::new(&graph), "document", relation, "user:anne");
            assert_eq!(listed, ["document:a", "document:z"], "{relation}");
            assert_eq!(list(&Query::new(&graph), "document", relation, "user:bob"), [open]);
        }
    }
}

#[test]
fn a_wildcard_without_the_condition_its_brackets_ask_for_is_refused() {
    let mut graph = graph(WITHIN, &[]);
    let bare = Tuple::parse("document:1", "viewer", "user:*").unwrap();
    assert!(matches!(graph.insert(&bare), Err(Unfit::Subject { .. })));
    let refused = check(&Query::new(&graph).contextual(&[bare]), "document:1", "viewer", "user:anne");
    assert!(matches!(refused, Err(Error::Contextual { .. })), "{refused:?}");
    assert_eq!(check(&Query::new(&graph), "document:1", "viewer", "user:anne"), Ok(false));
}

#[test]
fn a_cycle_is_not_remembered_as_a_no() {
    // Asked first about group 1, the way through group 2 leads back and says nothing; group 3 says yes to both.
    let tuples = [
        ("group:1", "member", "group:2#member"),
        ("group:1", "member", "group:3#member"),
        ("group:2", "member", "group:1#member"),
        ("group:3", "member", "user:anne"),
    ];
    for (one, two) in [("document:a", "document:b"), ("document:b", "document:a")] {
        for reversed in [false, true] {
            let mut all =
                [&tuples[..], &[(one, "viewer", "group:1#member"), (two, "viewer", "group:2#member")]]
                    .concat();
            if reversed {
                all.reverse();
            }
            let graph = graph(DOCUMENTS, &all);
            let query = Query::new(&graph);
            assert_eq!(list(&query, "document", "reader", "user:anne"), ["document:a", "document:b"]);
            assert_eq!(list(&query, "group", "member", "user:anne"), ["group:1", "group:2", "group:3"]);
            assert_eq!(list(&query, "document", "reader", "user:bob"), [""; 0]);
        }
    }
}

#[test]
fn a_contextual_tuple_must_fit_the_model_like_any_other() {
    let documents = graph(DOCUMENTS, &[]);
    for (object, relation, subject) in [
        ("document:1", "banned", "user:*"),
        ("document:1", "banned", "group:1#member"),
        ("document:1", "viewer", "group:1"),
        ("document:1", "viewer", "document:1#viewer"),
        ("document:1", "reader", "user:anne"),
        ("document:1", "owner", "user:anne"),
        ("cabinet:1", "viewer", "user:anne"),
        ("document:1", "viewer", "robot:1"),
    ] {
        let tuple = [Tuple::parse(object, relation, subject).unwrap()];
        let query = Query::new(&documents).contextual(&tuple);
        let anne: Subject = "user:anne".parse().unwrap();
        let users: UserFilter = "user".parse().unwrap();
        let document: Object = "document:1".parse().unwrap();
        for refused in [
            query.check(&document, "viewer", &anne).map(|_| ()),
            query.list_objects("document", "viewer", &anne).map(|_| ()),
            query.list_users(&document, "viewer", &users).map(|_| ()),
            query.explain(&document, "viewer", &anne).map(|_| ()),
        ] {
            assert!(matches!(refused, Err(Error::Contextual { .. })), "{}: {refused:?}", tuple[0]);
        }
    }
    let within = graph(WITHIN, &[]);
    let plain = Tuple::parse("document:1", "editor", "user:anne").unwrap();
    for wrong in [plain.clone(), conditioned(&plain, "without", json!({}))] {
        let refused = check(&Query::new(&within).contextual(&[wrong]), "document:1", "editor", "user:anne");
        assert!(matches!(refused, Err(Error::Contextual { .. })), "{refused:?}");
    }
}

#[test]
fn tuples_of_an_older_model_grant_nothing_under_a_newer() {
    let old =
        graph(DOCUMENTS, &[("document:1", "viewer", "user:*"), ("document:1", "viewer", "group:1#member")]);
    let newer = DOCUMENTS.replace("viewer: [user, user:*, group#member]", "viewer: [user]");
    let mut moved = graph(&newer, &[]);
    for tuple in old.about(&"document:1".parse().unwrap()) {
        assert!(matches!(moved.insert(&tuple), Err(Unfit::Subject { .. })), "{tuple}");
    }
    assert_eq!(check(&Query::new(&moved), "document:1", "viewer", "user:anne"), Ok(false));
    assert!(moved.is_empty());
}

#[test]
fn compacting_keeps_wildcards() {
    let mut full =
        graph(DOCUMENTS, &[("document:1", "viewer", "user:*"), ("document:2", "viewer", "user:gone")]);
    full.remove_object(&"user:gone".parse().unwrap());
    let compacted = full.compacted();
    assert_eq!(check(&Query::new(&compacted), "document:1", "viewer", "user:anne"), Ok(true));
    assert_eq!(list(&Query::new(&compacted), "document", "viewer", "user:anne"), ["document:1"]);
    assert_eq!((compacted.len(), compacted.name_count()), (1, 1));
}
