//! The documents of one invocation: read, given their scope, checked and compared before anything is sent.

mod destination;

use std::collections::HashMap;

use model::manifest::{self, Document};
use model::spec::Rules;
use model::tree::Format;
use model::{Kind, Metadata, Problem, ScopeName};
use serde_json::{Value as Json, json};

use crate::args::ManifestArgs;
use crate::failure::Failure;
use crate::import;
use crate::problems;
use crate::session::{self, Session};
use crate::sources::{self, Source};

use destination::Destination;

/// A document that passed every local check.
pub struct Sound {
    pub document: Document,
    pub kind: Kind,
    pub metadata: Metadata,
}

/// Everything one invocation says.
pub struct Batch {
    pub sound: Vec<Sound>,
    pub warnings: Vec<Problem>,
}

/// How documents are checked here.
#[derive(Clone, Copy)]
pub struct Check {
    /// The only kind that is welcome.
    pub only: Option<Kind>,
    /// The daemon may allow what the default rules refuse; it has the last word on what is sent to it.
    pub rules: Rules,
}

/// Reads and checks all that `args` names. Every problem of every file is in the failure.
pub fn load(args: &ManifestArgs, check: Check, session: &Session<'_>) -> Result<Batch, Failure> {
    session::agree(args.scope, args.org.as_ref())?;
    let (sources, mut found) = sources::collect(&args.files, &session.surroundings.current_dir);
    let context = session.context()?;
    let destination = Destination { scope: args.scope, org: args.org.as_ref(), context: &context };
    let mut documents = Vec::new();
    for source in &sources {
        match read(source) {
            Ok(more) => documents.extend(more),
            Err(problems) => found.extend(problems),
        }
    }
    for (index, document) in documents.iter_mut().enumerate() {
        document.index = index;
        destination.settle(document);
        destination.agree(document)?;
    }
    let mut batch = Batch { sound: Vec::new(), warnings: Vec::new() };
    for document in documents {
        examine(document, check, &mut batch, &mut found);
    }
    found.extend(duplicates(&batch.sound));
    if args.strict {
        found.extend(
            batch.warnings.drain(..).map(|problem| Problem { severity: model::Severity::Error, ..problem }),
        );
    }
    if !found.is_empty() {
        found.append(&mut batch.warnings);
        return Err(problems::refuse(found));
    }
    if batch.sound.is_empty() {
        let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
        return Err(Failure::input(format!(
            "there is nothing to do: {} holds no document",
            names.join(", ")
        ))
        .hint("begin with `outfitter mcpserver init --type stdio --name NAME > FILE`"));
    }
    Ok(batch)
}

fn read(source: &Source) -> Result<Vec<Document>, Vec<Problem>> {
    let json = std::path::Path::new(&source.name).extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    let format = if json { Format::Json } else { Format::Guess };
    let read = manifest::read(Some(&source.name), &source.text, format);
    let is_manifest = |one: &Document| ["apiVersion", "kind"].iter().any(|key| one.tree.get(key).is_some());
    let sound = read.as_ref().is_ok_and(|documents| documents.iter().all(is_manifest));
    if sound || !import::recognises(source) {
        return read;
    }
    let file = if source.name == "stdin" { "-" } else { &source.name };
    let problem = problems::in_file(&source.name, "is an agent's own MCP configuration, not a manifest");
    Err(vec![problem.hint(format!("turn it into manifests first: outfitter import {file} > servers.yaml"))])
}

fn examine(document: Document, check: Check, batch: &mut Batch, found: &mut Vec<Problem>) {
    let checked = document.check(check.rules);
    if let (Ok(kind), Some(only)) = (document.kind(), check.only)
        && kind != only
    {
        let problem = Problem::error("kind", format!("is {kind}, but this command applies {only} only"))
            .hint(format!(
                "use `outfitter {} apply -f …`, or `outfitter apply -f …` for any kind",
                kind.noun()
            ));
        found.push(document.placed(problem));
        return;
    }
    let (errors, warnings): (Vec<_>, Vec<_>) = checked.problems.into_iter().partition(Problem::is_error);
    batch.warnings.extend(warnings);
    match checked.resource {
        Some(resource) if errors.is_empty() => {
            batch.sound.push(Sound { document, kind: resource.kind(), metadata: resource.metadata });
        }
        _ => found.extend(errors),
    }
}

/// One identity may be declared once; the second place names the first.
fn duplicates(sound: &[Sound]) -> Vec<Problem> {
    let mut seen: HashMap<(Kind, ScopeName, Option<&str>, &str), &Sound> = HashMap::new();
    let mut found = Vec::new();
    for one in sound {
        if let Some(first) = seen.get(&one.identity()) {
            let place = first.document.placed(Problem::error("metadata.name", "")).place.unwrap_or_default();
            let file = place.file.unwrap_or_default();
            let message = format!(
                "{} `{}` ({}) is declared twice, first at {file}:{}:{}",
                one.kind.title(),
                one.metadata.name,
                one.scope(),
                place.line,
                place.column
            );
            let problem = Problem::error("metadata.name", message).hint("keep one of them, or rename one");
            found.push(one.document.placed(problem));
        } else {
            seen.insert(one.identity(), one);
        }
    }
    found
}

impl Sound {
    fn identity(&self) -> (Kind, ScopeName, Option<&str>, &str) {
        let org = self.metadata.org.as_ref().map(model::Organization::as_str);
        (self.kind, self.metadata.scope.unwrap_or_default(), org, self.metadata.name.as_str())
    }

    /// Its scope as tables show it.
    pub fn scope(&self) -> String {
        let scope = self.metadata.scope.unwrap_or_default();
        match &self.metadata.org {
            Some(org) => format!("{scope}/{org}"),
            None => scope.to_string(),
        }
    }

    /// The file it came from.
    pub fn file(&self) -> &str {
        self.document.file.as_deref().unwrap_or("stdin")
    }
}

impl Batch {
    /// The body of an apply request.
    pub fn body(&self) -> Json {
        let resources: Vec<Json> = self.sound.iter().map(|one| one.document.tree.to_json()).collect();
        json!({ "resources": resources })
    }

    /// Problems that came back from the daemon, with the places they were written at.
    pub fn placed(&self, problems: Vec<Problem>) -> Vec<Problem> {
        problems
            .into_iter()
            .map(|problem| match self.sound.get(problem.document) {
                Some(one) => one.document.placed(problem),
                None => problem,
            })
            .collect()
    }
}
