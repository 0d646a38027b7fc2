//! `diff`: what apply would change, field by field, as the daemon sees it.

use model::{FieldChange, Outcome};
use serde_json::Value as Json;

use crate::apply::{self, word};
use crate::args::DiffArgs;
use crate::documents;
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
            "{} `{}` ({}): {} from {}",
            one.kind.title(),
            one.metadata.name,
            one.scope(),
            word(result.outcome),
            one.file()
        );
        session.output.styled(Style::Heading, &header)?;
        for change in &result.changes {
            tell(change, session.output)?;
        }
    }
    if differing == 0 {
        session.output.note("No difference.");
    }
    Ok(if differing > 0 && args.exit_code { exit::INPUT } else { exit::DONE })
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
