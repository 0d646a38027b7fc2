//! Delete: one resource, unless something still refers to it.

use access::{Action, Caller, Target, decide};
use edge::Failure;
use http::StatusCode;
use model::{Key, Problem};
use storage::{CommitError, Expected};

use super::summary::summarize;
use crate::failure::refused;
use crate::gate::{Draft, Permitted};
use crate::state::Control;
use crate::views::Written;

/// Deletes the resource of `key` for `caller`.
pub(crate) async fn delete(
    control: &Control,
    caller: &Caller,
    key: Key,
    expected: Expected,
    force: bool,
) -> Result<Written, Failure> {
    let permit = control.permit(caller, Action::Delete, Target::Resource(key.clone())).await?;
    let edit = Permitted::delete(&permit, key, expected, force);
    let committed = control.commit(Draft::new(&permit, (control.now)(), vec![edit])).await?;
    let committed = committed.map_err(|error| match error {
        CommitError::Referenced { key, by } => referenced(control, caller, &key, &by),
        error => refused(error, StatusCode::PRECONDITION_FAILED),
    })?;
    Ok(summarize(committed, &[], Vec::new()))
}

/// It is still referred to. What the caller may not see is counted and not named.
fn referenced(control: &Control, caller: &Caller, key: &Key, by: &[Key]) -> Failure {
    let directory = control.directory();
    let seen =
        |key: &&Key| decide(&directory, caller, Action::View, Target::Resource((*key).clone())).is_ok();
    let named: Vec<&Key> = by.iter().filter(seen).collect();
    let hint = "change that first, or use force";
    let mut problems: Vec<Problem> =
        named.iter().map(|key| Problem::error("", format!("{key} refers to it")).hint(hint)).collect();
    match by.len() - named.len() {
        0 => {}
        1 => problems.push(Problem::error("", "something that you may not see refers to it").hint(hint)),
        others => {
            let message = format!("{others} resources that you may not see refer to it");
            problems.push(Problem::error("", message).hint(hint));
        }
    }
    Failure::new(StatusCode::CONFLICT, format!("{key} is still in use")).with(problems)
}
