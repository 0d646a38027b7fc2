//! Delete: one resource, unless something still refers to it.

use access::{Action, Caller, Target};
use edge::Failure;
use http::StatusCode;
use model::Key;
use storage::Expected;

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
    let committed = control.gate.commit(&permit, Draft::of((control.now)(), vec![edit])).await;
    let committed = committed.map_err(|error| refused(error, StatusCode::PRECONDITION_FAILED))?;
    if !committed.records.is_empty() {
        control.decided_by(committed.revision).await?;
    }
    Ok(summarize(committed, &[], Vec::new()))
}
