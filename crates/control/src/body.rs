//! Request bodies: bounded, JSON or YAML, read into documents.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use edge::Failure;
use http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt;
use model::manifest::{self, Document};
use model::tree::Format;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::failure::{bad_request, invalid};
use crate::state::{BLOCKING_BODY, Control, LARGE_BODY};

/// A body that takes longer to arrive is given up.
const LONGEST: Duration = Duration::from_mins(2);
/// How long a large body waits for its place.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// Most bytes of one apply.
pub(crate) const APPLY_LIMIT: usize = 64 * 1024 * 1024;
/// Most bytes of any other body.
pub(crate) const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// Most bytes of a body that is no document.
const SMALL_LIMIT: usize = 64 * 1024;

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
    let (text, place) = within_deadline(read(body, limit, Some(&control.large_bodies))).await?;
    let blocking = text.len() >= BLOCKING_BODY;
    let parse = move || manifest::read(None, &text, format).map_err(invalid);
    let documents = if blocking {
        let parsed = tokio::task::spawn_blocking(parse).await;
        parsed.map_err(|_| Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "reading the body failed"))?
    } else {
        parse()
    };
    Ok(Received { documents: documents?, _place: place })
}

/// A small body as text.
pub(crate) async fn text(body: Body, limit: usize) -> Result<String, Failure> {
    within_deadline(read(body, limit, None)).await.map(|(text, _)| text)
}

/// A small JSON body, read strictly.
pub(crate) async fn json<T: serde::de::DeserializeOwned>(body: Body) -> Result<T, Failure> {
    let text = text(body, SMALL_LIMIT).await?;
    serde_json::from_str(&text)
        .map_err(|error| bad_request(format!("the body is not what this takes: {error}")))
}

async fn within_deadline<T>(reading: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::time::timeout(LONGEST, reading)
        .await
        .map_err(|_| Failure::new(StatusCode::REQUEST_TIMEOUT, "the body took too long to arrive"))?
}

/// Reads a body; once it turns out large, its place among the large ones is taken first.
async fn read(
    mut body: Body,
    limit: usize,
    places: Option<&Arc<Semaphore>>,
) -> Result<(String, Option<OwnedSemaphorePermit>), Failure> {
    let too_large =
        || Failure::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the body is larger than {limit} bytes"));
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > limit {
        return Err(too_large());
    }
    let mut bytes: Vec<u8> = Vec::with_capacity(announced.min(LARGE_BODY));
    let mut place = None;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| bad_request("the body did not arrive whole"))?;
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > limit {
            return Err(too_large());
        }
        if let (Some(places), None, true) = (places, &place, bytes.len() + data.len() >= LARGE_BODY) {
            place = Some(take_place(places).await?);
        }
        bytes.extend_from_slice(&data);
    }
    let text = String::from_utf8(bytes).map_err(|_| bad_request("the body is not UTF-8 text"))?;
    Ok((text, place))
}

async fn take_place(places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Failure> {
    let busy =
        || Failure::new(StatusCode::SERVICE_UNAVAILABLE, "other large requests are being read; try again");
    let place = tokio::time::timeout(LONGEST_WAIT, Arc::clone(places).acquire_owned()).await;
    place.map_err(|_| busy())?.map_err(|_| busy())
}
