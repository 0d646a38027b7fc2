//! Turns what a group of writes changed into as few statements as possible.

use std::collections::BTreeMap;

use model::{Key, Mention, Revision};

use super::history::{ADD_AUDIT, ADD_CHANGES, History};
use super::shelf::{HeldRecord, RecordId};
use super::view::{Held, View};
use crate::denials::{ADD_DENIALS, Denial};
use crate::engine::{Arg, Bulk, Session};
use crate::{Unavailable, record};

const PUT_RESOURCES: Bulk = Bulk {
    head: "INSERT INTO resources (kind, name, scope, holder, id, revision, body, search, tags, mentions, \
           created_at, created_by, updated_at, updated_by)",
    width: 14,
    tail: " ON CONFLICT (kind, name, scope, holder) DO UPDATE SET id = excluded.id, \
           revision = excluded.revision, body = excluded.body, search = excluded.search, \
           tags = excluded.tags, mentions = excluded.mentions, created_at = excluded.created_at, \
           created_by = excluded.created_by, updated_at = excluded.updated_at, \
           updated_by = excluded.updated_by",
};
const DROP_RESOURCES: Bulk =
    Bulk { head: "DELETE FROM resources WHERE (kind, name, scope, holder) IN (", width: 4, tail: ")" };
const PUT_TAGS: Bulk = Bulk {
    head: "INSERT INTO tags (kind, tag, name, scope, holder)",
    width: 5,
    tail: " ON CONFLICT DO NOTHING",
};
const DROP_TAGS: Bulk =
    Bulk { head: "DELETE FROM tags WHERE (kind, tag, name, scope, holder) IN (", width: 5, tail: ")" };
const PUT_MENTIONS: Bulk = Bulk {
    head: "INSERT INTO mentions (target_kind, target_name, kind, name, scope, holder, path, reference)",
    width: 8,
    tail: " ON CONFLICT (target_kind, target_name, kind, name, scope, holder, path) \
           DO UPDATE SET reference = excluded.reference",
};
const DROP_MENTIONS: Bulk = Bulk {
    head: "DELETE FROM mentions WHERE (target_kind, target_name, kind, name, scope, holder, path) IN (",
    width: 7,
    tail: ")",
};
pub(crate) const PUT_SECRETS: Bulk = Bulk {
    head: "INSERT INTO secrets (resource_id, slot, version, key_id, wrapped, sealed)",
    width: 6,
    tail: " ON CONFLICT (resource_id, slot) DO UPDATE SET version = excluded.version, \
           key_id = excluded.key_id, wrapped = excluded.wrapped, sealed = excluded.sealed",
};
const DROP_SECRETS: Bulk =
    Bulk { head: "DELETE FROM secrets WHERE (resource_id, slot) IN (", width: 2, tail: ")" };
pub(crate) const PUT_RECORDS: Bulk = Bulk {
    head: "INSERT INTO records (collection, id, belongs_kind, belongs_name, belongs_scope, belongs_holder, \
           revision, body)",
    width: 8,
    tail: " ON CONFLICT (collection, id) DO UPDATE SET belongs_kind = excluded.belongs_kind, \
           belongs_name = excluded.belongs_name, belongs_scope = excluded.belongs_scope, \
           belongs_holder = excluded.belongs_holder, revision = excluded.revision, body = excluded.body",
};
const DROP_RECORDS: Bulk =
    Bulk { head: "DELETE FROM records WHERE (collection, id) IN (", width: 2, tail: ")" };
const SET_REVISION: Bulk = Bulk { head: "UPDATE meta SET revision = (", width: 1, tail: ") WHERE id = 1" };

const SET_RECORDS: Bulk = Bulk { head: "UPDATE meta SET records = (", width: 1, tail: ") WHERE id = 1" };

/// The rows of a group, table by table.
#[derive(Default)]
pub(crate) struct Rows {
    /// The last commit of the group that changed a record.
    pub records: Option<Revision>,
    put_resources: Vec<Arg>,
    drop_resources: Vec<Arg>,
    put_tags: Vec<Arg>,
    drop_tags: Vec<Arg>,
    put_mentions: Vec<Arg>,
    drop_mentions: Vec<Arg>,
    put_secrets: Vec<Arg>,
    drop_secrets: Vec<Arg>,
    put_records: Vec<Arg>,
    drop_records: Vec<Arg>,
    denials: Vec<Arg>,
    pub history: History,
}

impl Rows {
    /// The net difference that the group makes.
    pub fn collect(&mut self, view: &View) {
        for (key, before, now) in view.differences() {
            if before.is_some() && now.is_none() {
                self.drop_resources.extend(record::key_args(key));
            }
            if let Some(now) = now {
                self.put_resource(key, now);
            }
            self.tags(key, before, now);
            self.mentions(key, before, now);
            self.secrets(before, now);
        }
        for (id, before, now) in view.record_differences() {
            self.records(id, before, now);
        }
    }

    /// Denials that are to be kept along with the rest.
    pub fn deny(&mut self, denials: &[Denial]) {
        self.denials.extend(denials.iter().flat_map(Denial::args));
    }

