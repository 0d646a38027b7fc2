//! Loads into a view what a group of writes touches or mentions.

use std::collections::{HashMap, HashSet};

use model::{Key, Mention, Revision};

use super::shelf::HeldRecord;
use super::view::{Held, Target, View};
use crate::engine::{Arg, Bulk, Dialect, Lock, Row, Session};
use crate::seal::Sealed;
use crate::{Edit, Unavailable, Write, record};

const TOUCHED: Bulk = Bulk {
    head: "SELECT r.kind, r.name, r.scope, r.holder, r.id, r.revision, r.body, r.created_at, r.created_by, \
           r.updated_at, r.updated_by, r.tags, r.mentions, \
           CAST(CASE WHEN EXISTS (SELECT 1 FROM secrets s WHERE s.resource_id = r.id) THEN 1 ELSE 0 END AS BIGINT) \
           FROM resources r WHERE (r.kind, r.name, r.scope, r.holder) IN (",
    width: 4,
    tail: ")",
};
const PRESENT: Bulk = Bulk {
    head: "SELECT kind, name, scope, holder FROM resources WHERE (kind, name, scope, holder) IN (",
    width: 4,
    tail: ")",
};
const REFERRERS: Bulk = Bulk {
    head: "SELECT target_kind, target_name, kind, name, scope, holder, path, reference FROM mentions \
           WHERE (target_kind, target_name) IN (",
    width: 2,
    tail: ")",
};
const SECRETS: Bulk = Bulk {
    head: "SELECT resource_id, slot, version, key_id, wrapped, sealed FROM secrets WHERE resource_id IN (",
    width: 1,
    tail: ")",
};

const RECORDS: Bulk = Bulk {
    head: "SELECT collection, id, belongs_kind, belongs_name, belongs_scope, belongs_holder, revision, body \
           FROM records WHERE (collection, id) IN (",
    width: 2,
    tail: ")",
};
// The first condition is the index's own: without it neither database would look there.
const BELONGING: Bulk = Bulk {
    head: "SELECT collection, id, belongs_kind, belongs_name, belongs_scope, belongs_holder, revision, body \
           FROM records WHERE belongs_kind <> '' \
           AND (belongs_kind, belongs_name, belongs_scope, belongs_holder) IN (",
    width: 4,
    tail: ")",
};

const LOCK: Lock = Lock {
    sqlite: "BEGIN IMMEDIATE; SELECT revision, key_id, records FROM meta WHERE id = 1",
    postgres: "SELECT revision, key_id, records FROM meta WHERE id = 1 FOR UPDATE",
};

/// The current revision.
pub(crate) async fn revision(session: &mut Session) -> Result<Revision, Unavailable> {
    read(&session.rows("SELECT revision FROM meta WHERE id = 1", vec![]).await?)
}

/// What a transaction begins with.
pub(crate) struct Begun {
    /// The current revision.
    pub revision: Revision,
    /// The last commit that changed a record.
    pub records: Revision,
    /// The key that seals secrets now, as all replicas agree.
    pub key_id: Option<String>,
    /// The resources that the writes touch, where they were read at once.
    pub touched: Option<Vec<Row>>,
}

/// Begins a transaction that no other writer can interfere with.
pub(crate) async fn begin(session: &mut Session) -> Result<Begun, Unavailable> {
    begin_with(session, &[]).await
}

/// Begins one for `writes`; where that saves a turn of the database's thread, reads what they touch at once.
pub(crate) async fn begin_with(session: &mut Session, writes: &[&Write]) -> Result<Begun, Unavailable> {
    let keys: HashSet<&Key> = writes.iter().flat_map(|write| &write.edits).filter_map(Edit::key).collect();
    let args = keys.iter().flat_map(|key| record::key_args(key)).collect();
    let mut statements: Vec<_> = TOUCHED.statements(session.dialect(), args).collect();
    let together = session.dialect() == Dialect::Sqlite && statements.len() == 1;
    let first = if together { statements.pop() } else { None };
    let mut rows = session.begin_locked(LOCK, first).await?;
    if rows.is_empty() {
        return Err(Unavailable::corrupt("the meta row is missing"));
    }
    let touched = rows.split_off(1);
    let key_id = rows[0].maybe_text(1)?;
    let records = Revision(rows[0].int(2)?);
    Ok(Begun { revision: read(&rows)?, records, key_id, touched: together.then_some(touched) })
}

fn read(rows: &[Row]) -> Result<Revision, Unavailable> {
    let row = rows.first().ok_or_else(|| Unavailable::corrupt("the meta row is missing"))?;
    Ok(Revision(row.int(0)?))
}

