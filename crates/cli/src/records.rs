//! Lists that are no resources: a table for people, everything for machines, a word where there is nothing.

use serde_json::Value as Json;

use crate::args::Format;
use crate::failure::Failure;
use crate::list::documents;
use crate::output::{Output, Style};
use crate::table;

/// The columns of a list.
pub struct Columns {
    pub header: &'static [&'static str],
    pub row: fn(&Json) -> Vec<String>,
    /// Said on standard error when the list is empty, one line each.
    pub empty: &'static [&'static str],
}

/// What the daemon listed under `items`.
pub fn items(mut answer: Json) -> Vec<Json> {
    match answer["items"].take() {
        Json::Array(items) => items,
        _ => Vec::new(),
    }
}

/// Prints a list.
pub fn print(
    items: Vec<Json>,
    columns: &Columns,
    format: Option<Format>,
    output: &mut Output,
) -> Result<(), Failure> {
    if items.is_empty() {
        columns.empty.iter().for_each(|line| output.note(line));
    }
    match format {
        Some(Format::Json) => output.json(&Json::Array(items)),
        Some(Format::Yaml) => documents(&items, output),
        None if items.is_empty() => Ok(()),
        None => {
            let rows: Vec<Vec<String>> = items.iter().map(columns.row).collect();
            output.block(&table::render(columns.header, &rows))
        }
    }
}

/// Says that something is done, and what a newcomer would do next.
pub fn done(message: &str, next: &[String], output: &mut Output) -> Result<(), Failure> {
    output.styled(Style::Good, &format!("✓ {message}"))?;
    if next.is_empty() {
        return Ok(());
    }
    output.line("")?;
    output.line("Next steps:")?;
    next.iter().try_for_each(|step| output.line(&format!("  - {step}")))
}

/// `AT by WHOM`, as far as it is known.
pub fn made(record: &Json) -> String {
    let part = |key: &str| record[key].as_str().filter(|text| !text.is_empty());
    match (part("created_at"), part("created_by")) {
        (Some(at), Some(by)) => format!("{at} by {by}"),
        (at, by) => at.or(by).unwrap_or_default().to_owned(),
    }
}
