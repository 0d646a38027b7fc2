//! Decisions for routes: asks the one decision, puts every denial on record, and says it over HTTP.

use std::sync::Arc;
use std::time::Duration;

use access::{Action, Caller, Denial, Directory, Permit, Target, Via, decide};
use edge::Failure;
use http::StatusCode;
use model::{Account, Revision};
use storage::{CommitError, Committed, Denied};

use tokio::sync::watch;

use crate::failure::{denied, not_found};
use crate::gate::Draft;
use crate::state::Control;

/// How often leave for something long is looked at again.
const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// How often a write is decided on anew, while rights change under it.
const MOST_DECISIONS: usize = 100;
/// How long a write or a stream waits for this process to know of a change of rights.
const KNOWN_WITHIN: Duration = Duration::from_secs(10);

impl Control {
    /// What decisions rest on now.
    pub(crate) fn directory(&self) -> Arc<Directory> {
        Arc::clone(&self.directory.borrow())
    }

    /// Leave for `caller` to do `action`, or the failure to answer with.
    pub(crate) async fn permit(
        &self,
        caller: &Caller,
        action: Action,
        target: Target,
    ) -> Result<Permit, Failure> {
        let decision = decide(&self.directory(), caller, action, target.clone());
        match decision {
            Ok(permit) => Ok(permit),
            Err(denial) => {
                self.record(caller, action, &target, &denial).await;
                Err(said(&denial, &target))
            }
        }
    }

    /// Leave to look after the daemon itself.
    pub(crate) async fn operate(&self, caller: &Caller) -> Result<Permit, Failure> {
        self.permit(caller, Action::Operate, Target::Platform).await
    }

    /// Puts a denial on record, with its reason.
    pub(crate) async fn record(&self, caller: &Caller, action: Action, target: &Target, denial: &Denial) {
        self.put_on_record((&caller.account, &caller.via), action, target, denial).await;
    }

    /// The same for leave that was lost before it was used.
    async fn record_of(&self, permit: &Permit, denial: &Denial) {
        self.put_on_record((permit.account(), permit.via()), permit.action(), permit.target(), denial).await;
    }

    async fn put_on_record(
        &self,
        (account, via): (&Account, &Via),
        action: Action,
        target: &Target,
        denial: &Denial,
    ) {
        metrics::counter!("outfitter_denials_total", "action" => action.verb()).increment(1);
        let denied = Denied {
            at: (self.now)(),
            actor: account.to_string(),
            via: via.label(),
            action: action.relation().to_owned(),
            target: target.object().to_string(),
            reason: denial.reason().to_owned(),
        };
        self.gate.deny(denied).await;
    }

    /// Commits a draft. Where rights changed after it was decided on, it is decided on again, so that nothing is written that was
    /// no longer allowed when it was written.
    pub(crate) async fn commit(&self, mut draft: Draft) -> Result<Result<Committed, CommitError>, Failure> {
        for _ in 0..MOST_DECISIONS {
            draft.holds(&self.directory())?;
            let records = match self.gate.commit(&draft).await {
                Err(CommitError::Outdated { records }) => records,
                done => {
                    if let Ok(committed) = &done
                        && !committed.records.is_empty()
                    {
                        self.decided_by(committed.revision).await?;
                    }
                    return Ok(done);
                }
            };
            self.decided_by(records).await?;
            if let Err(lost) = draft.decide_again(&self.directory(), (self.now)()) {
                let (permit, denial) = *lost;
                self.record_of(&permit, &denial).await;
                return Err(said(&denial, permit.target()));
            }
        }
        Err(Failure::new(StatusCode::SERVICE_UNAVAILABLE, "rights change too fast to decide; try again"))
    }

    /// Waits until leave that was given no longer holds.
    pub(crate) async fn lost(&self, permit: &Permit) {
        let mut directory = self.directory.clone();
        loop {
            let now = Arc::clone(&directory.borrow_and_update());
            if permit.again(&now, (self.now)()).is_err() {
                return;
            }
            // Credentials also end by the clock.
            let changed = tokio::time::timeout(LOOK_AGAIN, directory.changed()).await;
            if matches!(changed, Ok(Err(_))) {
                return;
            }
        }
    }

    /// Waits until this process decides by what was committed at `revision`.
    pub(crate) async fn decided_by(&self, revision: Revision) -> Result<(), Failure> {
        if comes_to_know(self.directory.clone(), revision).await {
            return Ok(());
        }
        let message =
            format!("it was written, at revision {revision}, but this daemon does not decide by it yet");
        Err(Failure::new(StatusCode::SERVICE_UNAVAILABLE, message))
    }
}

/// Waits until the directory has reached a commit; whether it has in time.
pub(crate) async fn comes_to_know(
    mut directory: watch::Receiver<Arc<Directory>>,
    revision: Revision,
) -> bool {
    let known = directory.wait_for(|directory| directory.revision() >= revision);
    tokio::time::timeout(KNOWN_WITHIN, known).await.is_ok_and(|known| known.is_ok())
}

/// A denial over HTTP: what may not be seen answers like what does not exist.
fn said(denial: &Denial, target: &Target) -> Failure {
    match (denial, target) {
        (Denial::Hidden { .. }, Target::Organization(org)) => no_organization(org),
        (Denial::Hidden { .. }, Target::Account(account)) => no_account(account),
        (Denial::Hidden { .. }, Target::Resource(key)) => not_found(key),
        _ => denied(denial),
    }
}

/// No such organization.
pub(crate) fn no_organization(org: &model::Organization) -> Failure {
    Failure::new(StatusCode::NOT_FOUND, format!("organization `{org}` does not exist"))
}

/// No such account.
pub(crate) fn no_account(account: &model::Account) -> Failure {
    Failure::new(StatusCode::NOT_FOUND, format!("account `{account}` does not exist"))
}
