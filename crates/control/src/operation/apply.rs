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
use crate::failure::{bad_request, dangling, invalid, refused, unavailable};
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
    let Prepared { by, mut edits, besides, warnings, organizations } =
        prepare(control, caller, documents, &applying, checked).await?;
    edits.extend(organization::found(control, caller, organizations));
    let draft = Draft::new(&by, (control.now)(), edits).besides(besides).strict(applying.strict);
    let committed =
        if applying.dry_run { control.gate.rehearse(&draft).await } else { control.commit(draft).await? };
    let precondition =
        if applying.expected.is_some() { StatusCode::PRECONDITION_FAILED } else { StatusCode::CONFLICT };
    let committed = committed.map_err(|error| place(refused(error, precondition), documents))?;
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
    /// Leave to start programs, where that was needed.
    besides: Vec<Permit>,
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
    let mut besides = Vec::new();
    let mut unseen = Vec::new();
    for (index, (key, resource)) in resources.into_iter().enumerate() {
        let (permit, spawn) = leave(control, caller, &key, &resource).await?;
        besides.extend(spawn);
        organizations.extend(key.scope.organization().cloned());
        let (mentions, hidden) = seen(control, caller, &key, resource.spec.mentions()).await?;
        for mention in hidden {
            let problem = if applying.strict { Problem::error } else { Problem::warning };
            let problem = dangling(&mention, problem(&mention.path, String::new()));
            let found = if applying.strict { &mut unseen } else { &mut warnings[index] };
            found.push(documents[index].placed(problem));
        }
        let secret = decide(&control.directory(), caller, Action::UseSecret, Target::Resource(key.clone()));
        edits.push(put(&permit, key, resource, mentions, (applying.expected, secret.is_ok())));
        signed = Some(permit);
    }
    match signed {
        Some(by) if unseen.is_empty() => Ok(Prepared { by, edits, besides, warnings, organizations }),
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
) -> Result<(Permit, Option<Permit>), Failure> {
    let target = Target::Resource(key.clone());
    let permit = control.permit(caller, Action::Edit, target.clone()).await?;
    if !resource.spec.starts_programs() {
        return Ok((permit, None));
    }
    control.permit(caller, Action::Spawn, target).await.map(|spawn| (permit, Some(spawn)))
}

/// The references to what the caller may see, and those to what they may not: the latter are as if to nothing, whether or not
/// there is something, and hold nothing fast.
async fn seen(
    control: &Control,
    caller: &Caller,
    key: &Key,
    mentions: Vec<Mention>,
) -> Result<(Vec<Mention>, Vec<Mention>), Failure> {
    let (mut visible, mut hidden) = (Vec::with_capacity(mentions.len()), Vec::new());
    let directory = control.directory();
    for mention in mentions {
        let candidates = mention.candidates(&key.scope);
        let all = candidates.len();
        let ask = |candidate| decide(&directory, caller, Action::View, Target::Resource(candidate)).ok();
        let permits: Vec<Permit> = candidates.into_iter().filter_map(ask).collect();
        // Where only some of the places may be looked into, what is found in the others must not show.
        let found = permits.len() == all
            || control.gate.first(&permits).await.map_err(|error| unavailable(&error))?.is_some();
        if found { visible.push(mention) } else { hidden.push(mention) }
    }
    Ok((visible, hidden))
}

/// The edit that a permit allows.
fn put(
    permit: &Permit,
    key: Key,
    mut resource: Resource,
    mentions: Vec<Mention>,
    (expected, compares_secrets): (Option<Expected>, bool),
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
        compares_secrets,
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
