//! One write in the making: its changes laid over the view, which stays untouched until the write is accepted.

mod records;

use std::collections::{BTreeMap, HashMap};

use model::{Body, Key, Mention, Outcome, Revision, SecretText, SecretWrite, Stored};
use serde_json::Value as Json;
use subtle::ConstantTimeEq as _;

use super::shelf::{HeldRecord, RecordId, Shelf};
use super::view::{Held, Target, View};
use crate::keyring::Keys;
use crate::seal::{self, Place, Sealed};
use crate::{CommitError, Edited, Expected, Put, Write, random, record};

pub(super) use records::RecordStep;

pub(super) struct Draft<'a> {
    view: &'a View,
    write: &'a Write,
    next: Revision,
    keys: &'a Keys,
    changed: HashMap<Key, Option<Held>>,
    order: Vec<Key>,
    records: Shelf,
}

/// What an accepted write changed.
pub(super) struct Drafted {
    /// In the order of each one's first change.
    pub resources: Vec<(Key, Option<Held>)>,
    pub records: HashMap<RecordId, Option<HeldRecord>>,
}

impl<'a> Draft<'a> {
    pub fn new(view: &'a View, write: &'a Write, next: Revision, keys: &'a Keys) -> Self {
        Self {
            view,
            write,
            next,
            keys,
            changed: HashMap::new(),
            order: Vec::new(),
            records: Shelf::default(),
        }
    }

    pub fn view(&self) -> &View {
        self.view
    }

    pub fn touches(&self, key: &Key) -> bool {
        self.changed.contains_key(key)
    }

    pub fn exists(&self, key: &Key) -> bool {
        self.changed.get(key).map_or_else(|| self.view.exists(key), Option::is_some)
    }

    pub fn into_changes(mut self) -> Drafted {
        let order = std::mem::take(&mut self.order).into_iter();
        Drafted {
            resources: order.filter_map(|key| self.changed.remove(&key).map(|now| (key, now))).collect(),
            records: self.records.into_held(),
        }
    }

    /// What the drafted resources mention, by what they mention.
    pub fn mentions_by_target(&self) -> HashMap<Target, Vec<(&Key, &Mention)>> {
        let mut by_target: HashMap<Target, Vec<(&Key, &Mention)>> = HashMap::new();
        for (key, held) in &self.changed {
            for mention in held.iter().flat_map(|held| &held.mentions) {
                let target = (mention.kind, mention.reference.name.clone());
                by_target.entry(target).or_default().push((key, mention));
            }
        }
        by_target
    }

    fn get(&self, key: &Key) -> Option<&Held> {
        self.changed.get(key).map_or_else(|| self.view.get(key), Option::as_ref)
    }

    fn set(&mut self, key: &Key, now: Option<Held>) {
        if self.changed.insert(key.clone(), now).is_none() {
            self.order.push(key.clone());
        }
    }

    pub fn delete(&mut self, key: &Key, expected: Expected) -> Result<Edited, CommitError> {
        let before = self.get(key).ok_or_else(|| CommitError::NotFound { key: key.clone() })?.stored.clone();
        check(key, expected, Some(before.revision))?;
        self.set(key, None);
        Ok(Edited {
            key: key.clone(),
            outcome: Outcome::Deleted,
            before: Some(before),
            after: None,
            secrets_changed: vec![],
            dangling: vec![],
        })
    }

    pub fn put(&mut self, edit: usize, put: &Put) -> Result<Edited, CommitError> {
        let held = self.get(&put.key);
        if let (Expected::Absent, Some(held)) = (put.expected, held) {
            return Err(CommitError::Exists { key: put.key.clone(), revision: held.stored.revision });
        }
        let text = record::json(&put.body);
        let id = held.map_or_else(|| random::id(put.key.kind), |held| held.stored.id.clone());
        if let Some(slot) = held.and_then(|held| unmasked(put, held)) {
            return Err(CommitError::Unmasked { edit, slot });
        }
        let (secrets, secrets_changed) = self.secrets(put, &id, held);
        let before = held.map(|held| held.stored.clone());
        let same_body = held.is_some_and(|held| held.stored.body == put.body || held.text == text);
        if same_body && secrets_changed.is_empty() {
            return Ok(edited(put, Outcome::Unchanged, before.clone(), before, secrets_changed));
        }
        check(&put.key, put.expected, before.as_ref().map(|before| before.revision))?;
        let after = self.after(put, id, before.as_ref());
        let outcome = if before.is_some() { Outcome::Updated } else { Outcome::Created };
        let now = Held {
            stored: after.clone(),
            text,
            search: put.search.replace('\0', ""),
            tags: distinct(&put.tags),
            mentions: put.mentions.clone(),
            secrets,
        };
        self.set(&put.key, Some(now));
        Ok(edited(put, outcome, before, Some(after), secrets_changed))
    }

