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
use model::tree::Position;

use crate::args::{ImportArgs, ImportClient, InputFile};
use crate::exit;
use crate::failure::Failure;
use crate::problems::{self, in_file};
use crate::session::Session;
use crate::sources::{self, Source};

use draft::{Draft, Refused};

/// What a configuration was turned into.
#[derive(Debug, Default)]
struct Imported {
    /// YAML documents.
    documents: Vec<String>,
    /// What a person should know, in order.
    notes: Vec<String>,
    /// Servers that could not be turned into a sound document.
    failures: Vec<Problem>,
}

/// A server in a configuration.
struct Found {
    name: String,
    at: Position,
    draft: Result<Draft, Refused>,
}

/// Whether a text that is no manifest is a configuration to import.
pub fn recognises(source: &Source) -> bool {
    if is_toml(source) {
        return codex::looks_like(&source.text);
    }
    jsonc::read(&source.text, &source.name).is_ok_and(|root| find::recognises(&root))
}

fn is_toml(source: &Source) -> bool {
    let text = source.text.as_str();
    std::path::Path::new(&source.name).extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"))
        || (!text.trim_start().starts_with('{') && codex::looks_like(text))
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
        problems::tell(failure, session.output);
    }
    Err(Failure::input(format!("{} of the servers could not be imported", imported.failures.len()))
        .hint("correct them in the file and import again; the others were written"))
}

/// Turns a configuration into documents.
fn import(source: &Source, client: Option<ImportClient>) -> Result<Imported, Vec<Problem>> {
    let text = source.text.as_str();
    let mut imported = Imported::default();
    let found = if client == Some(ImportClient::Codex) || is_toml(source) {
        codex::read(text).map_err(|message| vec![in_file(&source.name, message).hint(jsonc::EXPECTED)])?
    } else {
        let root = jsonc::read(text, &source.name)?;
        find::servers(&root, &mut imported.notes)
            .map_err(|message| vec![in_file(&source.name, message).hint(jsonc::EXPECTED)])?
            .into_iter()
            .map(|find::Written { name, at, value }| {
                let draft = entry::read(&name, &value, client);
                Found { name, at, draft }
            })
            .collect()
    };
    if found.is_empty() {
        return Err(vec![
            in_file(&source.name, "declares no MCP server").hint("look whether it is the right file"),
        ]);
    }
    let mut taken = Vec::new();
    for one in found {
        add(one, &source.name, &mut taken, &mut imported);
    }
    Ok(imported)
}

fn add(one: Found, file: &str, taken: &mut Vec<String>, imported: &mut Imported) {
    let made = one.draft.and_then(|draft| {
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
        Err(Refused { message, hint }) => {
            let problem = Problem::error("", format!("server `{}`: {message}", one.name));
            let hint = hint.unwrap_or_else(|| "correct it there and import again".to_owned());
            imported.failures.push(problem.hint(hint).at(one.at.in_file(Some(file))));
        }
    }
}

#[cfg(test)]
mod tests;
