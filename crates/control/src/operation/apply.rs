//! Apply: check every document, decide on every resource, then commit all of them or none.

use std::collections::HashMap;

use access::{Action, Caller, Permit, Target, decide};
use edge::Failure;
use http::StatusCode;
use model::manifest::{self, Document};
use model::{Key, Problem, Resource};
use storage::{Actor, Edit, Expected, Put, Write};

use super::summary::summarize;
use crate::failure::{bad_request, denied, invalid, refused};
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
    let (resources, warnings) = if documents.len() > MANY_DOCUMENTS {
        tokio::task::block_in_place(|| check(control, caller, documents))
    } else {
        check(control, caller, documents)
    }?;
    let mut edits = Vec::with_capacity(resources.len());
    for (key, resource) in resources {
        let permit =
            decide(caller, Action::Edit, Target::Resource(key.clone())).map_err(|e| denied(&e, &key))?;
        edits.push(put(&permit, key, resource, applying.expected));
    }
    let write = Write {
        actor: Actor { account: caller.account.clone(), via: caller.via.as_str().to_owned() },
        at: (control.now)(),
        edits,
        strict: applying.strict,
    };
    let committed = if applying.dry_run {
        control.store.rehearse(write).await
    } else {
        control.store.commit(write).await
    };
    let precondition =
        if applying.expected.is_some() { StatusCode::PRECONDITION_FAILED } else { StatusCode::CONFLICT };
    let committed = committed.map_err(|error| place(refused(error, precondition), documents))?;
    let mut written = summarize(committed, documents, warnings);
    if applying.dry_run {
        written.results.iter_mut().for_each(|result| result.revision = None);
    }
    Ok(written)
}

/// A resource and where it lives.
type Declared = (Key, Resource);

/// Every document's resource and warnings, or every problem of all of them.
fn check(
    control: &Control,
    caller: &Caller,
    documents: &[Document],
) -> Result<(Vec<Declared>, Vec<Vec<Problem>>), Failure> {
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
                let key = resource.metadata.key(resource.kind(), &caller.account);
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

/// The edit that a permit allows.
fn put(permit: &Permit, key: Key, mut resource: Resource, expected: Option<Expected>) -> Edit {
    debug_assert_eq!(permit.target(), &Target::Resource(key.clone()));
    let base = resource.metadata.revision.map_or(Expected::Any, Expected::Base);
    let secrets = resource.spec.take_secrets().into_iter().collect();
    let tags = resource.spec.tags().to_vec();
    let words = [key.name.as_str(), resource.spec.description()];
    let search = words.into_iter().chain(tags.iter().map(String::as_str)).collect::<Vec<_>>().join("\n");
    Edit::Put(Box::new(Put {
        body: manifest::to_json(&resource),
        mentions: resource.spec.mentions(),
        search: search.to_lowercase(),
        expected: expected.unwrap_or(base),
        key,
        tags,
        secrets,
    }))
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
