//! What the control plane does, apart from how it is asked.

mod apply;
mod delete;
pub(crate) mod grant;
pub(crate) mod organization;
mod summary;
pub(crate) mod token;

pub(crate) use apply::{Applying, apply};
pub(crate) use delete::delete;
