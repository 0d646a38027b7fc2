//! Apply: check every document, decide on every resource, then commit all of them or none.

use std::collections::{BTreeSet, HashMap};

use access::{Action, Caller, Permit, Target, decide};
use edge::Failure;
use http::StatusCode;
use model::manifest::{self, Document};
use model::{Account, Key, Mention, Organization, Problem, Resource, ScopeName};
use storage::{Expected, Put};

use super::organization;
use super::summary::summarize;
use crate::failure::{bad_request, dangling, invalid, refused};
use crate::gate::{Draft, Permitted};
use crate::state::Control;
use crate::views::Written;

/// More documents than this are checked where they do not hold up other requests.
const MANY_DOCUMENTS: usize = 50;
/// Most documents of one request; each costs some kilobytes until it is committed.
const MAX_DOCUMENTS: usize = 20_000;
/// Most problems one answer tells of.
const MAX_ANSWERED: usize = 1000;

/// How to apply.
pub(crate) struct Applying {
    /// Whether to only say what would happen.
    pub(crate) dry_run: bool,
    /// Whether a reference to nothing is an error.
    pub(crate) strict: bool,
    /// Whose, for something in another person's scope.
    pub(crate) owner: Option<Account>,
    /// What `If-Match` or `If-None-Match` demand of the one resource.
    pub(crate) expected: Option<Expected>,
}

/// Applies `documents` for `caller`.
pub(crate) async fn apply(
    control: &Control,
    caller: &Caller,
    documents: &[Document],
    applying: Applying,
) -> Result<Written, Failure> {
    if documents.is_empty() {
        return Err(bad_request("the request holds no document"));
    }
    if documents.len() > MAX_DOCUMENTS {
        let message =
            format!("{} documents are more than the {MAX_DOCUMENTS} of one request", documents.len());
        return Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, format!("{message}; apply them in parts")));
    }
    let checked = if documents.len() > MANY_DOCUMENTS {
        tokio::task::block_in_place(|| check(control, caller, documents, applying.owner.as_ref()))
    } else {
        check(control, caller, documents, applying.owner.as_ref())
    }?;
    let Prepared { by, mut edits, warnings, organizations } =
        prepare(control, caller, documents, &applying, checked).await?;
    edits.extend(organization::found(control, caller, organizations));
    let draft = Draft { at: (control.now)(), edits, strict: applying.strict };
    let committed = if applying.dry_run {
        control.gate.rehearse(&by, draft).await
    } else {
        control.gate.commit(&by, draft).await
    };
    let precondition =
        if applying.expected.is_some() { StatusCode::PRECONDITION_FAILED } else { StatusCode::CONFLICT };
    let committed = committed.map_err(|error| place(refused(error, precondition), documents))?;
    if !applying.dry_run && !committed.records.is_empty() {
        control.decided_by(committed.revision).await?;
    }
    let mut written = summarize(committed, documents, warnings);
    if applying.dry_run {
        written.results.iter_mut().for_each(|result| result.revision = None);
    }
    Ok(written)
}

/// Permitted edits, and what is worth a look about each.
struct Prepared {
    by: Permit,
    edits: Vec<Permitted>,
    warnings: Vec<Vec<Problem>>,
    /// The organizations that the resources are in.
    organizations: BTreeSet<Organization>,
}

/// Decides on every resource.
async fn prepare(
    control: &Control,
    caller: &Caller,
    documents: &[Document],
    applying: &Applying,
    (resources, mut warnings): Checked,
) -> Result<Prepared, Failure> {
    let mut edits = Vec::with_capacity(resources.len());
    let mut signed = None;
    let mut organizations = BTreeSet::new();
    let mut unseen = Vec::new();
    for (index, (key, resource)) in resources.into_iter().enumerate() {
        let permit = leave(control, caller, &key, &resource).await?;
        organizations.extend(key.scope.organization().cloned());
        let (mentions, hidden) = seen(control, caller, &key, resource.spec.mentions());
        for mention in hidden {
            let problem = if applying.strict { Problem::error } else { Problem::warning };
            let problem = dangling(&mention, problem(&mention.path, String::new()));
            let found = if applying.strict { &mut unseen } else { &mut warnings[index] };
            found.push(documents[index].placed(problem));
        }
        edits.push(put(&permit, key, resource, mentions, applying.expected));
        signed = Some(permit);
    }
    match signed {
        Some(by) if unseen.is_empty() => Ok(Prepared { by, edits, warnings, organizations }),
        Some(_) => Err(invalid(unseen)),
        None => Err(bad_request("the request holds no document")),
    }
}

