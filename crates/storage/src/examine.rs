//! Looks at a store that nobody is using: whether the database is sound, and how much it holds.

use model::Revision;

use crate::engine::{Dialect, Engine, Session};
use crate::schema::{self, MigrateError};
use crate::{Database, Reason, Unavailable, writer};

/// What a sound store holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Soundness {
    /// How many resources.
    pub resources: i64,
    /// The last commit.
    pub revision: Revision,
    /// The version of its schema.
    pub schema: i64,
}

/// Checks the database file, and that revisions, history and resources agree. Finishes interrupted migrations.
pub async fn examine(database: Database) -> Result<Soundness, Unavailable> {
    let engine = Engine::open(&database).await?;
    let mut session = engine.writer().await?;
    schema::migrate(&mut session).await.map_err(MigrateError::into_unavailable)?;
    if session.dialect() == Dialect::Sqlite {
        let rows = session.rows("PRAGMA integrity_check", vec![]).await?;
        let verdict = rows.first().map(|row| row.text(0)).transpose()?.unwrap_or_default();
        if verdict != "ok" {
            return Err(Unavailable::new(Reason::Corrupt, format!("the integrity check says: {verdict}")));
        }
    }
    let revision = writer::revision(&mut session).await?;
    agree(&mut session, revision).await?;
    let resources = count(&mut session, "SELECT COUNT(*) FROM resources").await?;
    drop(session);
    engine.close().await;
    Ok(Soundness { resources, revision, schema: schema::VERSION })
}

/// Every rule that a commit keeps, asked of the rows.
async fn agree(session: &mut Session, revision: Revision) -> Result<(), Unavailable> {
    let rules = [
        (
            "the history goes beyond the last revision",
            "SELECT COUNT(*) FROM changes WHERE revision > (SELECT revision FROM meta)",
        ),
        (
            "a resource is newer than the last revision",
            "SELECT COUNT(*) FROM resources WHERE revision > (SELECT revision FROM meta)",
        ),
        (
            "a tag belongs to no resource",
            "SELECT COUNT(*) FROM tags t WHERE NOT EXISTS (SELECT 1 FROM resources r WHERE r.kind = t.kind \
             AND r.name = t.name AND r.scope = t.scope AND r.holder = t.holder)",
        ),
        (
            "a secret belongs to no resource",
            "SELECT COUNT(*) FROM secrets s WHERE NOT EXISTS (SELECT 1 FROM resources r WHERE r.id = s.resource_id)",
        ),
        (
            "a record is newer than the last revision",
            "SELECT COUNT(*) FROM records WHERE revision > (SELECT revision FROM meta)",
        ),
        (
            "a record belongs to a resource that is gone",
            "SELECT COUNT(*) FROM records b WHERE b.belongs_kind <> '' AND NOT EXISTS (SELECT 1 FROM resources r \
             WHERE r.kind = b.belongs_kind AND r.name = b.belongs_name AND r.scope = b.belongs_scope \
             AND r.holder = b.belongs_holder)",
        ),
        (
            "the history has a hole",
            "SELECT (SELECT revision - oldest FROM meta) - (SELECT COUNT(DISTINCT revision) FROM changes \
             WHERE revision > (SELECT oldest FROM meta))",
        ),
    ];
    for (broken, sql) in rules {
        let found = count(session, sql).await?;
        if found != 0 {
            let message = format!("at revision {revision}: {broken} ({found})");
            return Err(Unavailable::new(Reason::Corrupt, message));
        }
    }
    Ok(())
}

async fn count(session: &mut Session, sql: &'static str) -> Result<i64, Unavailable> {
    let rows = session.rows(sql, vec![]).await?;
    rows.first().ok_or_else(|| Unavailable::corrupt("a count gave no row"))?.int(0)
}
