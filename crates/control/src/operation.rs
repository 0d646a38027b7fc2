//! What the control plane does, apart from how it is asked.

mod apply;
mod delete;
mod summary;

use access::{Action, Caller, Permit, Target, decide};
use edge::Failure;
use http::StatusCode;

pub(crate) use apply::{Applying, apply};
pub(crate) use delete::delete;

/// Leave to look after the daemon itself.
pub(crate) fn operate(caller: &Caller) -> Result<Permit, Failure> {
    decide(caller, Action::Operate, Target::Daemon)
        .map_err(|denial| Failure::new(StatusCode::FORBIDDEN, format!("not allowed: {denial}")))
}
