//! Questions in texts, as the tests write them.

use std::sync::Arc;

use fga::{Error, Graph, Model, Query, Tuple};

/// Documents that people and groups view, and some are banned from.
pub const DOCUMENTS: &str = "model
  schema 1.1
type user
type group
  relations
    define member: [user, user:*, group#member]
type document
  relations
    define banned: [user]
    define viewer: [user, user:*, group#member]
    define reader: viewer but not banned
";

/// A model with tuples, each as object, relation and subject.
pub fn graph(model: &str, tuples: &[(&str, &str, &str)]) -> Graph {
    let mut graph = Graph::new(Arc::new(Model::parse(model).unwrap()));
    for (object, relation, subject) in tuples {
        graph.insert(&Tuple::parse(object, relation, subject).unwrap()).unwrap();
    }
    graph
}

/// A check in texts.
pub fn check(query: &Query<'_>, object: &str, relation: &str, subject: &str) -> Result<bool, Error> {
    query.check(&object.parse().unwrap(), relation, &subject.parse().unwrap())
}

/// A list of objects in texts; it must have an answer.
pub fn list(query: &Query<'_>, type_name: &str, relation: &str, subject: &str) -> Vec<String> {
    let objects = query.list_objects(type_name, relation, &subject.parse().unwrap()).unwrap();
    objects.iter().map(ToString::to_string).collect()
}
