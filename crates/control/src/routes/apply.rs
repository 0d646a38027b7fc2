//! `POST /api/v1/apply`: any number of documents of any kind, all or nothing.

use axum::Json;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use edge::{Authenticated, Failure};
use http::HeaderMap;

use super::{Conflicting, Missing, Refused};
use crate::body::{APPLY_LIMIT, receive};
use crate::openapi;
use crate::operation::{self, Applying};
use crate::params::Params;
use crate::state::Control;
use crate::views::Written;

/// Apply many documents, all or none
#[utoipa::path(post, path = "/api/v1/apply", operation_id = "apply", tag = "resources",
    params(
        ("dry_run" = Option<bool>, Query, description = "Only say what would happen"),
        ("strict" = Option<bool>, Query, description = "Treat a reference to nothing as an error"),
    ),
    request_body(content((openapi::Batch = "application/json"), (String = "application/yaml")),
        description = "`{\"resources\": […]}`, a list, one document, or YAML documents"),
    responses((status = 200, description = "What changed, one result for each document", body = Written), Refused, Missing, Conflicting))]
pub(super) async fn apply(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Written>, Failure> {
    let params = Params::read(query.as_deref(), &["dry_run", "strict"], &[])?;
    let applying = Applying {
        dry_run: params.flag("dry_run")?,
        strict: params.flag("strict")?,
        owner: None,
        expected: None,
    };
    let received = receive(&control, &headers, body, APPLY_LIMIT).await?;
    operation::apply(&control, &caller, &received.documents, applying).await.map(Json)
}
