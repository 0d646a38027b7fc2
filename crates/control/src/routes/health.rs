//! `/healthz`, `/readyz` and `/metrics`: for those who look after the daemon.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use edge::{Authenticated, Failure};
use http::header;

use super::Refused;
use crate::failure::unavailable;
use crate::state::Control;
use crate::views::{ErrorView, Health};

/// Say that the process runs
#[utoipa::path(get, path = "/healthz", operation_id = "healthz", tag = "daemon", security(()),
    responses((status = 200, description = "It runs", body = Health),
        (status = 401, description = "A token was sent and is wrong", body = ErrorView)))]
pub(super) async fn healthz() -> Json<Health> {
    Json(Health { status: "ok".to_owned() })
}

/// Say whether requests can be served
#[utoipa::path(get, path = "/readyz", operation_id = "readyz", tag = "daemon", security(()),
    responses((status = 200, description = "They can", body = Health),
        (status = 401, description = "A token was sent and is wrong", body = ErrorView),
        (status = 503, description = "They cannot now", body = ErrorView)))]
pub(super) async fn readyz(State(control): State<Control>) -> Result<Json<Health>, Failure> {
    control.gate.ready().await.map_err(|error| unavailable(&error))?;
    Ok(Json(Health { status: "ok".to_owned() }))
}

/// Metrics for Prometheus
#[utoipa::path(get, path = "/metrics", operation_id = "metrics", tag = "daemon",
    responses((status = 200, description = "Metrics in Prometheus' text format", body = String, content_type = "text/plain"), Refused))]
pub(super) async fn metrics(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
) -> Result<Response, Failure> {
    control.operate(&caller).await?;
    let text = control.metrics.render();
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response())
}
