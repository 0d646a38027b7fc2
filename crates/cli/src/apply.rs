//! `apply`: checks everything here, sends it in one request, and says what became of each document.

use http::Method;
use model::spec::Rules;
use model::{FieldChange, Kind, Outcome, Problem, ScopeName};
use serde::Deserialize;

use crate::args::{ApplyArgs, ManifestArgs};
use crate::documents::{self, Batch, Check, Sound};
use crate::failure::{Cause, Failure};
use crate::http::Client;
use crate::output::{Output, Style};
use crate::problems;
use crate::query::Query;
use crate::refusal;
use crate::session::Session;
use crate::show;

/// What became of one document.
#[derive(Deserialize)]
pub struct Applied {
    pub outcome: Outcome,
    #[serde(default)]
    pub changes: Vec<FieldChange>,
    #[serde(default)]
    warnings: Vec<Problem>,
}

/// What is sent may hold what only the daemon's own rules allow: it decides.
pub const fn daemon_decides(only: Option<Kind>) -> Check {
    Check { only, rules: Rules { stdio_proxy: true } }
}

/// Carries out `apply`.
pub async fn run(only: Option<Kind>, args: ApplyArgs, session: &mut Session<'_>) -> Result<(), Failure> {
    let batch = documents::load(&args.manifests, daemon_decides(only), session)?;
    let results = send(&session.client()?, &batch, &args.manifests, args.dry_run).await?;
    problems::warn(warnings(&batch, &results), session.output);
    match (batch.sound.as_slice(), results.as_slice(), args.dry_run) {
        ([one], [result], false) => {
            let personal = session.context()?.scope.is_none();
            tell_one(one, result, personal, session.output)
        }
        ([one], [result], true) => preview(one, result, session.output),
        (many, results, dry_run) => tell_many(many, results, dry_run, session.output),
    }
}

/// Sends a batch and gives one result per document, in order.
pub async fn send(
    client: &Client,
    batch: &Batch,
    args: &ManifestArgs,
    dry_run: bool,
) -> Result<Vec<Applied>, Failure> {
    #[derive(Deserialize)]
    struct Shape {
        results: Vec<Applied>,
    }
    let path = Query::new("/api/v1/apply").flag("dry_run", dry_run).flag("strict", args.strict).finish();
    let answer = client.send(Method::POST, &path, Some(&batch.body())).await.map_err(|failure| {
        let mut placed = batch.placed(failure.problems.clone());
        problems::sort(&mut placed);
        let failure = Failure { problems: placed, ..failure };
        match failure.cause {
            Cause::Conflict => refusal::get_again(failure),
            Cause::Input if !failure.message.contains("nothing was changed") => {
                Failure { message: format!("{}; nothing was changed", failure.message), ..failure }
            }
            _ => failure,
        }
    })?;
    let unexpected = || {
        Failure::new(Cause::Unreachable, "the daemon's answer does not fit what was sent")
            .hint("compare `outfitter --version` with the daemon's; `outfitter whoami` shows it")
    };
    let Shape { results } = serde_json::from_value(answer).map_err(|_| unexpected())?;
    if results.len() == batch.sound.len() { Ok(results) } else { Err(unexpected()) }
}

/// Local warnings and the daemon's, each once.
pub fn warnings(batch: &Batch, results: &[Applied]) -> Vec<Problem> {
    let mut all = batch.warnings.clone();
    for (index, result) in results.iter().enumerate() {
        let here = result.warnings.iter().map(|problem| Problem { document: index, ..problem.clone() });
        all.extend(batch.placed(here.collect()));
    }
    all
}

