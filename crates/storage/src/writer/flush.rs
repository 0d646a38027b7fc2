//! Turns what a group of writes changed into as few statements as possible.

use std::collections::BTreeMap;

use model::{Key, Mention, Outcome, Revision};

use super::view::{Held, View};
use crate::engine::{Arg, Bulk, Session};
use crate::{Committed, Edited, Unavailable, Write, record};

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
const ADD_CHANGES: Bulk = Bulk {
    head: "INSERT INTO changes (revision, ordinal, at, action, kind, name, scope, holder, resource_id, record)",
    width: 10,
    tail: "",
};
const ADD_AUDIT: Bulk = Bulk {
    head: "INSERT INTO audit (revision, ordinal, at, actor, via, action, kind, name, scope, holder, \
           resource_id, detail)",
    width: 12,
    tail: "",
};

const SET_REVISION: Bulk = Bulk { head: "UPDATE meta SET revision = (", width: 1, tail: ") WHERE id = 1" };

/// The rows of a group, table by table.
#[derive(Default)]
pub(crate) struct Rows {
    put_resources: Vec<Arg>,
    drop_resources: Vec<Arg>,
    put_tags: Vec<Arg>,
    drop_tags: Vec<Arg>,
    put_mentions: Vec<Arg>,
    drop_mentions: Vec<Arg>,
    put_secrets: Vec<Arg>,
    drop_secrets: Vec<Arg>,
    changes: Vec<Arg>,
    audit: Vec<Arg>,
}

impl Rows {
    /// The history and audit of one accepted write.
    pub fn record(&mut self, write: &Write, committed: &Committed) {
        let changed = committed.edited.iter().filter(|edited| edited.outcome != Outcome::Unchanged);
        for (ordinal, edited) in (0_i64..).zip(changed) {
            let Some(stored) = edited.after.as_ref().or(edited.before.as_ref()) else { continue };
            let action = action(edited.outcome);
            let at = write.at.as_millis();
            self.changes.extend([committed.revision.0.into(), ordinal.into(), at.into(), action.into()]);
            self.changes.extend(record::key_args(&edited.key));
            self.changes.push(stored.id.as_str().into());
            self.changes.push(edited.after.as_ref().map(record::record_text).into());
            self.audit.extend([committed.revision.0.into(), ordinal.into(), at.into()]);
            self.audit.extend([write.actor.account.as_str().into(), write.actor.via.as_str().into()]);
            self.audit.push(action.into());
            self.audit.extend(record::key_args(&edited.key));
            self.audit.extend([stored.id.as_str().into(), detail(edited).into()]);
        }
    }

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

    /// Writes all rows and the revision that the group reached, and commits.
    pub async fn flush(self, session: &mut Session, revision: Revision) -> Result<(), Unavailable> {
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
            (ADD_CHANGES, self.changes),
            (ADD_AUDIT, self.audit),
            (SET_REVISION, vec![revision.0.into()]),
        ];
        let mut statements = Vec::new();
        for (bulk, args) in tables {
            statements.extend(bulk.statements(dialect, args));
        }
        session.finish(statements).await
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
fn detail(edited: &Edited) -> String {
    let (before, after) = (edited.before.as_ref(), edited.after.as_ref());
    let mut fields: Vec<String> = Vec::new();
    if let Some(after) = after {
        let old = before.map(|before| &before.body);
        let empty = serde_json::Map::new();
        let new_spec = after.body.spec.as_object().unwrap_or(&empty);
        let old_spec = old.and_then(|old| old.spec.as_object()).unwrap_or(&empty);
        let names = new_spec.keys().chain(old_spec.keys().filter(|name| !new_spec.contains_key(*name)));
        fields.extend(names.filter(|name| new_spec.get(*name) != old_spec.get(*name)).cloned());
        let labels = old.map_or(&empty, |old| &old.labels);
        let annotations = old.map_or(&empty, |old| &old.annotations);
        fields.extend((*labels != after.body.labels).then(|| "metadata.labels".to_owned()));
        fields.extend((*annotations != after.body.annotations).then(|| "metadata.annotations".to_owned()));
    }
    record::json(&serde_json::json!({ "fields": fields, "secrets": edited.secrets_changed }))
}
