//! Decisions for routes: asks the one decision, puts every denial on record, and says it over HTTP.

use std::sync::Arc;
use std::time::Duration;

use access::{Action, Caller, Denial, Directory, Permit, Target, decide};
use edge::Failure;
use http::StatusCode;
use model::Revision;
use storage::Denied;

use crate::failure::{denied, not_found};
use crate::state::Control;

/// How long a write that changes rights waits for this process to know of it.
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
        metrics::counter!("outfitter_denials_total", "action" => action.verb()).increment(1);
        let denied = Denied {
            at: (self.now)(),
            actor: caller.account.to_string(),
            via: caller.via.label(),
            action: action.relation().to_owned(),
            target: target.object().to_string(),
            reason: denial.reason().to_owned(),
        };
        self.gate.deny(denied).await;
    }

    /// Waits until this process decides by what was committed at `revision`.
    pub(crate) async fn decided_by(&self, revision: Revision) -> Result<(), Failure> {
        let mut directory = self.directory.clone();
        let known = directory.wait_for(|directory| directory.revision() >= revision);
        match tokio::time::timeout(KNOWN_WITHIN, known).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(Failure::new(
                StatusCode::SERVICE_UNAVAILABLE,
                format!("it was written, at revision {revision}, but this daemon does not decide by it yet"),
            )),
        }
    }
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
