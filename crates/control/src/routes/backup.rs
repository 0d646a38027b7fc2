//! `GET /api/v1/backup`: the whole store as one consistent stream, secrets sealed, the key apart.

use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use edge::{Authenticated, Failure};
use http::{StatusCode, header};
use tokio_util::io::ReaderStream;

use super::Refused;
use crate::state::Control;

/// A reader that takes longer holds up the database's housekeeping.
const LONGEST: Duration = Duration::from_mins(10);
/// How much of the stream may wait for a slow reader.
const BUFFER: usize = 256 * 1024;

/// Stream a backup
#[utoipa::path(get, path = "/api/v1/backup", operation_id = "backup", tag = "daemon",
    responses((status = 200, description = "Lines of JSON; the last one holds the checksum", body = String, content_type = "application/x-ndjson"), Refused))]
pub(super) async fn backup(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
) -> Result<Response, Failure> {
    let permit = control.operate(&caller).await?;
    let turn = control.backups.clone().try_acquire_owned();
    let turn = turn.map_err(|_| {
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "another backup is running; try again when it is done")
    })?;
    let (reader, writer) = tokio::io::duplex(BUFFER);
    tokio::spawn(async move {
        // A failure ends the stream without its last line, which the reader must find missing.
        let whole = async {
            tokio::select! {
                done = control.gate.backup(&permit, writer) => Some(done),
                () = control.lost(&permit) => None,
            }
        };
        match tokio::time::timeout(LONGEST, whole).await {
            Ok(Some(Ok(()))) => {}
            Ok(None) => tracing::warn!("a backup was cut off: who read it may no longer"),
            Ok(Some(Err(error))) => tracing::warn!(%error, "a backup failed"),
            Err(_) => tracing::warn!("a backup was read too slowly and given up"),
        }
        drop(turn);
    });
    let body = Body::from_stream(ReaderStream::new(reader));
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response())
}
