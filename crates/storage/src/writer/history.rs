//! What the history and the audit log keep of each accepted write.

use model::{Outcome, RecordChange, Revision, Timestamp};
use serde_json::{Map, Value as Json};

use super::decision::{Changed, Decision};
use crate::engine::{Arg, Bulk};
use crate::{Actor, Edited, Write, record};

pub(super) const ADD_CHANGES: Bulk = Bulk {
    head: "INSERT INTO changes (revision, ordinal, at, action, kind, name, scope, holder, resource_id, record)",
    width: 10,
    tail: "",
};
pub(crate) const ADD_AUDIT: Bulk = Bulk {
    head: "INSERT INTO audit (revision, ordinal, at, actor, via, action, kind, name, scope, holder, \
           resource_id, detail)",
    width: 12,
    tail: "",
};

/// The rows of a group for both tables.
#[derive(Default)]
pub(crate) struct History {
    pub changes: Vec<Arg>,
    pub audit: Vec<Arg>,
}

/// One row for each table.
struct Entry {
    action: &'static str,
    /// A resource's key; of a record the collection, the id and nothing.
    subject: [Arg; 4],
    resource_id: String,
    record: Option<String>,
    detail: String,
}

impl History {
    /// The rows of one accepted write.
    pub fn add(&mut self, write: &Write, decision: &Decision) {
        let entries = decision.changed().filter_map(|changed| match changed {
            Changed::Resource(edited) => of_resource(edited),
            Changed::Record { change, before } => Some(of_record(change, before)),
        });
        for (ordinal, entry) in (0_i64..).zip(entries) {
            self.push((decision.committed.revision, ordinal), write.at, &write.actor, entry);
        }
    }

    /// The audit rows of records that a store begins with; they have no history.
    pub fn begin(&mut self, actor: &Actor, at: Timestamp, records: &[RecordChange]) {
        for (ordinal, change) in (0_i64..).zip(records) {
            self.push((Revision(0), ordinal), at, actor, of_record(change, None));
        }
        self.changes.clear();
    }

    fn push(&mut self, (revision, ordinal): (Revision, i64), at: Timestamp, actor: &Actor, entry: Entry) {
        let place = [Arg::from(revision.0), Arg::from(ordinal), Arg::from(at.as_millis())];
        self.changes.extend(place.clone());
        self.changes.push(entry.action.into());
        self.changes.extend(entry.subject.clone());
        self.changes.extend([entry.resource_id.as_str().into(), entry.record.into()]);
        self.audit.extend(place);
        self.audit.extend([actor.account.as_str().into(), actor.via.as_str().into(), entry.action.into()]);
        self.audit.extend(entry.subject);
        self.audit.extend([entry.resource_id.into(), entry.detail.into()]);
    }
}

fn of_resource(edited: &Edited) -> Option<Entry> {
    let stored = edited.after.as_ref().or(edited.before.as_ref())?;
    Some(Entry {
        action: action(edited.outcome),
        subject: record::key_args(&edited.key),
        resource_id: stored.id.clone(),
        record: edited.after.as_ref().map(record::record_text),
        detail: detail(&resource_fields(edited), &edited.secrets_changed),
    })
}

fn of_record(change: &RecordChange, before: Option<&Json>) -> Entry {
    let outcome = match (before, &change.body) {
        (_, None) => Outcome::Deleted,
        (None, Some(_)) => Outcome::Created,
        (Some(_), Some(_)) => Outcome::Updated,
    };
    let fields = change.body.as_ref().map_or_else(Vec::new, |now| changed_fields(before, now));
    Entry {
        action: action(outcome),
        subject: [change.collection.as_str().into(), change.id.as_str().into(), "".into(), "".into()],
        resource_id: String::new(),
        record: change.body.as_ref().map(record::json),
        detail: detail(&fields, &[]),
    }
}

/// An outcome as the history spells it.
fn action(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Created => "created",
        Outcome::Updated => "updated",
        Outcome::Unchanged => "unchanged",
        Outcome::Deleted => "deleted",
    }
}

/// Which fields and secrets changed; never their values.
fn detail(fields: &[String], secrets: &[String]) -> String {
    record::json(&serde_json::json!({ "fields": fields, "secrets": secrets }))
}

fn resource_fields(edited: &Edited) -> Vec<String> {
    let Some(after) = &edited.after else { return Vec::new() };
    let old = edited.before.as_ref().map(|before| &before.body);
    let mut fields = changed_fields(old.map(|old| &old.spec), &after.body.spec);
    let empty = Map::new();
    let labels = old.map_or(&empty, |old| &old.labels);
    let annotations = old.map_or(&empty, |old| &old.annotations);
    fields.extend((*labels != after.body.labels).then(|| "metadata.labels".to_owned()));
    fields.extend((*annotations != after.body.annotations).then(|| "metadata.annotations".to_owned()));
    fields
}

/// The names of the fields in which two objects differ.
fn changed_fields(before: Option<&Json>, now: &Json) -> Vec<String> {
    let empty = Map::new();
    let new = now.as_object().unwrap_or(&empty);
    let old = before.and_then(Json::as_object).unwrap_or(&empty);
    let names = new.keys().chain(old.keys().filter(|name| !new.contains_key(*name)));
    names.filter(|name| new.get(*name) != old.get(*name)).cloned().collect()
}
