//! What a commit did: the unit of the watch stream.

use crate::{Key, RecordChange, Revision, Stored};

/// What applying one document did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did not exist.
    Created,
    /// It existed and differed.
    Updated,
    /// It existed and was the same.
    Unchanged,
    /// It existed and is gone.
    Deleted,
}

/// One resource's or record's change.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The resource is now this.
    Put(Box<Stored>),
    /// The resource is gone.
    Delete {
        /// Its identity.
        key: Key,
        /// The id it had.
        id: String,
    },
    /// The record is now this, or gone.
    Record(RecordChange),
}

impl Change {
    /// The resource it concerns; none for a record's.
    pub fn key(&self) -> Option<&Key> {
        match self {
            Self::Put(stored) => Some(&stored.key),
            Self::Delete { key, .. } => Some(key),
            Self::Record(_) => None,
        }
    }
}

/// All that one commit changed, in its order.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// The commit.
    pub revision: Revision,
    /// What it changed; never empty.
    pub changes: Vec<Change>,
}
