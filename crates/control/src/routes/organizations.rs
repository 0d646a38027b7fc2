//! `/api/v1/organizations`: who works together.

use access::{Action, Target, decide, organization};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use edge::{Authenticated, Failure};
use http::StatusCode;
use model::{Account, Organization};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Conflicting, Missing, Refused};
use crate::authority::no_organization;
use crate::body::json;
use crate::failure::bad_request;
use crate::operation::organization::{self as operation, Role, people, roles};
use crate::params::Segments;
use crate::state::Control;

/// An organization to make.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewOrganization {
    /// Its name: lower case letters, digits and hyphens.
    #[schema(value_type = String, pattern = "^[a-z][a-z0-9-]{0,62}$")]
    name: String,
}

/// A role to give.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Membership {
    /// `member` or `admin`.
    role: Role,
}

/// An organization.
#[derive(Serialize, ToSchema)]
#[schema(as = Organization)]
pub(super) struct OrganizationView {
    name: String,
    /// The caller's role in it; absent for operators who are not in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<Role>,
    /// Who may change it.
    admins: Vec<String>,
    /// Who else belongs to it.
    members: Vec<String>,
    created_at: String,
    created_by: String,
}

/// The organizations that a caller may see.
#[derive(Serialize, ToSchema)]
pub(super) struct Organizations {
    items: Vec<OrganizationView>,
}

fn view(control: &Control, org: &Organization, caller: &Account) -> Option<OrganizationView> {
    let directory = control.directory();
    let (_, record) = directory.organizations().find(|(name, _)| *name == org)?;
    let grants = directory.grants(&organization(org));
    Some(OrganizationView {
        name: org.to_string(),
        role: roles(&grants, caller).pop(),
        admins: people(&grants, Role::Admin),
        members: people(&grants, Role::Member),
        created_at: record.created_at.to_string(),
        created_by: record.created_by.to_string(),
    })
}

pub(super) fn parse(name: &str) -> Result<Organization, Failure> {
    name.parse().map_err(|error| bad_request(format!("the organization's name {error}")))
}

pub(super) fn parse_account(name: &str) -> Result<Account, Failure> {
    name.parse().map_err(|error| bad_request(format!("the account's name: {error}")))
}

/// List organizations
#[utoipa::path(get, path = "/api/v1/organizations", operation_id = "listOrganizations", tag = "people",
    responses((status = 200, description = "Those the caller belongs to; all for operators", body = Organizations), Refused))]
pub(super) async fn list(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
) -> Json<Organizations> {
    let directory = control.directory();
    let seen = |org: &&Organization| {
        decide(&directory, &caller, Action::View, Target::Organization((*org).clone())).is_ok()
    };
    let names: Vec<&Organization> = directory.organizations().map(|(org, _)| org).filter(seen).collect();
    Json(Organizations {
        items: names.into_iter().filter_map(|org| view(&control, org, &caller.account)).collect(),
    })
}

/// Make an organization
#[utoipa::path(post, path = "/api/v1/organizations", operation_id = "createOrganization", tag = "people",
    request_body = NewOrganization,
    responses((status = 201, description = "It exists, and its maker is an admin of it", body = OrganizationView), Refused, Conflicting))]
pub(super) async fn create(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    body: Body,
) -> Result<(StatusCode, Json<OrganizationView>), Failure> {
    let wanted: NewOrganization = json(body).await?;
    let org = parse(&wanted.name)?;
    operation::create(&control, &caller, &org).await?;
    let made = view(&control, &org, &caller.account).ok_or_else(|| no_organization(&org))?;
    Ok((StatusCode::CREATED, Json(made)))
}

/// Get an organization
#[utoipa::path(get, path = "/api/v1/organizations/{org}", operation_id = "getOrganization", tag = "people",
    params(("org" = String, Path, description = "Its name")),
    responses((status = 200, description = "The organization and its people", body = OrganizationView), Refused, Missing))]
pub(super) async fn get(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    Segments(org): Segments<String>,
) -> Result<Json<OrganizationView>, Failure> {
    let org = parse(&org)?;
    control.permit(&caller, Action::View, Target::Organization(org.clone())).await?;
    view(&control, &org, &caller.account).map(Json).ok_or_else(|| no_organization(&org))
}

/// Add a member, or change their role
#[utoipa::path(put, path = "/api/v1/organizations/{org}/members/{account}", operation_id = "addMember", tag = "people",
    params(("org" = String, Path, description = "The organization"), ("account" = String, Path, description = "The account")),
    request_body = Membership,
    responses((status = 200, description = "They belong to it", body = OrganizationView), Refused, Missing, Conflicting))]
pub(super) async fn add_member(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    Segments((org, account)): Segments<(String, String)>,
    body: Body,
) -> Result<Json<OrganizationView>, Failure> {
    let (org, account) = (parse(&org)?, parse_account(&account)?);
    let wanted: Membership = json(body).await?;
    operation::add_member(&control, &caller, &org, &account, wanted.role).await?;
    view(&control, &org, &caller.account).map(Json).ok_or_else(|| no_organization(&org))
}

/// Remove a member
#[utoipa::path(delete, path = "/api/v1/organizations/{org}/members/{account}", operation_id = "removeMember", tag = "people",
    params(("org" = String, Path, description = "The organization"), ("account" = String, Path, description = "The account")),
    responses((status = 200, description = "They no longer belong to it", body = super::Done), Refused, Missing))]
pub(super) async fn remove_member(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    Segments((org, account)): Segments<(String, String)>,
) -> Result<Json<super::Done>, Failure> {
    let (org, account) = (parse(&org)?, parse_account(&account)?);
    operation::remove_member(&control, &caller, &org, &account).await?;
    Ok(Json(super::Done { done: true }))
}