/// A resource and where it lives.
type Declared = (Key, Resource);
/// Every document's resource and warnings.
type Checked = (Vec<Declared>, Vec<Vec<Problem>>);

/// Every document's resource and warnings, or every problem of all of them.
fn check(
    control: &Control,
    caller: &Caller,
    documents: &[Document],
    owner: Option<&Account>,
) -> Result<Checked, Failure> {
    let mut resources = Vec::with_capacity(documents.len());
    let mut warnings = Vec::with_capacity(documents.len());
    let mut problems = Vec::new();
    let mut seen: HashMap<Key, usize> = HashMap::with_capacity(documents.len());
    for document in documents {
        let checked = document.check(control.rules);
        match checked.resource {
            None if problems.len() > MAX_ANSWERED => {}
            None => problems.extend(checked.problems),
            Some(resource) => {
                let key = resource.metadata.key(resource.kind(), owner.unwrap_or(&caller.account));
                if owner.is_some() && key.scope.name() != ScopeName::IdentityAccount {
                    let problem =
                        Problem::error("metadata.scope", "`owner` goes with scope `identity_account` only");
                    problems.push(document.placed(problem.hint("leave `owner` out")));
                }
                if let Some(first) = seen.insert(key.clone(), document.index) {
                    let message = format!("{key} is declared twice, first in document {}", first + 1);
                    problems.push(document.placed(Problem::error("metadata.name", message)));
                }
                resources.push((key, resource));
                warnings.push(checked.problems);
            }
        }
    }
    problems.truncate(MAX_ANSWERED);
    if problems.is_empty() { Ok((resources, warnings)) } else { Err(invalid(problems)) }
}

/// Leave to write the resource; whatever leads to starting a program needs leave for that too.
async fn leave(
    control: &Control,
    caller: &Caller,
    key: &Key,
    resource: &Resource,
) -> Result<Permit, Failure> {
    let target = Target::Resource(key.clone());
    let permit = control.permit(caller, Action::Edit, target.clone()).await?;
    if resource.spec.starts_programs() {
        control.permit(caller, Action::Spawn, target).await?;
    }
    Ok(permit)
}

/// The references to what the caller may see, and those to what they may not: the latter are as if to nothing, whether or not
/// there is something, and hold nothing fast.
fn seen(
    control: &Control,
    caller: &Caller,
    key: &Key,
    mentions: Vec<Mention>,
) -> (Vec<Mention>, Vec<Mention>) {
    if mentions.is_empty() {
        return (mentions, Vec::new());
    }
    let directory = control.directory();
    mentions.into_iter().partition(|mention| {
        let mut candidates = mention.candidates(&key.scope).into_iter().map(Target::Resource);
        candidates.any(|target| decide(&directory, caller, Action::View, target).is_ok())
    })
}

/// The edit that a permit allows.
fn put(
    permit: &Permit,
    key: Key,
    mut resource: Resource,
    mentions: Vec<Mention>,
    expected: Option<Expected>,
) -> Permitted {
    let base = resource.metadata.revision.map_or(Expected::Any, Expected::Base);
    let secrets = resource.spec.take_secrets().into_iter().collect();
    let tags = resource.spec.tags().to_vec();
    let words = [key.name.as_str(), resource.spec.description()];
    let search = words.into_iter().chain(tags.iter().map(String::as_str)).collect::<Vec<_>>().join("\n");
    let put = Put {
        body: manifest::to_json(&resource),
        mentions,
        search: search.to_lowercase(),
        expected: expected.unwrap_or(base),
        key,
        tags,
        secrets,
    };
    Permitted::put(permit, put)
}

/// Gives problems that storage found their place in the request.
fn place(mut failure: Failure, documents: &[Document]) -> Failure {
    let placed = |problem: Problem| match documents.get(problem.document) {
        Some(document) if !problem.path.is_empty() => document.placed(problem),
        _ => problem,
    };
    failure.problems = failure.problems.into_iter().map(placed).collect();
    failure
}
