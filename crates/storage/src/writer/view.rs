//! What a group of writes needs to know of the database, in memory, as it changes from write to write.

use std::collections::{BTreeMap, HashMap, HashSet};

use model::{Key, Kind, Mention, Name, Stored};

use super::shelf::{HeldRecord, RecordId, Shelf};
use crate::seal::Sealed;

/// What a mention names, whatever scope it turns out to be in.
pub(crate) type Target = (Kind, Name);

/// A resource with everything that is stored along with it.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub stored: Stored,
    /// The body's JSON as stored.
    pub text: String,
    /// Only filled for what will be written.
    pub search: String,
    pub tags: Vec<String>,
    pub mentions: Vec<Mention>,
    pub secrets: BTreeMap<String, Sealed>,
}

/// The loaded part of the database. What a write asks of it must have been loaded before.
#[derive(Default)]
pub(crate) struct View {
    held: HashMap<Key, Held>,
    /// Resources that exist, of which nothing more is needed.
    present: HashSet<Key>,
    /// Who mentions the targets that the group deletes.
    referrers: HashMap<Target, BTreeMap<Key, Vec<Mention>>>,
    /// The same the other way round: the targets under which a resource is listed in `referrers`.
    listed: HashMap<Key, Vec<Target>>,
    /// What the resources changed so far were before the group.
    originals: HashMap<Key, Option<Held>>,
    /// The keys of `originals`, in the order of their first change.
    order: Vec<Key>,
    /// The records that the group writes, and all that belong to what it deletes.
    records: Shelf,
    /// What the records changed so far were before the group.
    original_records: BTreeMap<RecordId, Option<HeldRecord>>,
}

impl View {
    pub fn hold(&mut self, held: Held) {
        self.held.insert(held.stored.key.clone(), held);
    }

    pub fn held_mut(&mut self) -> impl Iterator<Item = &mut Held> {
        self.held.values_mut()
    }

    pub fn see(&mut self, key: Key) {
        self.present.insert(key);
    }

    pub fn refer(&mut self, target: Target, by: Key, mention: Mention) {
        self.listed.entry(by.clone()).or_default().push(target.clone());
        self.referrers.entry(target).or_default().entry(by).or_default().push(mention);
    }

    pub fn get(&self, key: &Key) -> Option<&Held> {
        self.held.get(key)
    }

    pub fn exists(&self, key: &Key) -> bool {
        self.held.contains_key(key) || self.present.contains(key)
    }

    /// Every mention of `target`, with the resource that holds it.
    pub fn referrers(&self, target: &Target) -> impl Iterator<Item = (&Key, &Mention)> {
        let of = self.referrers.get(target).into_iter().flatten();
        of.flat_map(|(key, mentions)| mentions.iter().map(move |mention| (key, mention)))
    }

    /// Replaces a resource, or removes it.
    pub fn change(&mut self, key: &Key, now: Option<Held>) {
        for target in self.listed.remove(key).into_iter().flatten() {
            self.referrers.entry(target).or_default().remove(key);
        }
        for mention in now.iter().flat_map(|held| &held.mentions) {
            let target = (mention.kind, mention.reference.name.clone());
            if self.referrers.contains_key(&target) {
                self.refer(target, key.clone(), mention.clone());
            }
        }
        self.present.remove(key);
        let before = match now {
            Some(held) => self.held.insert(key.clone(), held),
            None => self.held.remove(key),
        };
        if !self.originals.contains_key(key) {
            self.originals.insert(key.clone(), before);
            self.order.push(key.clone());
        }
    }

    /// Knows who mentions `target`, even if nobody does.
    pub fn watch_target(&mut self, target: Target) {
        self.referrers.entry(target).or_default();
    }

    /// Each changed resource: what it was before the group, and what it is now.
    pub fn differences(&self) -> impl Iterator<Item = (&Key, Option<&Held>, Option<&Held>)> {
        self.order
            .iter()
            .map(|key| (key, self.originals.get(key).and_then(Option::as_ref), self.held.get(key)))
    }

    pub fn records(&self) -> &Shelf {
        &self.records
    }

    pub fn hold_record(&mut self, id: &RecordId, held: HeldRecord) {
        self.records.set(id, Some(held));
    }

    /// Replaces a record, or removes it.
    pub fn change_record(&mut self, id: RecordId, now: Option<HeldRecord>) {
        let before = self.records.set(&id, now);
        self.original_records.entry(id).or_insert(before);
    }

    /// Each changed record: what it was before the group, and what it is now.
    pub fn record_differences(
        &self,
    ) -> impl Iterator<Item = (&RecordId, Option<&HeldRecord>, Option<&HeldRecord>)> {
        self.original_records.iter().map(|(id, before)| (id, before.as_ref(), self.records.get(id)))
    }
}
