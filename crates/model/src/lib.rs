//! What users declare: kinds, metadata, scopes, references and manifests with positions.
//!
//! Everything here is pure: no I/O, no clock, no runtime. Text goes in, resources and problems come out.

pub mod manifest;
pub mod problem;
pub mod spec;
pub mod tree;

mod change;
mod diff;
mod kind;
mod metadata;
mod name;
mod nearest;
mod record;
mod reference;
mod resource;
mod schema;
mod scope;
mod secret;
mod status;
mod time;
mod visibility;

pub use change::{Change, Changes, Outcome};
pub use diff::{FieldChange, differences};
pub use kind::{Kind, UnknownKind};
pub use metadata::Metadata;
pub use name::{Account, InvalidName, Name, Organization};
pub use nearest::nearest;
pub use problem::{Place, Problem, Severity};
pub use record::{Collection, Record, RecordChange, UnknownCollection};
pub use reference::{Mention, Reference};
pub use resource::{API_VERSION, Body, Key, Resource, Revision, Stored};
pub use schema::{check, kind_schema};
pub use scope::{Scope, ScopeName, UnknownScope};
pub use secret::{SecretText, SecretWrite};
pub use status::{Status, ValidationState};
pub use time::Timestamp;
pub use visibility::{Organizations, Visibility};
