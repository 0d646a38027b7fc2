//! `GET /api/v1/denials`: who was refused what, and why.

use axum::Json;
use axum::extract::{RawQuery, State};
use edge::{Authenticated, Failure};
use model::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::Refused;
use crate::failure::{bad_request, unavailable};
use crate::params::Params;
use crate::state::Control;

const MAX_PAGE: usize = 1000;
const DEFAULT_PAGE: usize = 100;

/// Something that was refused.
#[derive(Serialize, ToSchema)]
pub(super) struct DenialView {
    at: String,
    /// Who wanted it.
    account: String,
    /// How they had proved who they are.
    via: String,
    /// The relation they lack.
    relation: String,
    /// To what.
    target: String,
    reason: String,
}

/// Denials, oldest first.
#[derive(Serialize, ToSchema)]
pub(super) struct Denials {
    items: Vec<DenialView>,
    /// Where the next page begins; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// List denials
#[utoipa::path(get, path = "/api/v1/denials", operation_id = "listDenials", tag = "daemon",
    params(
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1000, description = "Most of one page; 100 if left out"),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the page before"),
    ),
    responses((status = 200, description = "Oldest first", body = Denials), Refused))]
pub(super) async fn list(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    RawQuery(query): RawQuery,
) -> Result<Json<Denials>, Failure> {
    let permit = control.operate(&caller).await?;
    let params = Params::read(query.as_deref(), &["limit", "cursor"], &[])?;
    let limit = params.parsed::<usize>("limit")?.unwrap_or(DEFAULT_PAGE);
    if !(1..=MAX_PAGE).contains(&limit) {
        return Err(bad_request(format!("`limit` must be 1 to {MAX_PAGE}")));
    }
    let after = params.get("cursor").map(|text| {
        let (at, id) = text.split_once('.')?;
        Some((Timestamp::from_millis(at.parse().ok()?), id.to_owned()))
    });
    let after = match after {
        None => None,
        Some(Some(after)) => Some(after),
        Some(None) => return Err(bad_request("`cursor` is not one of ours; begin with the first page")),
    };
    let rows = control.gate.denials(&permit, after, limit).await.map_err(|error| unavailable(&error))?;
    let full = rows.len() == limit;
    let last = rows.last().filter(|_| full);
    let next_cursor = last.map(|(id, denied)| format!("{}.{id}", denied.at.as_millis()));
    let items = rows
        .into_iter()
        .map(|(_, denied)| DenialView {
            at: denied.at.to_string(),
            account: denied.actor,
            via: denied.via,
            relation: denied.action,
            target: denied.target,
            reason: denied.reason,
        })
        .collect();
    Ok(Json(Denials { items, next_cursor }))
}
