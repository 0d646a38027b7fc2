//! The log of what was refused: queued with the writer, kept with its next transaction, never a revision.
//!
//! A denial waits for no disk; one that the database does not take is told to the daemon's own log instead.

use model::Timestamp;

use crate::engine::{Arg, Bulk};
use crate::writer::Job;
use crate::{Store, Unavailable, random};

/// Who was refused what, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// When.
    pub at: Timestamp,
    /// Who asked.
    pub actor: String,
    /// Through which door.
    pub via: String,
    /// What they wanted to do.
    pub action: String,
    /// To what.
    pub target: String,
    /// Why not.
    pub reason: String,
}

/// A denial with the id under which it is kept.
pub(crate) struct Denial {
    pub id: String,
    pub denied: Denied,
}

pub(crate) const ADD_DENIALS: Bulk =
    Bulk { head: "INSERT INTO denials (at, id, actor, via, action, target, reason)", width: 7, tail: "" };
const AFTER: &str = "SELECT at, id, actor, via, action, target, reason FROM denials \
     WHERE (at, id) > ($1, $2) ORDER BY at, id LIMIT $3";

impl Denial {
    /// The row of `ADD_DENIALS`. What was asked for can be any text, and PostgreSQL keeps no NUL.
    pub fn args(&self) -> [Arg; 7] {
        let text = |text: &str| Arg::from(text.replace('\0', ""));
        let Denied { at, actor, via, action, target, reason } = &self.denied;
        let id = self.id.as_str().into();
        [at.as_millis().into(), id, text(actor), text(via), text(action), text(target), text(reason)]
    }
}

/// Says in the daemon's log what the database did not take.
pub(crate) fn warn(denials: &[Denial], error: &Unavailable) {
    for Denial { denied, .. } in denials {
        let Denied { at, actor, via, action, target, reason } = denied;
        tracing::warn!(%error, %at, actor, via, action, target, reason, "a denial could not be kept");
    }
}

impl Store {
    /// Keeps a denial; returns once it is queued, and what becomes of it is the writer's concern.
    pub async fn deny(&self, denied: Denied) {
        let denial = Box::new(Denial { id: random::text("den"), denied });
        if let Err(refused) = self.inner.jobs.send(Job::Deny(denial)).await
            && let Job::Deny(denial) = refused.0
        {
            warn(&[*denial], &Unavailable::closed());
        }
    }

    /// The denials after one, oldest first, each with its id.
    pub async fn denials(
        &self,
        after: Option<(Timestamp, String)>,
        limit: usize,
    ) -> Result<Vec<(String, Denied)>, Unavailable> {
        let (at, id) = after.map_or((i64::MIN, String::new()), |(at, id)| (at.as_millis(), id));
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let args = vec![at.into(), id.into(), limit.into()];
        let rows = self.inner.engine.reader().await?.rows(AFTER, args).await?;
        rows.iter()
            .map(|row| {
                let denied = Denied {
                    at: Timestamp::from_millis(row.int(0)?),
                    actor: row.text(2)?,
                    via: row.text(3)?,
                    action: row.text(4)?,
                    target: row.text(5)?,
                    reason: row.text(6)?,
                };
                Ok((row.text(1)?, denied))
            })
            .collect()
    }
}
