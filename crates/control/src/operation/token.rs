//! Tokens: made, listed and revoked. The text is shown once and kept nowhere.

use access::{Action, AgentAddress, Caller, Denial, Permit, Reach, Target, TokenRecord, Via, Within, decide};
use edge::{Failure, token};
use http::StatusCode;
use model::{Account, Collection, Timestamp};
use storage::{Presence, RecordEdit};

use super::organization::commit;
use crate::failure::{bad_request, denied};
use crate::gate::Permitted;
use crate::state::Control;

/// What a token shall be.
pub(crate) struct Wanted {
    pub(crate) account: Account,
    pub(crate) label: String,
    pub(crate) reach: Reach,
    pub(crate) expires_at: Option<Timestamp>,
}

/// A token just made.
pub(crate) struct Made {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) record: TokenRecord,
}

/// Leave to make tokens for an account.
pub(crate) async fn leave(control: &Control, caller: &Caller, account: &Account) -> Result<Permit, Failure> {
    let target = Target::Account(account.clone());
    if !caller.reach.is_whole() {
        let denial = Denial::Forbidden {
            account: caller.account.clone(),
            verb: "make tokens",
            scope: "identity_account".to_owned(),
            reason: "the token is narrowed, and may not make others".to_owned(),
        };
        control.record(caller, Action::Edit, &target, &denial).await;
        return Err(denied(&denial));
    }
    control.permit(caller, Action::Edit, target).await
}

/// Makes a token. One that a token makes ends with it at the latest.
pub(crate) async fn create(
    control: &Control,
    caller: &Caller,
    permit: &Permit,
    wanted: Wanted,
) -> Result<Made, Failure> {
    let at = (control.now)();
    let limit = caller.expires_at.filter(|_| matches!(caller.via, Via::Token(_)));
    let expires_at = wanted.expires_at.into_iter().chain(limit).min();
    if wanted.expires_at.is_some_and(|expiry| expiry <= at) {
        return Err(bad_request("the token would have expired already"));
    }
    let minted = token::mint().map_err(|error| {
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, format!("no random numbers: {error}"))
    })?;
    let record = TokenRecord {
        account: wanted.account,
        digest: minted.digest,
        label: wanted.label,
        reach: wanted.reach,
        created_at: at,
        created_by: caller.account.clone(),
        expires_at,
        revoked_at: None,
    };
    let edit = RecordEdit {
        collection: Collection::Token,
        id: minted.id.clone(),
        belongs: None,
        body: Some(serde_json::to_value(&record).expect("names and times are JSON")),
        expected: Presence::Absent,
    };
    commit(control, permit, vec![Permitted::token(permit, &record.account, edit)]).await?;
    Ok(Made { id: minted.id, text: minted.text, record })
}

/// Ends a token; its next use is refused.
pub(crate) async fn revoke(control: &Control, caller: &Caller, id: &str) -> Result<(), Failure> {
    let missing =
        || Failure::new(StatusCode::NOT_FOUND, format!("token `{}` does not exist", id.escape_debug()));
    let token = control.directory().token(id).cloned().ok_or_else(missing)?;
    let owner = token.account.clone();
    let target = Target::Account(owner.clone());
    if let Err(denial) = decide(&control.directory(), caller, Action::Edit, target.clone()) {
        control.record(caller, Action::Edit, &target, &denial).await;
        // Its holder may see that they may not; to others there is no such token.
        return Err(if caller.account == owner { denied(&denial) } else { missing() });
    }
    let permit = control.permit(caller, Action::Edit, target).await?;
    let edit = RecordEdit {
        collection: Collection::Token,
        id: id.to_owned(),
        belongs: None,
        body: Some(
            serde_json::to_value(TokenRecord { revoked_at: Some((control.now)()), ..token })
                .expect("names and times are JSON"),
        ),
        expected: Presence::Present,
    };
    commit(control, &permit, vec![Permitted::token(&permit, &owner, edit)]).await
}

/// The reach that a request describes.
pub(crate) async fn reach(
    control: &Control,
    caller: &Caller,
    read_only: bool,
    org: Option<model::Organization>,
    agent: Option<model::Key>,
) -> Result<Reach, Failure> {
    let within = match (org, agent) {
        (None, None) => Within::Everything,
        (Some(org), None) => {
            control.permit(caller, Action::View, Target::Organization(org.clone())).await?;
            if !control.directory().has_organization(&org) {
                return Err(crate::authority::no_organization(&org));
            }
            Within::Organization(org)
        }
        (_, Some(agent)) => Within::Agent(AgentAddress::of(&agent)),
    };
    Ok(Reach { read_only, within })
}
