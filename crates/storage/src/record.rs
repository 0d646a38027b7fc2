//! Resources and records as rows, and rows as what they were.

use std::borrow::Cow;

use model::{Body, Collection, Key, Kind, Mention, Reference, Revision, Scope, Stored, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::Unavailable;
use crate::engine::{Arg, Row};

/// The columns that `stored` reads, in its order.
pub(crate) const COLUMNS: &str = "r.kind, r.name, r.scope, r.holder, r.id, r.revision, r.body, \
     r.created_at, r.created_by, r.updated_at, r.updated_by";

/// The four columns of a key, as arguments.
pub(crate) fn key_args(key: &Key) -> [Arg; 4] {
    [
        key.kind.as_str().into(),
        key.name.as_str().into(),
        key.scope.name().as_str().into(),
        key.scope.holder().into(),
    ]
}

/// The key in four columns that begin at `at`.
pub(crate) fn key(row: &Row, at: usize) -> Result<Key, Unavailable> {
    let (kind, name) = (row.text(at)?, row.text(at + 1)?);
    let (scope, holder) = (row.text(at + 2)?, row.text(at + 3)?);
    parse_key(&kind, &name, &scope, &holder)
        .ok_or_else(|| Unavailable::corrupt(format!("no such identity: {kind} {name} {scope} {holder}")))
}

/// The four columns of what a record belongs to, as arguments; all empty for nothing.
pub(crate) fn belongs_args(belongs: Option<&Key>) -> [Arg; 4] {
    belongs.map_or_else(|| [(); 4].map(|()| Arg::from("")), key_args)
}

/// What a record belongs to, in four columns that begin at `at`.
pub(crate) fn belongs(row: &Row, at: usize) -> Result<Option<Key>, Unavailable> {
    if row.text(at)?.is_empty() { Ok(None) } else { key(row, at).map(Some) }
}

/// The collection in column `at`.
pub(crate) fn collection(row: &Row, at: usize) -> Result<Collection, Unavailable> {
    row.text(at)?.parse().map_err(|error| Unavailable::corrupt(format!("{error}")))
}

/// A record's body.
pub(crate) fn record_body(collection: Collection, id: &str, text: &str) -> Result<Json, Unavailable> {
    serde_json::from_str(text)
        .map_err(|error| Unavailable::corrupt(format!("{} `{id}`: {error}", collection.title())))
}

fn parse_key(kind: &str, name: &str, scope: &str, holder: &str) -> Option<Key> {
    Some(Key { kind: kind.parse().ok()?, name: name.parse().ok()?, scope: Scope::from_parts(scope, holder)? })
}

/// The resource in `COLUMNS`.
pub(crate) fn stored(row: &Row) -> Result<Stored, Unavailable> {
    let key = key(row, 0)?;
    let body = body(&key, &row.text(6)?)?;
    Ok(Stored {
        key,
        id: row.text(4)?,
        revision: Revision(row.int(5)?),
        body,
        created_at: Timestamp::from_millis(row.int(7)?),
        created_by: row.text(8)?,
        updated_at: Timestamp::from_millis(row.int(9)?),
        updated_by: row.text(10)?,
    })
}

pub(crate) fn body(key: &Key, text: &str) -> Result<Body, Unavailable> {
    serde_json::from_str(text).map_err(|error| Unavailable::corrupt(format!("{key}: its body: {error}")))
}

/// JSON text of what cannot fail to be JSON.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("keys are text and numbers are finite")
}

/// A mention as stored in its resource's row.
#[derive(Serialize, Deserialize)]
struct WrittenMention {
    path: String,
    kind: Kind,
    reference: Reference,
}

pub(crate) fn mentions_text(mentions: &[Mention]) -> String {
    let written = mentions.iter().map(|mention| WrittenMention {
        path: mention.path.clone(),
        kind: mention.kind,
        reference: mention.reference.clone(),
    });
    json(&written.collect::<Vec<_>>())
}

pub(crate) fn mentions(key: &Key, text: &str) -> Result<Vec<Mention>, Unavailable> {
    let written: Vec<WrittenMention> = serde_json::from_str(text)
        .map_err(|error| Unavailable::corrupt(format!("{key}: its mentions: {error}")))?;
    Ok(written
        .into_iter()
        .map(|WrittenMention { path, kind, reference }| Mention { path, kind, reference })
        .collect())
}

/// A resource as the history keeps it; its identity is in the row's own columns.
#[derive(Serialize, Deserialize)]
struct Past<'a> {
    id: Cow<'a, str>,
    revision: Revision,
    body: Cow<'a, Body>,
    created_at: i64,
    created_by: Cow<'a, str>,
    updated_at: i64,
    updated_by: Cow<'a, str>,
}

pub(crate) fn record_text(stored: &Stored) -> String {
    json(&Past {
        id: Cow::Borrowed(&stored.id),
        revision: stored.revision,
        body: Cow::Borrowed(&stored.body),
        created_at: stored.created_at.as_millis(),
        created_by: Cow::Borrowed(&stored.created_by),
        updated_at: stored.updated_at.as_millis(),
        updated_by: Cow::Borrowed(&stored.updated_by),
    })
}

pub(crate) fn from_record(key: Key, text: &str) -> Result<Stored, Unavailable> {
    let record: Past<'_> = serde_json::from_str(text)
        .map_err(|error| Unavailable::corrupt(format!("{key}: its history: {error}")))?;
    Ok(Stored {
        key,
        id: record.id.into_owned(),
        revision: record.revision,
        body: record.body.into_owned(),
        created_at: Timestamp::from_millis(record.created_at),
        created_by: record.created_by.into_owned(),
        updated_at: Timestamp::from_millis(record.updated_at),
        updated_by: record.updated_by.into_owned(),
    })
}
