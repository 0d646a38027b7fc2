//! `diff`: what apply would change, field by field, as the daemon sees it.

use model::{FieldChange, Outcome};
use serde_json::{Value as Json, json};

use crate::apply::{self, word};
use crate::args::DiffArgs;
use crate::documents::{self, Sound};
use crate::escape;
use crate::exit;
use crate::failure::Failure;
use crate::output::{Output, Style};
use crate::problems;
use crate::session::Session;

/// Carries out `diff`.
pub async fn run(args: DiffArgs, session: &mut Session<'_>) -> Result<u8, Failure> {
    let batch = documents::load(&args.manifests, apply::daemon_decides(None), session)?;
    let results = apply::send(&session.client()?, &batch, &args.manifests, true).await?;
    problems::warn(apply::warnings(&batch, &results), session.output);
    let mut differing = 0;
    for (one, result) in batch.sound.iter().zip(&results) {
        if result.outcome == Outcome::Unchanged {
            continue;
        }
        differing += 1;
        let header = format!(
            "{} `{}` ({}): would be {} from {}",
            one.kind.title(),
            one.metadata.name,
            one.scope(),
            word(result.outcome),
            one.file()
        );
        session.output.styled(Style::Heading, &header)?;
        // The daemon lists what differs from the stored one; of a new one everything is new.
        let own = (result.outcome == Outcome::Created).then(|| declared(one));
        for change in own.as_ref().unwrap_or(&result.changes) {
            tell(change, session.output)?;
        }
    }
    if differing == 0 {
        session.output.note("No difference.");
    }
    Ok(if differing > 0 && args.exit_code { exit::INPUT } else { exit::DONE })
}

/// Every field of a new resource, secrets' values withheld.
fn declared(one: &Sound) -> Vec<FieldChange> {
    let mut document = one.document.tree.to_json();
    withhold(&mut document["spec"]);
    fields("spec", &document["spec"])
}

fn withhold(value: &mut Json) {
    match value {
        Json::Object(map) => {
            let secret = map.get("is_secret") == Some(&Json::Bool(true));
            map.values_mut().for_each(withhold);
            if let Some(held) = map.get_mut("value").filter(|_| secret) {
                *held = "(secret)".into();
            }
        }
        Json::Array(items) => items.iter_mut().for_each(withhold),
        _ => {}
    }
}

/// What a value says, one change for each field that holds no others.
fn fields(path: &str, value: &Json) -> Vec<FieldChange> {
    let inner = model::differences(path, &json!({}), value).into_iter();
    inner
        .flat_map(|change| match &change.to {
            Some(to @ Json::Object(map)) if !map.is_empty() => fields(&change.path, to),
            _ => vec![change],
        })
        .collect()
}

fn tell(change: &FieldChange, output: &mut Output) -> Result<(), Failure> {
    if let Some(from) = &change.from {
        output.styled(Style::Removed, &line('-', &change.path, from))?;
    }
    if let Some(to) = &change.to {
        output.styled(Style::Added, &line('+', &change.path, to))?;
    }
    if change.from.is_none() && change.to.is_none() {
        output.line(&escape::cell(&format!("~ {}", change.path)))?;
    }
    Ok(())
}

/// A change on one line, whatever its path and value hold.
fn line(sign: char, path: &str, of: &Json) -> String {
    escape::cell(&format!("{sign} {path}: {}", value(of))).into_owned()
}

/// Text as it is if it is one line, everything else as JSON.
fn value(value: &Json) -> String {
    match value {
        Json::String(text) if !text.is_empty() && !text.chars().any(char::is_control) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{fields, withhold};

    #[test]
    fn a_new_resource_is_listed_field_by_field_without_its_secrets() {
        let mut spec = json!({
            "stdio": {"command": "npx", "args": ["-y"]},
            "env_spec": {"data": {"TOKEN": {"is_secret": true, "value": "canary"}, "LEVEL": {"value": "info"}}},
        });
        withhold(&mut spec);
        let shown: Vec<String> = fields("spec", &spec)
            .into_iter()
            .map(|change| format!("{} = {}", change.path, change.to.unwrap()))
            .collect();
        assert_eq!(
            shown,
            [
                "spec.stdio.command = \"npx\"",
                "spec.stdio.args = [\"-y\"]",
                "spec.env_spec.data.TOKEN.is_secret = true",
                "spec.env_spec.data.TOKEN.value = \"(secret)\"",
                "spec.env_spec.data.LEVEL.value = \"info\"",
            ]
        );
    }
}
