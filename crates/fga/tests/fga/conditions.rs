//! Conditions that cannot be evaluated: an error where the answer rests on them, and never a yes.

use std::sync::Arc;

use fga::{Context, Error, Graph, Model, Query, Tuple, TupleCondition, Unfit, UserFilter};
use serde_json::json;

const MODEL: &str = "model
  schema 1.1
type user
type group
  relations
    define member: [user with within]
type document
  relations
    define direct: [user, user with within]
    define grouped: [group#member]
    define other: [user]
    define either: direct or other
    define both: direct and other
    define unless: other but not direct
condition within(used: int, allowed: int) {
  used < allowed
}
";

fn graph(tuples: &[(&str, &str, &str, Option<serde_json::Value>)]) -> Graph {
    let mut graph = Graph::new(Arc::new(Model::parse(MODEL).unwrap()));
    for (object, relation, subject, context) in tuples {
        graph.insert(&tuple(object, relation, subject, context.as_ref())).unwrap();
    }
    graph
}

fn tuple(object: &str, relation: &str, subject: &str, context: Option<&serde_json::Value>) -> Tuple {
    let condition = context.map(|context| TupleCondition {
        name: "within".to_owned(),
        context: context.as_object().unwrap().clone(),
    });
    Tuple { condition, ..Tuple::parse(object, relation, subject).unwrap() }
}

fn check(graph: &Graph, context: &Context, object: &str, relation: &str) -> Result<bool, Error> {
    Query::new(graph).context(context).check(
        &object.parse().unwrap(),
        relation,
        &"user:anne".parse().unwrap(),
    )
}

#[test]
fn a_missing_parameter_is_an_error_on_every_surface() {
    let graph = graph(&[
        ("document:1", "direct", "user:anne", Some(json!({"allowed": 5}))),
        ("document:1", "grouped", "group:1#member", None),
        ("group:1", "member", "user:anne", Some(json!({}))),
    ]);
    let none = Context::new();
    for relation in ["direct", "either", "grouped"] {
        let answer = check(&graph, &none, "document:1", relation);
        assert!(matches!(answer, Err(Error::Condition(_))), "{relation}: {answer:?}");
        let query = Query::new(&graph);
        let anne = "user:anne".parse().unwrap();
        let listed = query.list_objects("document", relation, &anne);
        assert!(matches!(listed, Err(Error::Condition(_))), "{relation}: {listed:?}");
        let users: UserFilter = "user".parse().unwrap();
        let listed = query.list_users(&"document:1".parse().unwrap(), relation, &users);
        assert!(matches!(listed, Err(Error::Condition(_))), "{relation}: {listed:?}");
        let reasons = query.explain(&"document:1".parse().unwrap(), relation, &anne);
        assert!(reasons.unwrap_or_default().is_empty(), "{relation}");
    }
    let given = Context::from_iter([("used".to_owned(), json!(1)), ("allowed".to_owned(), json!(2))]);
    for relation in ["direct", "either", "grouped"] {
        assert_eq!(check(&graph, &given, "document:1", relation), Ok(true), "{relation}");
    }
}

#[test]
fn another_branch_that_decides_alone_hides_the_error() {
    let none = Context::new();
    let with_other = graph(&[
        ("document:1", "direct", "user:anne", Some(json!({}))),
        ("document:1", "other", "user:anne", None),
    ]);
    assert_eq!(check(&with_other, &none, "document:1", "either"), Ok(true));
    assert!(check(&with_other, &none, "document:1", "both").is_err());
    let without = graph(&[("document:1", "direct", "user:anne", Some(json!({})))]);
    assert!(check(&without, &none, "document:1", "either").is_err());
    assert_eq!(check(&without, &none, "document:1", "both"), Ok(false));
}

#[test]
fn an_error_in_what_is_taken_away_never_allows() {
    let graph = graph(&[
        ("document:1", "other", "user:anne", None),
        ("document:1", "direct", "user:anne", Some(json!({}))),
    ]);
    assert!(check(&graph, &Context::new(), "document:1", "unless").is_err());
    for (used, expected) in [(1, false), (3, true)] {
        let given = Context::from_iter([("used".to_owned(), json!(used)), ("allowed".to_owned(), json!(2))]);
        assert_eq!(check(&graph, &given, "document:1", "unless"), Ok(expected));
    }
}

#[test]
fn a_parameter_of_the_wrong_type_is_refused_in_a_tuple_and_an_error_in_a_request() {
    let mut graph = graph(&[("document:1", "direct", "user:anne", Some(json!({"allowed": 5})))]);
    for wrong in [json!({"allowed": "many"}), json!({"allowed": [1]}), json!({"unheard": 1})] {
        let refused = graph.insert(&tuple("document:2", "direct", "user:anne", Some(&wrong)));
        assert!(matches!(refused, Err(Unfit::Condition { .. })), "{wrong}: {refused:?}");
        let contextual = [tuple("document:2", "direct", "user:anne", Some(&wrong))];
        let query = Query::new(&graph).contextual(&contextual);
        let answer = query.check(&"document:2".parse().unwrap(), "direct", &"user:anne".parse().unwrap());
        assert!(matches!(answer, Err(Error::Contextual { .. })), "{wrong}: {answer:?}");
    }
    for wrong in [json!("many"), json!(1.5), json!(null), json!({"a": 1})] {
        let given = Context::from_iter([("used".to_owned(), wrong.clone())]);
        let answer = check(&graph, &given, "document:1", "direct");
        assert!(matches!(answer, Err(Error::Condition(_))), "{wrong}: {answer:?}");
    }
}
