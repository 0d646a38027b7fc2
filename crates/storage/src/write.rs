//! What is asked of a commit, what it did, and why it was refused.

use std::collections::BTreeMap;

use model::{
    Account, Body, Collection, Key, Mention, Outcome, RecordChange, Revision, SecretWrite, Stored, Timestamp,
};
use serde_json::Value as Json;

use crate::Unavailable;

/// Who writes, for the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The person.
    pub account: Account,
    /// The door they came through: `cli`, `page`, ….
    pub via: String,
}

/// Edits that happen together or not at all.
#[derive(Clone, Debug)]
pub struct Write {
    /// Who writes.
    pub actor: Actor,
    /// When.
    pub at: Timestamp,
    /// What changes, in order.
    pub edits: Vec<Edit>,
    /// The revision of the records that the leave to write rests on; refused if any changed since. None: not asked.
    pub decided_at: Option<Revision>,
    /// Whether a mention of something that does not exist refuses the write.
    pub strict: bool,
}

impl Write {
    /// Whether it holds a secret to be sealed.
    pub(crate) fn seals(&self) -> bool {
        self.edits.iter().any(|edit| match edit {
            Edit::Put(put) => !put.secrets.is_empty(),
            Edit::Delete { .. } | Edit::Record(_) => false,
        })
    }
}

/// One change asked for.
#[derive(Clone, Debug)]
pub enum Edit {
    /// The resource shall be this.
    Put(Box<Put>),
    /// The resource shall be gone.
    Delete {
        /// Which one.
        key: Key,
        /// What it is expected to be now.
        expected: Expected,
        /// Even when others refer to it.
        force: bool,
    },
    /// The record shall be this, or gone.
    Record(RecordEdit),
}

impl Edit {
    /// The resource it concerns; none for a record's.
    pub fn key(&self) -> Option<&Key> {
        match self {
            Self::Put(put) => Some(&put.key),
            Self::Delete { key, .. } => Some(key),
            Self::Record(_) => None,
        }
    }
}

/// A record as it shall be.
#[derive(Clone, Debug)]
pub struct RecordEdit {
    /// What it is about.
    pub collection: Collection,
    /// Its identity within the collection.
    pub id: String,
    /// The resource that it goes with: that must exist after the write, and takes the record along when it is deleted.
    pub belongs: Option<Key>,
    /// What it says; nothing to remove it.
    pub body: Option<Json>,
    /// What is expected to be stored now.
    pub expected: Presence,
}

/// Whether the writer believes that a record is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It may be or not.
    Any,
    /// It is not.
    Absent,
    /// It is.
    Present,
}

/// A resource as it shall be, with what is derived from it.
#[derive(Clone, Debug)]
pub struct Put {
    /// Its identity.
    pub key: Key,
    /// What it says.
    pub body: Body,
    /// What lists can select it by.
    pub tags: Vec<String>,
    /// What searches look at.
    pub search: String,
    /// What it refers to.
    pub mentions: Vec<Mention>,
    /// Every secret slot of the body; stored ones that are missing here are removed.
    pub secrets: BTreeMap<String, SecretWrite>,
    /// What is expected to be stored now.
    pub expected: Expected,
    /// Whether a secret that is given again unchanged is no change. Not for writers who may not use the secrets: they would
    /// learn by trying.
    pub compares_secrets: bool,
}

/// What the writer believes is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Anything or nothing.
    Any,
    /// Nothing.
    Absent,
    /// The revision that the document was based on, or nothing.
    Base(Revision),
    /// Exactly this revision.
    Exactly(Revision),
}

/// What a write did.
#[derive(Clone, Debug, PartialEq)]
pub struct Committed {
    /// Its revision; the current one when it changed nothing.
    pub revision: Revision,
    /// What each edit of a resource did, in their order.
    pub edited: Vec<Edited>,
    /// The records that changed, in order; those that went with their resource included.
    pub records: Vec<RecordChange>,
}

/// What one edit did.
#[derive(Clone, Debug, PartialEq)]
pub struct Edited {
    /// The resource.
    pub key: Key,
    /// What happened to it.
    pub outcome: Outcome,
    /// What it was.
    pub before: Option<Stored>,
    /// What it is.
    pub after: Option<Stored>,
    /// The secret slots whose values were set, replaced or removed.
    pub secrets_changed: Vec<String>,
    /// Its mentions that name nothing.
    pub dangling: Vec<Mention>,
}

/// Why a write was refused; nothing of it happened.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CommitError {
    /// Someone else changed the resource in between.
    #[error("{key} is at revision {}, not at {expected}", stored.map_or("none".to_owned(), |at| at.to_string()))]
    Conflict {
        /// The resource.
        key: Key,
        /// What the writer had seen.
        expected: Revision,
        /// What is stored, if anything.
        stored: Option<Revision>,
    },
    /// It was to be created and is there already.
    #[error("{key} exists already, at revision {revision}")]
    Exists {
        /// The resource.
        key: Key,
        /// What is stored.
        revision: Revision,
    },
    /// It was to be deleted, or a record was to belong to it, and it is not there.
    #[error("{key} does not exist")]
    NotFound {
        /// The resource.
        key: Key,
    },
    /// A record was to be new and is there already.
    #[error("{} `{id}` exists already", collection.title())]
    RecordExists {
        /// What it is about.
        collection: Collection,
        /// Its identity within the collection.
        id: String,
    },
    /// A record was to be there and is not.
    #[error("{} `{id}` does not exist", collection.title())]
    RecordGone {
        /// What it is about.
        collection: Collection,
        /// Its identity within the collection.
        id: String,
    },
    /// It was to be deleted and others refer to it.
    #[error("{key} is used by {}", list(by))]
    Referenced {
        /// The resource.
        key: Key,
        /// Those that refer to it.
        by: Vec<Key>,
    },
    /// It mentions what does not exist, and the write was strict; each with the index of its edit.
    #[error("{}", sentence(.0))]
    Dangling(Vec<(usize, Mention)>),
    /// A secret would become plain without anybody having said its value; with the index of its edit.
    #[error("{slot} was a secret, and no other value is given")]
    Unmasked {
        /// The edit.
        edit: usize,
        /// The secret.
        slot: String,
    },
    /// Records changed since the leave to write was decided: decide again.
    #[error("rights changed at revision {records}")]
    Outdated {
        /// The commit that changed them.
        records: Revision,
    },
    /// The database could not do it.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

fn list(keys: &[Key]) -> String {
    let shown: Vec<String> = keys.iter().take(5).map(ToString::to_string).collect();
    match keys.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn sentence(dangling: &[(usize, Mention)]) -> String {
    let each = dangling.iter().map(|(_, mention)| {
        format!("{}: {} `{}` does not exist", mention.path, mention.kind.title(), mention.reference.name)
    });
    each.collect::<Vec<_>>().join("; ")
}
