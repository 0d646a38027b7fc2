//! Records in memory, found by their identity and by the resource they belong to.
//!
//! Both ways always agree: a record is listed under exactly the resource that it belongs to now.

use std::collections::{BTreeSet, HashMap};

use model::{Collection, Key, Revision};
use serde_json::Value as Json;

/// A record's identity.
pub(crate) type RecordId = (Collection, String);

/// A record with everything that is stored along with it.
#[derive(Clone, Debug)]
pub(crate) struct HeldRecord {
    pub belongs: Option<Key>,
    pub revision: Revision,
    pub body: Json,
    /// The body's JSON as stored.
    pub text: String,
}

/// Some records; one that is known to be gone is there as nothing.
#[derive(Default)]
pub(crate) struct Shelf {
    held: HashMap<RecordId, Option<HeldRecord>>,
    of: HashMap<Key, BTreeSet<RecordId>>,
}

impl Shelf {
    /// The record, if it is there.
    pub fn get(&self, id: &RecordId) -> Option<&HeldRecord> {
        self.held.get(id).and_then(Option::as_ref)
    }

    /// Whether it is known if the record is there or gone.
    pub fn knows(&self, id: &RecordId) -> bool {
        self.held.contains_key(id)
    }

    /// The records that belong to a resource, in their order.
    pub fn of(&self, key: &Key) -> impl Iterator<Item = &RecordId> {
        self.of.get(key).into_iter().flatten()
    }

    /// Replaces a record, or has it gone; returns what it was.
    pub fn set(&mut self, id: &RecordId, now: Option<HeldRecord>) -> Option<HeldRecord> {
        let belongs = now.as_ref().and_then(|held| held.belongs.clone());
        let before = self.held.insert(id.clone(), now).flatten();
        let belonged = before.as_ref().and_then(|held| held.belongs.as_ref());
        if let Some(listed) = belonged.and_then(|key| self.of.get_mut(key)) {
            listed.remove(id);
        }
        if let Some(key) = belongs {
            self.of.entry(key).or_default().insert(id.clone());
        }
        before
    }

    /// All that is known, in no order.
    pub fn into_held(self) -> HashMap<RecordId, Option<HeldRecord>> {
        self.held
    }
}
