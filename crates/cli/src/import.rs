//! `import`: an agent's own MCP configuration into manifests that apply unchanged.
//!
//! Secrets' values are never written: each becomes a declared variable, and a note says so.

mod codex;
mod document;
mod draft;
mod entry;
mod find;
mod jsonc;
mod maker;
mod names;
mod placeholders;
mod secret;

use model::Problem;

use crate::args::{ImportArgs, ImportClient, InputFile};
use crate::exit;
use crate::failure::Failure;
use crate::problems::in_file;
use crate::session::Session;
use crate::sources::{self, Source};

use draft::Draft;

/// What a configuration was turned into.
#[derive(Debug, Default)]
struct Imported {
    /// YAML documents.
    documents: Vec<String>,
    /// What a person should know, in order.
    notes: Vec<String>,
    /// Servers that could not be turned into a sound document.
    failures: Vec<String>,
}

/// Carries out `import`.
pub fn run(args: &ImportArgs, session: &mut Session<'_>) -> Result<u8, Failure> {
    let source = match &args.file {
        InputFile::Stdin => sources::read_stdin(),
        InputFile::Path(path) => {
            sources::read_file(&session.surroundings.absolute(path), &path.display().to_string())
        }
    };
    let refuse = |problems: Vec<Problem>| Failure::input("nothing was imported").with_problems(problems);
    let source = source.map_err(|problem| refuse(vec![problem]))?;
    let imported = import(&source, args.client).map_err(refuse)?;
    for note in &imported.notes {
        session.output.note(&format!("note: {note}"));
    }
    session.output.text(&imported.documents.join("---\n"))?;
    if imported.failures.is_empty() {
        return Ok(exit::DONE);
    }
    for failure in &imported.failures {
        session.output.note(failure);
    }
    Err(Failure::input(format!("{} of the servers could not be imported", imported.failures.len()))
        .hint("correct them in the file and import again; the others were written"))
}

/// Turns a configuration into documents.
fn import(source: &Source, client: Option<ImportClient>) -> Result<Imported, Vec<Problem>> {
    let text = source.text.as_str();
    let is_toml = client == Some(ImportClient::Codex)
        || std::path::Path::new(&source.name).extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"))
        || (!text.trim_start().starts_with('{') && codex::looks_like(text));
    let mut imported = Imported::default();
    let drafts = if is_toml {
        codex::read(text).map_err(|message| vec![in_file(&source.name, message)])?
    } else {
        let root = jsonc::read(text, &source.name)?;
        find::servers(&root, &mut imported.notes)
            .map_err(|message| {
                let hint = "expected `mcpServers`, `servers`, `mcp`, `context_servers`, a map of servers, or Codex's TOML";
                vec![in_file(&source.name, message).hint(hint)]
            })?
            .into_iter()
            .map(|(name, value)| entry::read(&name, &value, client))
            .collect()
    };
    if drafts.is_empty() {
        return Err(vec![
            in_file(&source.name, "declares no MCP server").hint("look whether it is the right file"),
        ]);
    }
    let mut taken = Vec::new();
    for draft in drafts {
        add(draft, &mut taken, &mut imported);
    }
    Ok(imported)
}

fn add(draft: Result<Draft, String>, taken: &mut Vec<String>, imported: &mut Imported) {
    let made = draft.and_then(|draft| {
        let name = names::slug(&draft.name, taken);
        let document = document::make(&name, draft)?;
        taken.push(name);
        Ok(document)
    });
    match made {
        Ok(document) => {
            imported.documents.push(document.text);
            imported.notes.extend(document.notes);
        }
        Err(message) => imported.failures.push(message),
    }
}

#[cfg(test)]
mod tests;
