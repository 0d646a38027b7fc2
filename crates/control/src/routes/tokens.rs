//! `/api/v1/tokens`: bearer tokens, each shown once when it is made.

use access::{Action, Permit, Target, TokenRecord, Within, decide};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use edge::{Authenticated, Failure};
use http::StatusCode;
use model::{Key, Kind, Name, ScopeName, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::organizations::{parse, parse_account};
use super::{Conflicting, Done, Missing, Refused};
use crate::body::json;
use crate::failure::{bad_request, unavailable};
use crate::operation::token::{self as operation, Wanted};
use crate::params::{Segments, scopes};
use crate::state::Control;

const MAX_LABEL: usize = 100;
/// Longest life of a token that ends, in seconds: ten years.
const MAX_LIFE: u64 = 10 * 365 * 24 * 3600;

/// A token to make.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewToken {
    /// Whose it is; left out: the caller's own.
    account: Option<String>,
    /// What to call it.
    #[serde(default)]
    label: String,
    /// For reading only.
    #[serde(default)]
    read_only: bool,
    /// For this organization only.
    org: Option<String>,
    /// For this agent only: its name, looked up like any other.
    agent: Option<String>,
    /// The agent's scope.
    #[schema(value_type = Option<String>)]
    agent_scope: Option<ScopeName>,
    /// The agent's organization.
    agent_org: Option<String>,
    /// When it ends, in seconds from now; left out: never.
    #[schema(minimum = 1, maximum = 315_360_000)]
    expires_in: Option<u64>,
}

/// A token, without its text.
#[derive(Serialize, ToSchema)]
#[schema(as = Token)]
pub(super) struct TokenView {
    id: String,
    account: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    label: String,
    read_only: bool,
    /// The one organization it is good for.
    #[serde(skip_serializing_if = "Option::is_none")]
    org: Option<String>,
    /// The one agent it is good for.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    created_at: String,
    created_by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

/// A token just made.
#[derive(Serialize, ToSchema)]
pub(super) struct MadeToken {
    /// What to send as `Authorization: Bearer …`. It is not shown again.
    token: String,
    #[serde(flatten)]
    made: TokenView,
}

/// Tokens, by id.
#[derive(Serialize, ToSchema)]
pub(super) struct Tokens {
    items: Vec<TokenView>,
}

fn view(id: &str, record: &TokenRecord) -> TokenView {
    let (org, agent) = match &record.reach.within {
        Within::Everything => (None, None),
        Within::Organization(org) => (Some(org.to_string()), None),
        Within::Agent(agent) => (None, agent.key().map(|key| key.to_string())),
    };
    TokenView {
        id: id.to_owned(),
        account: record.account.to_string(),
        label: record.label.clone(),
        read_only: record.reach.read_only,
        org,
        agent,
        created_at: record.created_at.to_string(),
        created_by: record.created_by.to_string(),
        expires_at: record.expires_at.map(|at| at.to_string()),
    }
}

/// List tokens
#[utoipa::path(get, path = "/api/v1/tokens", operation_id = "listTokens", tag = "people",
    responses((status = 200, description = "The caller's own; all for operators", body = Tokens), Refused))]
pub(super) async fn list(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
) -> Json<Tokens> {
    let directory = control.directory();
    let seen = |owner: &model::Account| {
        decide(&directory, &caller, Action::View, Target::Account(owner.clone())).is_ok()
    };
    let tokens = directory.tokens().filter(|(_, record)| seen(&record.account));
    Json(Tokens { items: tokens.map(|(id, record)| view(id, record)).collect() })
}

/// Make a token
#[utoipa::path(post, path = "/api/v1/tokens", operation_id = "createToken", tag = "people",
    request_body = NewToken,
    responses((status = 201, description = "The token; its text is not shown again", body = MadeToken), Refused, Missing, Conflicting))]
pub(super) async fn create(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    body: Body,
) -> Result<(StatusCode, Json<MadeToken>), Failure> {
    let wanted: NewToken = json(body).await?;
    let account = wanted.account.as_deref().map_or(Ok(caller.account.clone()), parse_account)?;
    if wanted.label.len() > MAX_LABEL || wanted.label.contains(char::is_control) {
        return Err(bad_request("`label` must be plain text of at most 100 bytes"));
    }
    if wanted.org.is_some() && wanted.agent.is_some() {
        return Err(bad_request("a token is for one `org` or for one `agent`, not both"));
    }
    let expires_at = match wanted.expires_in {
        None => None,
        Some(seconds) if (1..=MAX_LIFE).contains(&seconds) => {
            let millis = i64::try_from(seconds * 1000).unwrap_or(i64::MAX);
            Some(Timestamp::from_millis((control.now)().as_millis().saturating_add(millis)))
        }
        Some(_) => return Err(bad_request("`expires_in` must be 1 to 315360000 seconds")),
    };
    let permit = operation::leave(&control, &caller, &account).await?;
    let agent = match &wanted.agent {
        Some(name) => Some(agent(&control, &account, name, &wanted).await?),
        None => None,
    };
    let org = wanted.org.as_deref().map(parse).transpose()?;
    let reach = operation::reach(&control, &caller, wanted.read_only, org, agent).await?;
    let wanted = Wanted { account, label: wanted.label, reach, expires_at };
    let made = operation::create(&control, &caller, &permit, wanted).await?;
    let view = view(&made.id, &made.record);
    Ok((StatusCode::CREATED, Json(MadeToken { token: made.text, made: view })))
}

/// The agent that a token shall be for, as its holder would look it up. It must exist.
async fn agent(
    control: &Control,
    holder: &model::Account,
    name: &str,
    wanted: &NewToken,
) -> Result<Key, Failure> {
    let name: Name = name.parse().map_err(|error| bad_request(format!("the agent's name {error}")))?;
    let org = wanted.agent_org.as_deref().map(parse).transpose()?;
    let keys = scopes(wanted.agent_scope, org, None, holder)?.into_iter().map(|scope| Key {
        kind: Kind::Agent,
        name: name.clone(),
        scope,
    });
    let keys: Vec<Key> = keys.collect();
    // The token will be its holder's, who may see other agents than its maker.
    let caller = access::Caller::new(holder.clone(), access::Via::Socket);
    let missing = crate::failure::not_found(&keys[0]);
    let seen = |key| decide(&control.directory(), &caller, Action::View, Target::Resource(key)).ok();
    let permits: Vec<Permit> = keys.into_iter().filter_map(seen).collect();
    let found = control.gate.first(&permits).await.map_err(|error| unavailable(&error))?;
    found.map(|stored| stored.key).ok_or(missing)
}

/// Revoke a token
#[utoipa::path(delete, path = "/api/v1/tokens/{id}", operation_id = "revokeToken", tag = "people",
    params(("id" = String, Path, description = "Its id, such as tok_1f2e3d4c5b6a7980")),
    responses((status = 200, description = "Its next use is refused", body = Done), Refused, Missing))]
pub(super) async fn revoke(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    Segments(id): Segments<String>,
) -> Result<Json<Done>, Failure> {
    operation::revoke(&control, &caller, &id).await?;
    Ok(Json(Done { done: true }))
}
