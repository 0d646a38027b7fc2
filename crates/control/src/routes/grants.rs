//! `/api/v1/grants`: single rights to single things.

use access::{Action, Target, Tuple};
use axum::Json;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use edge::{Authenticated, Failure};
use http::StatusCode;
use model::ScopeName;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::target::{Address, resolve};
use super::{Conflicting, Done, Missing, Refused};
use crate::body::json;
use crate::operation::grant::{change, relation, subject};
use crate::params::Params;
use crate::state::Control;

/// A right to give.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewGrant {
    /// `view`, `use`, `edit`, `approve` or `use-secret`; `operate` for the platform.
    verb: String,
    /// The kind, such as `mcpserver`, or `platform`.
    kind: String,
    /// The name; none for the platform.
    name: Option<String>,
    /// The scope.
    #[schema(value_type = Option<String>)]
    scope: Option<ScopeName>,
    /// The organization.
    org: Option<String>,
    /// Whose, for something in another person's scope.
    owner: Option<String>,
    /// Who gets it: an account, `org:NAME` for its members or `org:NAME#admin` for its admins.
    to: String,
}

/// A right that was given.
#[derive(Serialize, ToSchema)]
#[schema(as = Grant)]
pub(super) struct GrantView {
    /// To what.
    object: String,
    /// Which relation.
    relation: String,
    /// Who has it.
    subject: String,
}

/// Rights that were given.
#[derive(Serialize, ToSchema)]
pub(super) struct Grants {
    items: Vec<GrantView>,
}

fn view(tuple: &Tuple) -> GrantView {
    GrantView {
        object: tuple.object.to_string(),
        relation: tuple.relation.clone(),
        subject: tuple.subject.to_string(),
    }
}

/// List grants on a thing
#[utoipa::path(get, path = "/api/v1/grants", operation_id = "listGrants", tag = "people",
    params(
        ("kind" = String, Query, description = "The kind, such as mcpserver, or platform"),
        ("name" = Option<String>, Query, description = "The name"),
        ("scope" = Option<String>, Query, description = "The scope"),
        ("org" = Option<String>, Query, description = "The organization"),
        ("owner" = Option<String>, Query, description = "Whose, for something in another person's scope"),
    ),
    responses((status = 200, description = "The grants on it", body = Grants), Refused, Missing))]
pub(super) async fn list(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    RawQuery(query): RawQuery,
) -> Result<Json<Grants>, Failure> {
    let params = Params::read(query.as_deref(), &Address::PARAMETERS, &[])?;
    let target = resolve(&control, &caller, Address::read(&params)?, true).await?;
    control.permit(&caller, Action::Grant, target.clone()).await?;
    let items = control.directory().grants(&target.object()).iter().map(view).collect();
    Ok(Json(Grants { items }))
}

/// Grant a right
#[utoipa::path(post, path = "/api/v1/grants", operation_id = "grant", tag = "people",
    request_body = NewGrant,
    responses((status = 201, description = "They have it", body = GrantView), Refused, Missing, Conflicting))]
pub(super) async fn grant(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    body: Body,
) -> Result<(StatusCode, Json<GrantView>), Failure> {
    let wanted: NewGrant = json(body).await?;
    let address = Address {
        kind: wanted.kind,
        name: wanted.name,
        scope: wanted.scope,
        org: wanted.org.as_deref().map(super::organizations::parse).transpose()?,
        owner: wanted.owner.as_deref().map(super::organizations::parse_account).transpose()?,
    };
    let target = resolve(&control, &caller, address, true).await?;
    let (relation, subject) = (relation(&wanted.verb, &target)?, subject(&wanted.to)?);
    change(&control, &caller, target.clone(), relation, subject.clone(), true).await?;
    let tuple = Tuple { object: target.object(), relation: relation.to_owned(), subject, condition: None };
    Ok((StatusCode::CREATED, Json(view(&tuple))))
}

/// Revoke a grant
#[utoipa::path(delete, path = "/api/v1/grants", operation_id = "revoke", tag = "people",
    params(
        ("verb" = String, Query, description = "What was granted"),
        ("kind" = String, Query, description = "The kind, such as mcpserver, or platform"),
        ("name" = Option<String>, Query, description = "The name"),
        ("scope" = Option<String>, Query, description = "The scope"),
        ("org" = Option<String>, Query, description = "The organization"),
        ("owner" = Option<String>, Query, description = "Whose, for something in another person's scope"),
        ("from" = String, Query, description = "Who had it: an account, or org:NAME"),
    ),
    responses((status = 200, description = "They no longer have it", body = Done), Refused, Missing, Conflicting))]
pub(super) async fn revoke(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    RawQuery(query): RawQuery,
) -> Result<Json<Done>, Failure> {
    let known: Vec<&str> = Address::PARAMETERS.into_iter().chain(["verb", "from"]).collect();
    let params = Params::read(query.as_deref(), &known, &[])?;
    let target: Target = resolve(&control, &caller, Address::read(&params)?, true).await?;
    let relation = relation(params.required("verb")?, &target)?;
    let subject = subject(params.required("from")?)?;
    change(&control, &caller, target, relation, subject, false).await?;
    Ok(Json(Done { done: true }))
}
