//! The documents of one invocation: read, given their scope, checked and compared before anything is sent.

use std::collections::HashMap;

use model::manifest::{self, Document};
use model::spec::Rules;
use model::tree::{Format, Node, Value};
use model::{Kind, Metadata, Problem, ScopeName};
use serde_json::{Value as Json, json};

use crate::args::ManifestArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::problems;
use crate::session::Session;
use crate::sources::{self, Source};

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
    let (sources, mut found) = sources::collect(&args.files, &session.surroundings.current_dir);
    let context = session.context()?;
    let scope = Destination { scope: args.scope, org: args.org.as_deref(), context: &context };
    let mut documents = Vec::new();
    for source in &sources {
        match read(source) {
            Ok(more) => documents.extend(more),
            Err(problems) => found.extend(problems),
        }
    }
    for (index, document) in documents.iter_mut().enumerate() {
        document.index = index;
        scope.settle(document);
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
    manifest::read(Some(&source.name), &source.text, format)
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

/// Where documents go: the flags override, the context fills in.
struct Destination<'a> {
    scope: Option<ScopeName>,
    org: Option<&'a str>,
    context: &'a Context,
}

impl Destination<'_> {
    fn settle(&self, document: &mut Document) {
        let kind = document.kind().ok();
        let Some(metadata) = document.tree.get_mut("metadata") else { return };
        let written =
            |metadata: &Node, key: &str| metadata.get(key).is_some_and(|node| node.value != Value::Null);
        if let Some(scope) = self.scope {
            metadata.set_text("scope", scope.as_str());
            if scope != ScopeName::Organization && self.org.is_none() {
                remove(metadata, "org");
            }
        } else if self.org.is_some() && !written(metadata, "scope") {
            metadata.set_text("scope", ScopeName::Organization.as_str());
        }
        if let Some(org) = self.org {
            metadata.set_text("org", org);
        }
        let fits = |scope: &ScopeName| kind.is_none_or(|kind| kind.allows(*scope));
        if !written(metadata, "scope")
            && let Some(scope) = self.context.scope.filter(fits)
        {
            metadata.set_text("scope", scope.as_str());
        }
        let organization =
            metadata.get("scope").and_then(Node::as_text) == Some(ScopeName::Organization.as_str());
        let implied = self.scope.is_some() || self.context.scope == Some(ScopeName::Organization);
        if organization
            && implied
            && !written(metadata, "org")
            && let Some(org) = &self.context.org
        {
            metadata.set_text("org", org);
        }
    }
}

fn remove(node: &mut Node, key: &str) {
    if let Value::Map(entries) = &mut node.value {
        entries.retain(|entry| entry.key != key);
    }
}

#[cfg(test)]
mod tests {
    use model::manifest::read;
    use model::tree::Format;

    use super::{Context, Destination, ScopeName};

    fn settled(metadata: &str, scope: Option<ScopeName>, org: Option<&str>, context: &Context) -> String {
        let text =
            format!("apiVersion: agentic.stigmer.ai/v1\nkind: McpServer\nmetadata: {metadata}\nspec: {{}}");
        let mut document = read(None, &text, Format::Yaml).unwrap().remove(0);
        Destination { scope, org, context }.settle(&mut document);
        let metadata = document.tree.to_json()["metadata"].clone();
        format!("{}/{}", metadata["scope"].as_str().unwrap_or("-"), metadata["org"].as_str().unwrap_or("-"))
    }

    #[test]
    fn a_scope_comes_from_the_flag_then_the_document_then_the_context() {
        let none = Context::default();
        let acme = Context { scope: Some(ScopeName::Organization), org: Some("acme".into()), server: None };
        let organization = "{name: a, scope: organization, org: x}";
        for (metadata, scope, org, context, expected) in [
            ("{name: a}", None, None, &none, "-/-"),
            ("{name: a}", None, None, &acme, "organization/acme"),
            ("{name: a, scope: platform}", None, None, &acme, "platform/-"),
            ("{name: a, scope: organization}", None, None, &acme, "organization/acme"),
            ("{name: a, scope: organization}", None, None, &none, "organization/-"),
            (organization, None, None, &acme, "organization/x"),
            (organization, Some(ScopeName::Platform), None, &acme, "platform/-"),
            (organization, None, Some("y"), &none, "organization/y"),
            ("{name: a}", None, Some("y"), &none, "organization/y"),
            ("{name: a}", Some(ScopeName::Organization), None, &acme, "organization/acme"),
            ("{name: a, scope: null}", None, None, &acme, "organization/acme"),
        ] {
            assert_eq!(settled(metadata, scope, org, context), expected, "{metadata} {scope:?} {org:?}");
        }
    }
}
