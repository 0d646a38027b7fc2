//! What a new store begins with, before its first commit.

use model::{Collection, RecordChange, Revision, Timestamp};
use serde_json::Value as Json;

use crate::engine::{Arg, Session};
use crate::writer::{ADD_AUDIT, History, Job, PUT_RECORDS};
use crate::{Actor, Store, Unavailable, record};

/// Records that a new store begins with, and who put them there.
pub(crate) struct Founding {
    actor: Actor,
    at: Timestamp,
    records: Vec<(Collection, String, Json)>,
}

impl Store {
    /// Puts records into a store that nothing was ever committed to, as of revision 0; whether it was such a one. Of
    /// replicas that start together on a new database, the first one's records count.
    pub async fn found(
        &self,
        actor: Actor,
        at: Timestamp,
        records: Vec<(Collection, String, Json)>,
    ) -> Result<bool, Unavailable> {
        let founding = Box::new(Founding { actor, at, records });
        self.ask(|answer| Job::Found(founding, answer)).await?
    }
}

/// Does it within a transaction that stands at `revision`.
pub(crate) async fn found(
    session: &mut Session,
    revision: Revision,
    founding: Founding,
) -> Result<bool, Unavailable> {
    let Founding { actor, at, records } = founding;
    let any = session.rows("SELECT id FROM records LIMIT 1", vec![]).await?;
    if revision > Revision(0) || !any.is_empty() {
        session.roll_back().await?;
        return Ok(false);
    }
    let rows = records.iter().flat_map(|(collection, id, body)| {
        let nothing = || Arg::from("");
        let place: [Arg; 2] = [collection.as_str().into(), id.as_str().into()];
        let belongs = [nothing(), nothing(), nothing(), nothing()];
        let rest: [Arg; 2] = [0_i64.into(), record::json(body).into()];
        place.into_iter().chain(belongs).chain(rest)
    });
    PUT_RECORDS.run(session, rows.collect()).await?;
    let changes =
        records.into_iter().map(|(collection, id, body)| RecordChange { collection, id, body: Some(body) });
    let mut history = History::default();
    history.begin(&actor, at, &changes.collect::<Vec<_>>());
    ADD_AUDIT.run(session, history.audit).await?;
    session.commit().await?;
    Ok(true)
}
