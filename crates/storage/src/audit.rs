//! The audit log: a row for every change, written by the commit that made it.

use model::{Collection, Key, Outcome, Revision, Timestamp};

use crate::engine::Row;
use crate::{Store, Unavailable, record};

/// What a change was about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditSubject {
    /// A resource.
    Resource(Key),
    /// A record.
    Record {
        /// What it is about.
        collection: Collection,
        /// Its identity within the collection.
        id: String,
    },
}

/// Who did what to what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRow {
    /// The commit.
    pub revision: Revision,
    /// The row's place in the commit, from 0.
    pub ordinal: i64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: String,
    /// Through which door.
    pub via: String,
    /// What happened.
    pub action: Outcome,
    /// To what.
    pub subject: AuditSubject,
    /// The id that a resource had; empty for a record.
    pub resource_id: String,
    /// JSON: the names of the fields and secrets that changed, never their values.
    pub detail: String,
}

const AFTER: &str = "SELECT revision, ordinal, at, actor, via, action, kind, name, scope, holder, \
     resource_id, detail FROM audit WHERE (revision, ordinal) > ($1, $2) ORDER BY revision, ordinal LIMIT $3";

impl Store {
    /// The audit rows after a row, oldest first.
    pub async fn audit(&self, after: (Revision, i64), limit: usize) -> Result<Vec<AuditRow>, Unavailable> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let args = vec![after.0.0.into(), after.1.into(), limit.into()];
        let rows = self.inner.engine.reader().await?.rows(AFTER, args).await?;
        rows.iter()
            .map(|row| {
                Ok(AuditRow {
                    revision: Revision(row.int(0)?),
                    ordinal: row.int(1)?,
                    at: Timestamp::from_millis(row.int(2)?),
                    actor: row.text(3)?,
                    via: row.text(4)?,
                    action: action(&row.text(5)?)?,
                    subject: subject(row)?,
                    resource_id: row.text(10)?,
                    detail: row.text(11)?,
                })
            })
            .collect()
    }
}

fn subject(row: &Row) -> Result<AuditSubject, Unavailable> {
    match row.text(6)?.parse() {
        Ok(collection) => Ok(AuditSubject::Record { collection, id: row.text(7)? }),
        Err(_) => record::key(row, 6).map(AuditSubject::Resource),
    }
}

fn action(text: &str) -> Result<Outcome, Unavailable> {
    match text {
        "created" => Ok(Outcome::Created),
        "updated" => Ok(Outcome::Updated),
        "deleted" => Ok(Outcome::Deleted),
        other => Err(Unavailable::corrupt(format!("no such action: {other}"))),
    }
}
