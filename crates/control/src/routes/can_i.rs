//! `GET /api/v1/can-i`: whether someone may do something, and which relations decide it.

use access::{Action, Caller, Reason, Target, decide, explain, organization};
use axum::Json;
use axum::extract::{RawQuery, State};
use edge::{Authenticated, Failure};
use http::StatusCode;
use model::{Account, Organization};
use serde::Serialize;
use utoipa::ToSchema;

use super::target::{Address, resolve};
use super::{Missing, Refused};
use crate::failure::bad_request;
use crate::operation::organization::roles;
use crate::params::Params;
use crate::state::Control;

/// The answer.
#[derive(Serialize, ToSchema)]
pub(super) struct Verdict {
    /// Whether they may.
    allowed: bool,
    /// Who.
    account: String,
    /// The relation that would give it.
    relation: String,
    /// To what.
    target: String,
    /// Why not; absent when they may.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The relations that decide, from the target down; empty when they may not.
    path: Vec<Step>,
}

/// One relation of the path.
#[derive(Serialize, ToSchema)]
pub(super) struct Step {
    object: String,
    relation: String,
    /// What gives it, in words.
    because: String,
}

fn step(reason: &Reason) -> Step {
    Step {
        object: reason.object.to_string(),
        relation: reason.relation.clone(),
        because: reason.because.to_string(),
    }
}

/// Ask whether something is allowed
#[utoipa::path(get, path = "/api/v1/can-i", operation_id = "canI", tag = "people",
    params(
        ("verb" = String, Query, description = "view, use, edit, delete, spawn, use-secret, approve, grant or operate"),
        ("kind" = String, Query, description = "The kind, such as mcpserver, organization or platform"),
        ("name" = Option<String>, Query, description = "The name; none for the platform"),
        ("scope" = Option<String>, Query, description = "The scope"),
        ("org" = Option<String>, Query, description = "The organization"),
        ("owner" = Option<String>, Query, description = "Whose, for something in another person's scope"),
        ("as" = Option<String>, Query, description = "Ask for this account; for operators, and for admins about members of their organization"),
    ),
    responses((status = 200, description = "The answer", body = Verdict), Refused, Missing))]
pub(super) async fn can_i(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    RawQuery(query): RawQuery,
) -> Result<Json<Verdict>, Failure> {
    let known: Vec<&str> = Address::PARAMETERS.into_iter().chain(["verb", "as"]).collect();
    let params = Params::read(query.as_deref(), &known, &[])?;
    let action: Action = params
        .required("verb")?
        .parse()
        .map_err(|error: access::UnknownAction| bad_request(error.to_string()))?;
    let target = resolve(&control, &caller, Address::read(&params)?, false).await?;
    let asked: Option<Account> = params.parsed("as")?;
    let (who, whole) = match asked {
        Some(other) if other != caller.account => {
            let whole = may_ask_for(&control, &caller, &other, &target).await?;
            (Caller::new(other, access::Via::Socket), whole)
        }
        _ => (caller, true),
    };
    let mut verdict = answer(&control, &who, action, &target);
    if !whole {
        verdict.path.clear();
    }
    Ok(Json(verdict))
}

/// Operators may ask for anyone; admins of an organization, for its members about what is the organization's. Whether they may
/// know the path too.
async fn may_ask_for(
    control: &Control,
    caller: &Caller,
    other: &Account,
    target: &Target,
) -> Result<bool, Failure> {
    let directory = control.directory();
    let account = Target::Account(other.clone());
    let Err(denial) = decide(&directory, caller, Action::View, account.clone()) else { return Ok(true) };
    let org = match target {
        Target::Organization(org) => Some(org),
        Target::Resource(key) => key.scope.organization(),
        Target::Account(_) | Target::Platform => None,
    };
    let runs = |org: &Organization| {
        let member = !roles(&directory.grants(&organization(org)), other).is_empty();
        member && decide(&directory, caller, Action::Grant, Target::Organization(org.clone())).is_ok()
    };
    if org.is_some_and(runs) {
        return Ok(false);
    }
    control.record(caller, Action::View, &account, &denial).await;
    let message = "not allowed: only operators ask for others, and admins for members of their organization";
    Err(Failure::new(StatusCode::FORBIDDEN, message))
}

fn answer(control: &Control, who: &Caller, action: Action, target: &Target) -> Verdict {
    let directory = control.directory();
    let decision = decide(&directory, who, action, target.clone());
    let path = match &decision {
        Ok(_) => explain(&directory, &who.account, action, target).iter().map(step).collect(),
        Err(_) => Vec::new(),
    };
    Verdict {
        allowed: decision.is_ok(),
        account: who.account.to_string(),
        relation: action.relation().to_owned(),
        target: target.object().to_string(),
        reason: decision.err().map(|denial| denial.reason().to_owned()),
        path,
    }
}