    fn after(&self, put: &Put, id: String, before: Option<&Stored>) -> Stored {
        let (at, by) = (self.write.at, self.write.actor.account.to_string());
        Stored {
            key: put.key.clone(),
            id,
            revision: self.next,
            body: put.body.clone(),
            created_at: before.map_or(at, |before| before.created_at),
            created_by: before.map_or_else(|| by.clone(), |before| before.created_by.clone()),
            updated_at: at,
            updated_by: by,
        }
    }

    /// The secrets after the write, and the slots that differ from before.
    fn secrets(&self, put: &Put, id: &str, held: Option<&Held>) -> (BTreeMap<String, Sealed>, Vec<String>) {
        let empty = BTreeMap::new();
        let stored = held.map_or(&empty, |held| &held.secrets);
        let (mut secrets, mut changed) = (BTreeMap::new(), Vec::new());
        for (slot, write) in &put.secrets {
            let place = Place { key: &put.key, resource_id: id, slot };
            let plain = held.and_then(|held| plain_value(&held.stored.body, slot));
            let write = match (write, stored.get(slot), plain) {
                // What was plain until now is kept like any other value, and sealed from now on.
                (SecretWrite::Keep, None, Some(plain)) => &SecretWrite::Set(SecretText::new(plain)),
                (write, _, _) => write,
            };
            match (write, stored.get(slot)) {
                (SecretWrite::Keep, Some(row)) => drop(secrets.insert(slot.clone(), row.clone())),
                (SecretWrite::Keep | SecretWrite::Clear, None) => {}
                (SecretWrite::Clear, Some(_)) => changed.push(slot.clone()),
                (SecretWrite::Set(value), row) => {
                    let same = row.filter(|_| put.compares_secrets).filter(|row| {
                        seal::open(self.keys, place, row).is_ok_and(|stored| {
                            stored.expose().as_bytes().ct_eq(value.expose().as_bytes()).into()
                        })
                    });
                    let sealed = same.cloned().unwrap_or_else(|| {
                        changed.push(slot.clone());
                        let version = row.map_or(1, |row| row.version.saturating_add(1));
                        seal::seal(self.keys, place, version, value)
                    });
                    secrets.insert(slot.clone(), sealed);
                }
            }
        }
        changed.extend(stored.keys().filter(|slot| !put.secrets.contains_key(*slot)).cloned());
        changed.sort();
        (secrets, changed)
    }
}

/// A stored secret that the put declares as plain without saying its value.
fn unmasked(put: &Put, held: &Held) -> Option<String> {
    let slots = held.secrets.keys().filter(|slot| !put.secrets.contains_key(*slot));
    let mut declared = slots.filter(|slot| {
        variable(&put.body, slot).is_some_and(|variable| variable.get("value").is_none_or(Json::is_null))
    });
    declared.next().cloned()
}

/// The plain text that a body holds in a slot.
fn plain_value(body: &Body, slot: &str) -> Option<String> {
    variable(body, slot)?.get("value")?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The variable that a slot such as `spec.data.TOKEN` names.
fn variable<'b>(body: &'b Body, slot: &str) -> Option<&'b Json> {
    slot.strip_prefix("spec.")?.split('.').try_fold(&body.spec, |json, field| json.get(field))
}

fn edited(
    put: &Put,
    outcome: Outcome,
    before: Option<Stored>,
    after: Option<Stored>,
    secrets_changed: Vec<String>,
) -> Edited {
    Edited { key: put.key.clone(), outcome, before, after, secrets_changed, dangling: vec![] }
}

/// Refuses what was based on something else than what is stored.
fn check(key: &Key, expected: Expected, stored: Option<Revision>) -> Result<(), CommitError> {
    let conflict = |expected| CommitError::Conflict { key: key.clone(), expected, stored };
    match (expected, stored) {
        (Expected::Base(base), Some(at)) if base != at => Err(conflict(base)),
        (Expected::Exactly(exactly), at) if Some(exactly) != at => Err(conflict(exactly)),
        (Expected::Absent, Some(revision)) => Err(CommitError::Exists { key: key.clone(), revision }),
        _ => Ok(()),
    }
}

fn distinct(tags: &[String]) -> Vec<String> {
    let mut tags = tags.to_vec();
    tags.sort();
    tags.dedup();
    tags
}
