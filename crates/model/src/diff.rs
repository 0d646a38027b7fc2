//! What differs between two JSON values, field by field.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::tree::{child, item};

/// One field that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldChange {
    /// The field.
    pub path: String,
    /// What it was; absent if it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Json>,
    /// What it is; absent if it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Json>,
}

/// The fields in which `to` differs from `from`, below `path`.
pub fn differences(path: &str, from: &Json, to: &Json) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    collect(path, Some(from), Some(to), &mut changes);
    changes
}

fn collect(path: &str, from: Option<&Json>, to: Option<&Json>, changes: &mut Vec<FieldChange>) {
    match (from, to) {
        (Some(Json::Object(before)), Some(Json::Object(after))) => {
            for (key, old) in before {
                collect(&child(path, key), Some(old), after.get(key), changes);
            }
            for (key, new) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
                collect(&child(path, key), None, Some(new), changes);
            }
        }
        (Some(Json::Array(before)), Some(Json::Array(after))) => {
            for index in 0..before.len().max(after.len()) {
                collect(&item(path, index), before.get(index), after.get(index), changes);
            }
        }
        (from, to) if from == to => {}
        (from, to) => {
            changes.push(FieldChange { path: path.to_owned(), from: from.cloned(), to: to.cloned() });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{FieldChange, differences};

    #[test]
    fn only_the_fields_that_differ_are_named() {
        let from = json!({"a": 1, "b": {"c": [1, 2]}, "gone": true});
        let to = json!({"a": 1, "b": {"c": [1, 3, 4]}, "new": "x"});
        let change = |path: &str, from, to| FieldChange { path: path.into(), from, to };
        assert_eq!(
            differences("spec", &from, &to),
            [
                change("spec.b.c[1]", Some(json!(2)), Some(json!(3))),
                change("spec.b.c[2]", None, Some(json!(4))),
                change("spec.gone", Some(json!(true)), None),
                change("spec.new", None, Some(json!("x"))),
            ]
        );
        assert_eq!(differences("", &from, &from), []);
    }
}
