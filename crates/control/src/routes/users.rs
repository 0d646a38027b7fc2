//! `/api/v1/users`: the accounts that were made here.

use access::{AccountRecord, Action, Directory, Target, decide};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use edge::{Authenticated, Failure};
use http::StatusCode;
use model::{Account, Collection};
use serde::{Deserialize, Serialize};
use storage::{Presence, RecordEdit};
use utoipa::ToSchema;

use super::organizations::parse_account;
use super::{Conflicting, Refused};
use crate::body::json;
use crate::failure::bad_request;
use crate::gate::{Draft, Permitted};
use crate::operation::organization::commit_draft;
use crate::state::Control;

const MAX_SUBJECT: usize = 256;

/// An account to make.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewUser {
    /// Its name: letters, digits, `.`, `_`, `@` and `-`.
    #[schema(value_type = String, pattern = "^[A-Za-z0-9._@-]{1,128}$")]
    name: String,
    /// What the OIDC issuer calls this person, if it is not the name.
    oidc_subject: Option<String>,
}

/// An account.
#[derive(Serialize, ToSchema)]
#[schema(as = User)]
pub(super) struct UserView {
    name: String,
    /// Whether they operate the platform.
    operator: bool,
    /// What the OIDC issuer calls them.
    #[serde(skip_serializing_if = "Option::is_none")]
    oidc_subject: Option<String>,
    created_at: String,
    created_by: String,
}

/// Accounts, by name.
#[derive(Serialize, ToSchema)]
pub(super) struct Users {
    items: Vec<UserView>,
}

fn view(control: &Control, name: &Account, record: &AccountRecord) -> UserView {
    let who = access::Caller::new(name.clone(), access::Via::Socket);
    UserView {
        name: name.to_string(),
        operator: decide(&control.directory(), &who, Action::Operate, Target::Platform).is_ok(),
        oidc_subject: record.subject.clone(),
        created_at: record.created_at.to_string(),
        created_by: record.created_by.to_string(),
    }
}

/// List accounts
#[utoipa::path(get, path = "/api/v1/users", operation_id = "listUsers", tag = "people",
    responses((status = 200, description = "The caller's own account; all for operators", body = Users), Refused))]
pub(super) async fn list(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
) -> Json<Users> {
    let directory = control.directory();
    let seen =
        |name: &Account| decide(&directory, &caller, Action::View, Target::Account(name.clone())).is_ok();
    let accounts = directory.accounts().filter(|(name, _)| seen(name));
    Json(Users { items: accounts.map(|(name, record)| view(&control, name, record)).collect() })
}

/// Make an account
#[utoipa::path(post, path = "/api/v1/users", operation_id = "createUser", tag = "people",
    request_body = NewUser,
    responses((status = 201, description = "It exists", body = UserView), Refused, Conflicting))]
pub(super) async fn create(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    body: Body,
) -> Result<(StatusCode, Json<UserView>), Failure> {
    let wanted: NewUser = json(body).await?;
    let name = parse_account(&wanted.name)?;
    let permit = control.operate(&caller).await?;
    let subject = wanted.oidc_subject.filter(|subject| !subject.is_empty());
    if subject
        .as_ref()
        .is_some_and(|subject| subject.len() > MAX_SUBJECT || subject.contains(char::is_control))
    {
        return Err(bad_request("`oidc_subject` must be plain text of at most 256 bytes"));
    }
    let at = (control.now)();
    let record = AccountRecord { created_at: at, created_by: caller.account.clone(), subject, local: false };
    let edit = RecordEdit {
        collection: Collection::Account,
        id: name.to_string(),
        belongs: None,
        body: Some(serde_json::to_value(&record).expect("names and times are JSON")),
        expected: Presence::Absent,
    };
    let draft = Draft::new(&permit, at, vec![Permitted::operate(&permit, edit)]);
    let subject = record.subject.clone();
    let free = move |directory: &Directory| {
        let taken = directory.accounts().any(|(_, known)| subject.is_some() && known.subject == subject);
        let message = "another account has that `oidc_subject`";
        if taken { Err(Failure::new(StatusCode::CONFLICT, message)) } else { Ok(()) }
    };
    commit_draft(&control, draft.provided(Box::new(free))).await?;
    Ok((StatusCode::CREATED, Json(view(&control, &name, &record))))
}
