//! Who may do what. One function, [`decide`], answers for every read and write of both planes, over one graph of
//! relations: the model in `outfitter.fga`, what was granted, and what follows from where things are.

mod action;
mod caller;
mod decide;
mod directory;
mod visible;

pub use action::{Action, Target, UnknownAction, account, organization, platform, resource, resource_of};
pub use caller::{AgentAddress, Caller, Reach, Via, Within};
pub use decide::{Denial, Permit, decide, explain};
pub use directory::{
    AccountRecord, Directory, MODEL, OrganizationRecord, Refused, Settings, TokenRecord, TupleRecord,
    grantable, tuple_id,
};
pub use fga::{Object, Reason, Subject, Tuple};
pub use visible::{Visible, visible};
