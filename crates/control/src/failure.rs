//! What went wrong below, said over HTTP.

use access::Denial;
use edge::Failure;
use http::StatusCode;
use model::{Key, Problem};
use storage::{CommitError, Unavailable};

/// The store cannot answer now.
pub(crate) fn unavailable(error: &Unavailable) -> Failure {
    tracing::warn!(%error, "the store is unavailable");
    Failure::new(StatusCode::SERVICE_UNAVAILABLE, format!("the store is unavailable: {error}; try again"))
}

/// The caller may not.
pub(crate) fn denied(denial: &Denial) -> Failure {
    Failure::new(StatusCode::FORBIDDEN, format!("not allowed: {denial}"))
}

/// No such resource.
pub(crate) fn not_found(key: &Key) -> Failure {
    Failure::new(StatusCode::NOT_FOUND, format!("{key} does not exist"))
}

/// Something is wrong in the input.
pub(crate) fn invalid(problems: Vec<Problem>) -> Failure {
    let errors = problems.iter().filter(|problem| problem.is_error()).count();
    let error = match errors {
        1 => "1 problem in the input; nothing was changed".to_owned(),
        n => format!("{n} problems in the input; nothing was changed"),
    };
    Failure::new(StatusCode::BAD_REQUEST, error).with(problems)
}

/// One thing is wrong with the request itself.
pub(crate) fn bad_request(error: impl Into<String>) -> Failure {
    Failure::new(StatusCode::BAD_REQUEST, error)
}

/// A write that was refused. `precondition` is the status for a stale `If-Match`.
pub(crate) fn refused(error: CommitError, precondition: StatusCode) -> Failure {
    match error {
        CommitError::Unavailable(error) => unavailable(&error),
        CommitError::NotFound { key } => not_found(&key),
        CommitError::Outdated { .. } => {
            Failure::new(StatusCode::SERVICE_UNAVAILABLE, "rights changed meanwhile; try again")
        }
        CommitError::RecordGone { .. } => Failure::new(StatusCode::NOT_FOUND, error.to_string()),
        CommitError::RecordExists { .. } => Failure::new(StatusCode::CONFLICT, error.to_string()),
        CommitError::Exists { key, revision } => {
            Failure::new(precondition, format!("{key} exists already, at revision {revision}"))
        }
        CommitError::Conflict { key, expected, stored } => {
            let stored = stored.map_or_else(
                || "it no longer exists".to_owned(),
                |stored| format!("the stored one is revision {stored}"),
            );
            Failure::new(
                precondition,
                format!(
                    "{key} was changed by someone else: yours is based on revision {expected}, {stored}; \
                     get it again and repeat your change"
                ),
            )
        }
        // Who refers to it is for the operation to tell, which knows what its caller may see.
        CommitError::Referenced { key, .. } => {
            Failure::new(StatusCode::CONFLICT, format!("{key} is still in use"))
        }
        CommitError::Unmasked { edit, slot } => {
            let problem = Problem::error(slot, "was a secret, and no other value is given")
                .hint("write its new `value`, or remove the variable first");
            invalid(vec![Problem { document: edit, ..problem }])
        }
        CommitError::Dangling(mentions) => invalid(
            mentions
                .into_iter()
                .map(|(document, mention)| Problem {
                    document,
                    ..dangling(&mention, Problem::error(&mention.path, String::new()))
                })
                .collect(),
        ),
    }
}

/// A reference to nothing, as an error or a warning.
pub(crate) fn dangling(mention: &model::Mention, problem: Problem) -> Problem {
    let name = &mention.reference.name;
    let message = format!("refers to {} `{name}`, which does not exist here", mention.kind.title());
    Problem { message, ..problem }
        .hint(format!("apply {} `{name}` too, or correct the name", mention.kind.title()))
}
