//! Who may do what. One function, [`decide`], answers for every read and write of both planes.

mod caller;
mod decide;
mod visible;

pub use caller::{Caller, Via};
pub use decide::{Action, Denial, Permit, Target, decide};
pub use visible::visible;