/// Everything that evaluating `writes` will ask for.
pub(crate) async fn load(
    session: &mut Session,
    writes: &[&Write],
    read_already: Option<Vec<Row>>,
) -> Result<View, Unavailable> {
    let mut view = View::default();
    let edits = || writes.iter().flat_map(|write| &write.edits);
    let touched: HashSet<&Key> = edits().filter_map(Edit::key).collect();
    let mut wanted: HashSet<Key> = HashSet::new();
    let mut targets: HashSet<Target> = HashSet::new();
    for edit in edits() {
        match edit {
            Edit::Put(put) => {
                wanted.extend(put.mentions.iter().flat_map(|mention| mention.candidates(&put.key.scope)));
            }
            Edit::Delete { key, force: false, .. } => drop(targets.insert((key.kind, key.name.clone()))),
            Edit::Delete { .. } => {}
            Edit::Record(edit) => wanted.extend(edit.belongs.iter().filter(|_| edit.body.is_some()).cloned()),
        }
    }
    referrers(session, &mut view, targets, &mut wanted).await?;
    resources(session, &mut view, &touched, read_already).await?;
    let unknown = wanted.iter().filter(|key| !touched.contains(key)).flat_map(record::key_args).collect();
    for row in PRESENT.rows(session, unknown).await? {
        view.see(record::key(&row, 0)?);
    }
    records(session, &mut view, writes).await?;
    Ok(view)
}

/// The records that are edited, and those that belong to what is deleted.
async fn records(session: &mut Session, view: &mut View, writes: &[&Write]) -> Result<(), Unavailable> {
    let (mut edited, mut deleted) = (HashSet::new(), HashSet::new());
    for edit in writes.iter().flat_map(|write| &write.edits) {
        match edit {
            Edit::Put(_) => {}
            Edit::Delete { key, .. } => drop(deleted.insert(key)),
            Edit::Record(edit) => drop(edited.insert((edit.collection, edit.id.as_str()))),
        }
    }
    let edited = edited.into_iter().flat_map(|(collection, id)| [collection.as_str().into(), id.into()]);
    let mut rows = RECORDS.rows(session, edited.collect()).await?;
    rows.extend(BELONGING.rows(session, deleted.into_iter().flat_map(record::key_args).collect()).await?);
    for row in rows {
        let (collection, id, text) = (record::collection(&row, 0)?, row.text(1)?, row.text(7)?);
        let held = HeldRecord {
            belongs: record::belongs(&row, 2)?,
            revision: Revision(row.int(6)?),
            body: record::record_body(collection, &id, &text)?,
            text,
        };
        view.hold_record(&(collection, id), held);
    }
    Ok(())
}

async fn referrers(
    session: &mut Session,
    view: &mut View,
    targets: HashSet<Target>,
    wanted: &mut HashSet<Key>,
) -> Result<(), Unavailable> {
    let args = targets.iter().flat_map(|(kind, name)| [Arg::from(kind.as_str()), Arg::from(name.as_str())]);
    let rows = REFERRERS.rows(session, args.collect()).await?;
    for target in targets {
        view.watch_target(target);
    }
    for row in rows {
        let by = record::key(&row, 2)?;
        let mention = mention(&row, &by)?;
        wanted.extend(mention.candidates(&by.scope));
        view.refer((mention.kind, mention.reference.name.clone()), by, mention);
    }
    Ok(())
}

fn mention(row: &Row, by: &Key) -> Result<Mention, Unavailable> {
    let kind = row.text(0)?;
    let kind = kind.parse().map_err(|_| Unavailable::corrupt(format!("{by} mentions a {kind}")))?;
    let reference = serde_json::from_str(&row.text(7)?)
        .map_err(|error| Unavailable::corrupt(format!("{by}: its mention: {error}")))?;
    Ok(Mention { path: row.text(6)?, kind, reference })
}

async fn resources(
    session: &mut Session,
    view: &mut View,
    keys: &HashSet<&Key>,
    read_already: Option<Vec<Row>>,
) -> Result<(), Unavailable> {
    let rows = match read_already {
        Some(rows) => rows,
        None => TOUCHED.rows(session, keys.iter().flat_map(|key| record::key_args(key)).collect()).await?,
    };
    let mut with_secrets: Vec<Arg> = Vec::new();
    for row in rows {
        let stored = record::stored(&row)?;
        if row.int(13)? != 0 {
            with_secrets.push(stored.id.as_str().into());
        }
        view.hold(Held {
            text: row.text(6)?,
            search: String::new(),
            tags: serde_json::from_str(&row.text(11)?)
                .map_err(|error| Unavailable::corrupt(format!("{}: its tags: {error}", stored.key)))?,
            mentions: record::mentions(&stored.key, &row.text(12)?)?,
            secrets: std::collections::BTreeMap::new(),
            stored,
        });
    }
    let mut by_id: HashMap<String, Vec<(String, Sealed)>> = HashMap::new();
    for row in SECRETS.rows(session, with_secrets).await? {
        by_id.entry(row.text(0)?).or_default().push((row.text(1)?, sealed(&row, 2)?));
    }
    if !by_id.is_empty() {
        for held in view.held_mut() {
            held.secrets.extend(by_id.remove(&held.stored.id).into_iter().flatten());
        }
    }
    Ok(())
}

/// The sealed value in four columns that begin at `at`.
pub(crate) fn sealed(row: &Row, at: usize) -> Result<Sealed, Unavailable> {
    Ok(Sealed {
        version: row.int(at)?,
        key_id: row.text(at + 1)?,
        wrapped: row.bytes(at + 2)?,
        value: row.bytes(at + 3)?,
    })
}
