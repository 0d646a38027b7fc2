//! `POST /api/v1/secrets/rotate-key`: a new key-encryption key, every secret wrapped again.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use edge::{Authenticated, Failure};
use http::StatusCode;
use model::SecretText;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Conflicting, Refused};
use crate::body::{BODY_LIMIT, text};
use crate::failure::bad_request;
use crate::state::Control;
use crate::views::Rotation;

/// How to change the key.
#[derive(Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Rotate {
    /// Protects the new key; left out, the protection stays as it is.
    new_passphrase: Option<String>,
}

/// Change the key-encryption key
#[utoipa::path(post, path = "/api/v1/secrets/rotate-key", operation_id = "rotateKey", tag = "daemon",
    request_body(content = Rotate, description = "May be empty"),
    responses((status = 200, description = "The new key is in use", body = Rotation), Refused, Conflicting))]
pub(super) async fn rotate_key(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    body: Body,
) -> Result<Json<Rotation>, Failure> {
    let permit = control.operate(&caller).await?;
    let text = text(body, BODY_LIMIT).await?;
    let rotate: Rotate = if text.trim().is_empty() {
        Rotate::default()
    } else {
        serde_json::from_str(&text).map_err(|_| bad_request("send `{}` or `{\"new_passphrase\": \"…\"}`"))?
    };
    if rotate.new_passphrase.as_ref().is_some_and(String::is_empty) {
        return Err(bad_request("`new_passphrase` must not be empty"));
    }
    let passphrase = rotate.new_passphrase.map(SecretText::new);
    let rotated = control.gate.rotate_key(&permit, passphrase).await.map_err(|error| {
        tracing::warn!(%error, "changing the key failed");
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, format!("the key was not changed completely: {error}"))
    })?;
    Ok(Json(Rotation { key_id: rotated.key_id, rewrapped: rotated.rewrapped }))
}
