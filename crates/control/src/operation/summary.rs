//! What a commit did, for the caller: outcome, changed fields and warnings, never a secret.

use model::manifest::Document;
use model::{Body, FieldChange, Kind, Outcome, Problem, differences};
use serde_json::{Value as Json, json};
use storage::{Committed, Edited};

use crate::failure::dangling;
use crate::views::{WriteResult, Written};

/// The answer to a write.
pub(crate) fn summarize(
    committed: Committed,
    documents: &[Document],
    warnings: Vec<Vec<Problem>>,
) -> Written {
    let mut warnings = warnings.into_iter();
    let results = committed
        .edited
        .into_iter()
        .enumerate()
        .map(|(index, edited)| {
            let mut found = warnings.next().unwrap_or_default();
            found.extend(edited.dangling.iter().map(|mention| {
                let warning = dangling(mention, Problem::warning(&mention.path, String::new()));
                documents.get(index).map_or(warning.clone(), |document| document.placed(warning))
            }));
            found.extend(unset(&edited));
            result(&edited, found)
        })
        .collect();
    Written { revision: committed.revision.0, results }
}

/// A new Environment whose secrets were declared and not given.
fn unset(edited: &Edited) -> Vec<Problem> {
    let created = edited.outcome == Outcome::Created && edited.key.kind == Kind::Environment;
    let data =
        edited.after.as_ref().filter(|_| created).and_then(|stored| stored.body.spec["data"].as_object());
    data.into_iter()
        .flatten()
        .filter(|(_, value)| value["is_secret"] == true)
        .map(|(key, _)| format!("spec.data.{key}"))
        .filter(|slot| !edited.secrets_changed.contains(slot))
        .map(|slot| {
            Problem::warning(slot, "is a secret without a value").hint("apply it once with `value: …`")
        })
        .collect()
}

fn result(edited: &Edited, warnings: Vec<Problem>) -> WriteResult {
    WriteResult {
        kind: edited.key.kind,
        name: edited.key.name.as_str().to_owned(),
        scope: edited.key.scope.name().as_str(),
        org: edited.key.scope.organization().cloned(),
        revision: edited.after.as_ref().map(|stored| stored.revision.0),
        outcome: edited.outcome,
        changes: changes(edited),
        warnings,
    }
}

/// The fields in which the resource differs; secrets by name only.
fn changes(edited: &Edited) -> Vec<FieldChange> {
    let view = |body: &Body| -> Json {
        json!({
            "metadata": {"labels": body.labels, "annotations": body.annotations},
            "spec": body.spec,
        })
    };
    let mut changes = match (&edited.before, &edited.after) {
        (Some(before), Some(after)) => differences("", &view(&before.body), &view(&after.body)),
        _ => Vec::new(),
    };
    // A value that was plain until now is a secret's value all the same.
    changes
        .retain(|change| !edited.secrets_changed.iter().any(|slot| change.path == format!("{slot}.value")));
    changes.extend(edited.secrets_changed.iter().map(|slot| FieldChange {
        path: format!("{slot}.value"),
        from: edited.before.is_some().then(|| json!("(secret)")),
        to: Some(json!("(secret)")),
    }));
    changes
}
