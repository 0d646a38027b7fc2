//! What the REST API answers.

use model::{FieldChange, Kind, Organization, Outcome, Problem};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

/// What a write did.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Written {
    /// The revision after it.
    pub(crate) revision: i64,
    /// One for each document, in their order.
    pub(crate) results: Vec<WriteResult>,
}

/// What a write did to one resource.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WriteResult {
    /// Its kind.
    #[schema(value_type = String)]
    pub(crate) kind: Kind,
    /// Its name.
    pub(crate) name: String,
    /// Its scope.
    pub(crate) scope: &'static str,
    /// Its organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(crate) org: Option<Organization>,
    /// The commit that last changed it; absent when it is gone or the write was a rehearsal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) revision: Option<i64>,
    /// `created`, `updated`, `unchanged` or `deleted`.
    #[schema(value_type = String)]
    pub(crate) outcome: Outcome,
    /// The fields that changed; a secret's value shows as `(secret)`.
    #[schema(value_type = Vec<FieldChangeView>)]
    pub(crate) changes: Vec<FieldChange>,
    /// What is worth a look.
    #[schema(value_type = Vec<ProblemView>)]
    pub(crate) warnings: Vec<Problem>,
}

/// One field that changed.
#[derive(ToSchema)]
#[schema(as = FieldChange)]
#[expect(dead_code, reason = "describes model::FieldChange")]
pub(crate) struct FieldChangeView {
    /// The field.
    path: String,
    /// What it was.
    from: Option<Json>,
    /// What it is.
    to: Option<Json>,
}

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Page {
    /// The resources, ordered by name and scope.
    #[schema(value_type = Vec<ResourceView>)]
    pub(crate) items: Vec<Json>,
    /// Where the next page begins; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_cursor: Option<String>,
    /// The revision the page was read at.
    pub(crate) revision: i64,
}

/// A resource as it is stored; its secrets' values are never shown.
#[derive(ToSchema)]
#[schema(as = StoredResource)]
#[expect(dead_code, reason = "describes what model::manifest::present writes")]
pub(crate) struct ResourceView {
    #[serde(rename = "apiVersion")]
    #[schema(rename = "apiVersion")]
    api_version: String,
    kind: String,
    #[schema(value_type = Object)]
    metadata: Json,
    #[schema(value_type = Object)]
    spec: Json,
    #[schema(value_type = Object)]
    status: Json,
}

/// The one shape of errors.
#[derive(ToSchema)]
#[schema(as = Error)]
#[expect(dead_code, reason = "describes edge::Failure")]
pub(crate) struct ErrorView {
    /// What happened and what to do.
    error: String,
    /// What is wrong in the input.
    problems: Vec<ProblemView>,
}

/// Something wrong with a document, or worth a look.
#[derive(ToSchema)]
#[schema(as = Problem)]
#[expect(dead_code, reason = "describes model::Problem")]
pub(crate) struct ProblemView {
    /// `error` or `warning`.
    severity: String,
    /// Which document of the request, from 0.
    document: usize,
    /// The field.
    path: Option<String>,
    /// What is wrong.
    message: String,
    /// What to do.
    hint: Option<String>,
    /// Line in the body, from 1.
    line: Option<u32>,
    /// Column in the body, from 1.
    column: Option<u32>,
}

/// A changed key-encryption key.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Rotation {
    /// The key now in use.
    pub(crate) key_id: String,
    /// How many secrets were wrapped again.
    pub(crate) rewrapped: u64,
}

/// Who is calling.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WhoAmI {
    /// The account.
    pub(crate) account: String,
    /// Whether it operates the platform.
    pub(crate) operator: bool,
    /// How they proved it: `socket`, `token`, `token ID` or `oidc`.
    pub(crate) via: String,
    /// Whether their token is for reading only.
    pub(crate) read_only: bool,
    /// The organization or agent that their token is for; absent without such a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) within: Option<String>,
    /// When their credential ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<String>,
    /// The daemon's version.
    pub(crate) version: &'static str,
}

/// How the daemon is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`, or why not.
    pub(crate) status: String,
}
