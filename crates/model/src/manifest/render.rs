//! Resources back into documents: what get, list and watch answer, and what storage keeps.

use serde_json::{Map, Value as Json, json};

use super::Document;
use crate::spec::Rules;
use crate::tree::Node;
use crate::{API_VERSION, Body, Resource, Scope, Status, Stored};

/// What storage keeps of a resource whose secrets were taken out.
pub fn to_json(resource: &Resource) -> Body {
    let map = |pairs: &std::collections::BTreeMap<String, String>| -> Map<String, Json> {
        pairs.iter().map(|(key, value)| (key.clone(), Json::from(value.as_str()))).collect()
    };
    Body {
        labels: map(&resource.metadata.labels),
        annotations: map(&resource.metadata.annotations),
        spec: resource.spec.to_json(),
    }
}

/// A stored resource as a whole document, with its status under the rules of this binary.
pub fn present(stored: &Stored, rules: Rules) -> Json {
    let mut document = document(stored);
    let status = status_of(&document, rules);
    document["status"] = serde_json::to_value(status).expect("a status is two texts");
    document
}

/// Whether a stored resource passes the rules of this binary.
pub fn stored_status(stored: &Stored, rules: Rules) -> Status {
    status_of(&document(stored), rules)
}

fn status_of(document: &Json, rules: Rules) -> Status {
    let checked = Document { file: None, index: 0, tree: Node::from_json(document) }.check(rules);
    Status::from_problems(&checked.problems)
}

fn document(stored: &Stored) -> Json {
    let mut metadata = Map::new();
    metadata.insert("name".into(), stored.key.name.as_str().into());
    metadata.insert("scope".into(), stored.key.scope.name().as_str().into());
    if let Scope::Organization(org) = &stored.key.scope {
        metadata.insert("org".into(), org.as_str().into());
    }
    for (field, map) in [("labels", &stored.body.labels), ("annotations", &stored.body.annotations)] {
        if !map.is_empty() {
            metadata.insert(field.into(), Json::Object(map.clone()));
        }
    }
    metadata.insert("id".into(), stored.id.as_str().into());
    metadata.insert("revision".into(), stored.revision.0.into());
    metadata.insert("created_at".into(), stored.created_at.to_string().into());
    metadata.insert("created_by".into(), stored.created_by.as_str().into());
    metadata.insert("updated_at".into(), stored.updated_at.to_string().into());
    metadata.insert("updated_by".into(), stored.updated_by.as_str().into());
    json!({
        "apiVersion": API_VERSION,
        "kind": stored.key.kind.as_str(),
        "metadata": metadata,
        "spec": stored.body.spec,
    })
}
