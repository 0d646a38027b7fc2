//! Decides one write against a view: pure apart from the random ids and seals it makes.
//!
//! A refused write leaves the view as it was; an accepted one is in it.

use std::collections::HashMap;

use model::{Key, Mention, Revision};

use super::decision::Decision;
use super::draft::Draft;
use super::view::View;
use crate::keyring::Keys;
use crate::{CommitError, Edit, Edited, Write};

/// Decides `write`; if it changes anything it becomes revision `current + 1`.
pub(crate) fn evaluate(
    view: &mut View,
    write: &Write,
    current: Revision,
    keys: &Keys,
) -> Result<Decision, CommitError> {
    let next = Revision(current.0 + 1);
    let mut draft = Draft::new(view, write, next, keys);
    let mut decision = Decision::new(current, write.edits.len());
    for (index, edit) in write.edits.iter().enumerate() {
        match edit {
            Edit::Put(put) => decision.resource(draft.put(index, put)?),
            Edit::Delete { key, expected, .. } => {
                decision.resource(draft.delete(key, *expected)?);
                decision.records(draft.drop_records_of(key));
            }
            Edit::Record(edit) => decision.records(draft.record(edit)?),
        }
    }
    refuse_referenced(&draft, write)?;
    refuse_orphans(&draft, write)?;
    mark_dangling(&draft, write, &mut decision.committed.edited)?;
    if decision.changes_anything() {
        decision.committed.revision = next;
    }
    let changes = draft.into_changes();
    for (key, now) in changes.resources {
        view.change(&key, now);
    }
    for (id, now) in changes.records {
        view.change_record(id, now);
    }
    Ok(decision)
}

/// A record may not be put to a resource that does not exist once the write is done.
fn refuse_orphans(draft: &Draft<'_>, write: &Write) -> Result<(), CommitError> {
    let put = write.edits.iter().filter_map(|edit| match edit {
        Edit::Record(edit) if edit.body.is_some() => edit.belongs.as_ref(),
        _ => None,
    });
    match put.into_iter().find(|key| !draft.exists(key)) {
        Some(key) => Err(CommitError::NotFound { key: key.clone() }),
        None => Ok(()),
    }
}

/// A resource that others still mean may not go, unless it is forced.
fn refuse_referenced(draft: &Draft<'_>, write: &Write) -> Result<(), CommitError> {
    let gone = write.edits.iter().filter_map(|edit| match edit {
        Edit::Delete { key, force: false, .. } if !draft.exists(key) => Some(key),
        _ => None,
    });
    let mut drafted: Option<HashMap<_, Vec<(&Key, &Mention)>>> = None;
    for key in gone {
        let target = (key.kind, key.name.clone());
        let drafted = drafted.get_or_insert_with(|| draft.mentions_by_target());
        let means_it = |by: &Key, mention: &Mention| {
            let candidates = mention.candidates(&by.scope);
            candidates.iter().find(|candidate| *candidate == key || draft.exists(candidate)) == Some(key)
        };
        let stored = draft.view().referrers(&target).filter(|(by, _)| !draft.touches(by));
        let written = drafted.get(&target).into_iter().flatten().copied();
        let mut by: Vec<Key> = stored
            .chain(written)
            .filter(|(by, mention)| means_it(by, mention))
            .map(|(by, _)| by.clone())
            .collect();
        by.sort();
        by.dedup();
        if !by.is_empty() {
            return Err(CommitError::Referenced { key: key.clone(), by });
        }
    }
    Ok(())
}

fn mark_dangling(draft: &Draft<'_>, write: &Write, edited: &mut [Edited]) -> Result<(), CommitError> {
    let mut all = Vec::new();
    let of_resources = write.edits.iter().enumerate().filter(|(_, edit)| edit.key().is_some());
    for ((index, edit), done) in of_resources.zip(edited) {
        let Edit::Put(put) = edit else { continue };
        if !draft.exists(&put.key) {
            continue;
        }
        let dangles = |mention: &&Mention| {
            !mention.candidates(&put.key.scope).iter().any(|candidate| draft.exists(candidate))
        };
        done.dangling = put.mentions.iter().filter(dangles).cloned().collect();
        all.extend(done.dangling.iter().map(|mention| (index, mention.clone())));
    }
    if write.strict && !all.is_empty() {
        return Err(CommitError::Dangling(all));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
