//! Request bodies: bounded, JSON or YAML, read into documents.

use axum::body::Body;
use edge::Failure;
use http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use model::manifest::{self, Document};
use model::tree::Format;
use tokio::sync::OwnedSemaphorePermit;

use crate::failure::{bad_request, invalid};
use crate::state::{BLOCKING_BODY, Control, LARGE_BODY};

/// Most bytes of one apply.
pub(crate) const APPLY_LIMIT: usize = 64 * 1024 * 1024;
/// Most bytes of any other body.
pub(crate) const BODY_LIMIT: usize = 4 * 1024 * 1024;

fn format(headers: &HeaderMap) -> Result<Format, Failure> {
    let Some(value) = headers.get(header::CONTENT_TYPE) else { return Ok(Format::Guess) };
    let text = value.to_str().unwrap_or_default();
    match text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "application/json" => Ok(Format::Json),
        "application/yaml" | "application/x-yaml" | "text/yaml" | "text/x-yaml" => Ok(Format::Yaml),
        _ => {
            Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send application/json or application/yaml"))
        }
    }
}

/// The documents of a request, and its place among the large ones for as long as they are in memory.
pub(crate) struct Received {
    pub(crate) documents: Vec<Document>,
    _place: Option<OwnedSemaphorePermit>,
}

/// Reads the documents of a request. Large bodies wait for each other, so that few are in memory at a time.
pub(crate) async fn receive(
    control: &Control,
    headers: &HeaderMap,
    body: Body,
    limit: usize,
) -> Result<Received, Failure> {
    let format = format(headers)?;
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<usize>().ok())
        .unwrap_or(usize::MAX);
    let place = match announced {
        0..LARGE_BODY => None,
        _ => control.large_bodies.clone().acquire_owned().await.ok(),
    };
    let text = text(body, limit).await?;
    let read = move || manifest::read(None, &text, format).map_err(invalid);
    let documents = if announced < BLOCKING_BODY {
        read()
    } else {
        tokio::task::spawn_blocking(read)
            .await
            .map_err(|_| Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "reading the body failed"))?
    };
    Ok(Received { documents: documents?, _place: place })
}

/// A bounded body as text.
pub(crate) async fn text(body: Body, limit: usize) -> Result<String, Failure> {
    let collected = Limited::new(body, limit).collect().await.map_err(|error| {
        if error.is::<LengthLimitError>() {
            let message = format!("the body is larger than {limit} bytes");
            Failure::new(StatusCode::PAYLOAD_TOO_LARGE, message)
        } else {
            bad_request("the body did not arrive whole")
        }
    })?;
    String::from_utf8(collected.to_bytes().into()).map_err(|_| bad_request("the body is not UTF-8 text"))
}
