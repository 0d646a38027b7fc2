//! Delete: one resource, unless something still refers to it.

use access::{Action, Caller, Target, decide};
use edge::Failure;
use http::StatusCode;
use model::Key;
use storage::{Actor, Edit, Expected, Write};

use super::summary::summarize;
use crate::failure::{denied, refused};
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
    let permit =
        decide(caller, Action::Delete, Target::Resource(key.clone())).map_err(|e| denied(&e, &key))?;
    let write = Write {
        actor: Actor { account: permit.account().clone(), via: permit.via().as_str().to_owned() },
        at: (control.now)(),
        edits: vec![Edit::Delete { key, expected, force }],
        strict: false,
    };
    let committed = control.store.commit(write).await;
    let committed = committed.map_err(|error| refused(error, StatusCode::PRECONDITION_FAILED))?;
    Ok(summarize(committed, &[], Vec::new()))
}
