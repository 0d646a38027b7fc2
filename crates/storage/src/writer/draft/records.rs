//! The records of a write in the making.

use model::{Key, RecordChange};
use serde_json::Value as Json;

use super::Draft;
use crate::writer::shelf::{HeldRecord, RecordId};
use crate::{CommitError, Presence, RecordEdit, record};

/// A record's change, with what it said before.
pub(in crate::writer) struct RecordStep {
    pub change: RecordChange,
    pub before: Option<Json>,
}

impl Draft<'_> {
    /// Puts or removes a record; nothing when that changes nothing.
    pub fn record(&mut self, edit: &RecordEdit) -> Result<Option<RecordStep>, CommitError> {
        let id = (edit.collection, edit.id.clone());
        let held = self.held_record(&id);
        let (collection, name) = (edit.collection, edit.id.clone());
        match (edit.expected, held) {
            (Presence::Absent, Some(_)) => return Err(CommitError::RecordExists { collection, id: name }),
            (Presence::Present, None) => return Err(CommitError::RecordGone { collection, id: name }),
            _ => {}
        }
        let Some(body) = &edit.body else {
            return Ok(held.is_some().then(|| self.set_record(id, None)));
        };
        let text = record::json(body);
        let same =
            |held: &HeldRecord| held.belongs == edit.belongs && (held.body == *body || held.text == text);
        if held.is_some_and(same) {
            return Ok(None);
        }
        let now = HeldRecord { belongs: edit.belongs.clone(), revision: self.next, body: body.clone(), text };
        Ok(Some(self.set_record(id, Some(now))))
    }

    /// Removes every record that belongs to a resource, by collection and id.
    pub fn drop_records_of(&mut self, key: &Key) -> Vec<RecordStep> {
        let stored = self.view.records().of(key).filter(|id| !self.records.knows(id));
        let mut ids: Vec<RecordId> = stored.chain(self.records.of(key)).cloned().collect();
        ids.sort();
        ids.into_iter().map(|id| self.set_record(id, None)).collect()
    }

    fn held_record(&self, id: &RecordId) -> Option<&HeldRecord> {
        if self.records.knows(id) { self.records.get(id) } else { self.view.records().get(id) }
    }

    fn set_record(&mut self, id: RecordId, now: Option<HeldRecord>) -> RecordStep {
        let before = self.held_record(&id).map(|held| held.body.clone());
        let body = now.as_ref().map(|held| held.body.clone());
        self.records.set(&id, now);
        let (collection, id) = id;
        RecordStep { change: RecordChange { collection, id, body }, before }
    }
}
