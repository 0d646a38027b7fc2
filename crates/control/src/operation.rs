//! What the control plane does, apart from how it is asked.

mod apply;
mod delete;
mod summary;

pub(crate) use apply::{Applying, apply};
pub(crate) use delete::delete;