    fn put_resource(&mut self, key: &Key, now: &Held) {
        let stored = &now.stored;
        self.put_resources.extend(record::key_args(key));
        self.put_resources.extend([
            stored.id.as_str().into(),
            stored.revision.0.into(),
            now.text.as_str().into(),
            now.search.as_str().into(),
            record::json(&now.tags).into(),
            record::mentions_text(&now.mentions).into(),
            stored.created_at.as_millis().into(),
            stored.created_by.as_str().into(),
            stored.updated_at.as_millis().into(),
            stored.updated_by.as_str().into(),
        ]);
    }

    fn tags(&mut self, key: &Key, before: Option<&Held>, now: Option<&Held>) {
        let old = before.map_or(&[][..], |held| &held.tags);
        let new = now.map_or(&[][..], |held| &held.tags);
        let row = |tag: &String| {
            let [kind, name, scope, holder] = record::key_args(key);
            [kind, tag.as_str().into(), name, scope, holder]
        };
        self.drop_tags.extend(old.iter().filter(|tag| !new.contains(tag)).flat_map(row));
        self.put_tags.extend(new.iter().filter(|tag| !old.contains(tag)).flat_map(row));
    }

    fn mentions(&mut self, key: &Key, before: Option<&Held>, now: Option<&Held>) {
        // By place, so that no statement names one row twice.
        let by_place = |held: Option<&Held>| -> BTreeMap<_, Mention> {
            let all = held.into_iter().flat_map(|held| &held.mentions);
            all.map(|mention| {
                let target = (mention.kind, mention.reference.name.clone(), mention.path.clone());
                (target, mention.clone())
            })
            .collect()
        };
        let (old, new) = (by_place(before), by_place(now));
        for ((kind, name, path), _) in old.iter().filter(|(place, _)| !new.contains_key(place)) {
            self.drop_mentions.extend([kind.as_str().into(), name.as_str().into()]);
            self.drop_mentions.extend(record::key_args(key));
            self.drop_mentions.push(path.as_str().into());
        }
        for (place, mention) in new.iter().filter(|(place, mention)| old.get(place) != Some(mention)) {
            self.put_mentions.extend([place.0.as_str().into(), place.1.as_str().into()]);
            self.put_mentions.extend(record::key_args(key));
            self.put_mentions.extend([place.2.as_str().into(), record::json(&mention.reference).into()]);
        }
    }

    fn secrets(&mut self, before: Option<&Held>, now: Option<&Held>) {
        let same = before.filter(|held| now.is_some_and(|now| now.stored.id == held.stored.id));
        if let Some(held) = before {
            let stays = |slot: &str| same.and(now).is_some_and(|now| now.secrets.contains_key(slot));
            for slot in held.secrets.keys().filter(|slot| !stays(slot)) {
                self.drop_secrets.extend([held.stored.id.as_str().into(), slot.as_str().into()]);
            }
        }
        if let Some(held) = now {
            for (slot, sealed) in &held.secrets {
                if same.and_then(|before| before.secrets.get(slot)) != Some(sealed) {
                    self.put_secrets.extend([held.stored.id.as_str().into(), slot.as_str().into()]);
                    self.put_secrets.extend([sealed.version.into(), sealed.key_id.as_str().into()]);
                    self.put_secrets.extend([sealed.wrapped.clone().into(), sealed.value.clone().into()]);
                }
            }
        }
    }

    fn records(
        &mut self,
        (collection, id): &RecordId,
        before: Option<&HeldRecord>,
        now: Option<&HeldRecord>,
    ) {
        let identity = [Arg::from(collection.as_str()), Arg::from(id.as_str())];
        if let Some(now) = now {
            self.put_records.extend(identity);
            self.put_records.extend(record::belongs_args(now.belongs.as_ref()));
            self.put_records.extend([now.revision.0.into(), now.text.as_str().into()]);
        } else if before.is_some() {
            self.drop_records.extend(identity);
        }
    }

    /// Writes all rows and the revision that the group reached, if it is another, and commits.
    pub async fn flush(self, session: &mut Session, revision: Option<Revision>) -> Result<(), Unavailable> {
        let dialect = session.dialect();
        let tables = [
            (DROP_RESOURCES, self.drop_resources),
            (DROP_TAGS, self.drop_tags),
            (DROP_MENTIONS, self.drop_mentions),
            (DROP_SECRETS, self.drop_secrets),
            (PUT_RESOURCES, self.put_resources),
            (PUT_TAGS, self.put_tags),
            (PUT_MENTIONS, self.put_mentions),
            (PUT_SECRETS, self.put_secrets),
            (DROP_RECORDS, self.drop_records),
            (PUT_RECORDS, self.put_records),
            (ADD_CHANGES, self.history.changes),
            (ADD_AUDIT, self.history.audit),
            (ADD_DENIALS, self.denials),
            (SET_RECORDS, self.records.map(|records| records.0.into()).into_iter().collect()),
            (SET_REVISION, revision.map(|revision| revision.0.into()).into_iter().collect()),
        ];
        let mut statements = Vec::new();
        for (bulk, args) in tables {
            statements.extend(bulk.statements(dialect, args));
        }
        session.finish(statements).await
    }
}