/// The contract's words for one document. `personal` says that a command without a scope looks in the own account.
fn tell_one(one: &Sound, result: &Applied, personal: bool, output: &mut Output) -> Result<(), Failure> {
    let title = one.kind.title();
    heading(one, output)?;
    output.styled(Style::Good, &format!("✓ {} applied successfully", capital(title)))?;
    output.line("")?;
    let status = match result.outcome {
        Outcome::Created => "created (new resource)",
        Outcome::Updated => "updated (existing resource)",
        Outcome::Unchanged => "unchanged (no difference)",
        Outcome::Deleted => "deleted",
    };
    output.line(&format!("  Status: {status}"))?;
    output.line("")?;
    output.line("Next steps:")?;
    output.line(&format!("  - {}", next_step(one.kind)))?;
    let (noun, name) = (one.kind.noun(), &one.metadata.name);
    output.line(&format!("  - View details: outfitter {noun} get {name}{}", flags(one, personal)))
}

/// What `get` needs besides the name to find this one and no other.
fn flags(one: &Sound, personal: bool) -> String {
    let scope = one.metadata.scope.unwrap_or_default();
    if personal && scope == ScopeName::IdentityAccount {
        return String::new();
    }
    let org = one.metadata.org.as_ref().map_or_else(String::new, |org| format!(" --org {org}"));
    format!(" --scope {scope}{org}")
}

const fn next_step(kind: Kind) -> &'static str {
    match kind {
        Kind::McpServer => "Reference this MCP server in your agent definition",
        Kind::Agent => "Give it values with an instance: outfitter instance init",
        Kind::Environment => "Reference this environment in an agent instance",
        Kind::AgentInstance => "Change values by applying its environments again",
        Kind::Executor => "Choose it by name where agents run",
    }
}

fn heading(one: &Sound, output: &mut Output) -> Result<(), Failure> {
    output.line(&format!("Applying {} from: {}", one.kind.title(), one.file()))?;
    output.line("")?;
    output.line(&format!("  Name:  {}", one.metadata.name))?;
    output.line(&format!("  Scope: {}", one.scope()))?;
    output.line("")
}

fn preview(one: &Sound, result: &Applied, output: &mut Output) -> Result<(), Failure> {
    heading(one, output)?;
    let title: Vec<String> = one.kind.title().split(' ').map(capital).collect();
    output.line(&format!("{} Preview:", title.join(" ")))?;
    let document = one.document.tree.to_json();
    let mut rows = vec![("Name", one.metadata.name.to_string())];
    rows.extend(show::spec_rows(one.kind, &document["spec"]));
    output.block(&show::block(&rows))?;
    output.line("")?;
    output.line(&format!("  Status: {}", would_be(result.outcome)))?;
    output.line("")?;
    output.styled(Style::Good, "Dry run successful - no changes made")
}

const fn would_be(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Created => "would be created (new resource)",
        Outcome::Updated => "would be updated (existing resource)",
        Outcome::Unchanged => "would be unchanged (no difference)",
        Outcome::Deleted => "would be deleted",
    }
}

/// One line for each of many documents, and the sums.
fn tell_many(many: &[Sound], results: &[Applied], dry_run: bool, output: &mut Output) -> Result<(), Failure> {
    let would = if dry_run { "would be " } else { "" };
    for (one, result) in many.iter().zip(results) {
        let style = if result.outcome == Outcome::Unchanged { Style::Plain } else { Style::Good };
        let word = word(result.outcome);
        output.styled(
            style,
            &format!("{} `{}` ({}): {would}{word}", one.kind.title(), one.metadata.name, one.scope()),
        )?;
    }
    let sums: Vec<String> = [Outcome::Created, Outcome::Updated, Outcome::Unchanged]
        .into_iter()
        .map(|outcome| {
            let count = results.iter().filter(|result| result.outcome == outcome).count();
            format!("{count} {would}{}", word(outcome))
        })
        .collect();
    output.line("")?;
    output.line(&sums.join(", "))?;
    if dry_run { output.styled(Style::Good, "Dry run successful - no changes made") } else { Ok(()) }
}

/// The outcome in a word.
pub const fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Created => "created",
        Outcome::Updated => "updated",
        Outcome::Unchanged => "unchanged",
        Outcome::Deleted => "deleted",
    }
}

/// With a capital first letter.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
