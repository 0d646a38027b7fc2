//! Resources, records, revisions, watch, sealed secrets and audit, on SQLite or PostgreSQL behind one contract.
//!
//! A [`Store`] is the handle, a [`Service`] is what has to run. Every commit is one revision, without gaps and in
//! order; a watch sees each exactly once. Only this crate knows how anything is stored.

mod audit;
mod backup;
mod denials;
mod engine;
mod error;
mod examine;
mod found;
mod keyring;
mod list;
mod options;
mod prune;
mod random;
mod record;
mod records;
mod rotate;
mod schema;
mod seal;
mod service;
mod store;
mod vault;
mod watch;
mod write;
mod writer;

pub use audit::{AuditRow, AuditSubject};
pub use backup::{BackupError, BackupSummary, RestoreError, restore};
pub use denials::Denied;
pub use error::{Reason, Unavailable};
pub use examine::{Soundness, examine};
pub use keyring::{KeyError, Keyring};
pub use list::{Page, Query};
pub use options::{Database, Options, Retention};
pub use records::RecordWatch;
pub use rotate::{RotateError, Rotated};
pub use service::Service;
pub use store::{OpenError, SecretError, Store};
pub use watch::{Watch, WatchError};
pub use write::{Actor, CommitError, Committed, Edit, Edited, Expected, Presence, Put, RecordEdit, Write};
