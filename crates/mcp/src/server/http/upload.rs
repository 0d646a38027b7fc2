//! Reading a request's body: never more than allowed, never longer than allowed.

use std::pin::pin;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use http::StatusCode;
use http_body_util::BodyExt;

/// Reads a body; the status to refuse it with when it is too large, too slow or broken.
pub(in crate::server) async fn read_body<B>(
    body: B,
    most: usize,
    within: Duration,
) -> Result<Bytes, StatusCode>
where
    B: http_body::Body + Send,
    B::Data: Buf + Send,
{
    if body.size_hint().lower() > most as u64 {
        return Err(StatusCode::PAYLOAD_TOO_LARGE);
    }
    match tokio::time::timeout(within, collect(body, most)).await {
        Ok(read) => read,
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

async fn collect<B>(body: B, most: usize) -> Result<Bytes, StatusCode>
where
    B: http_body::Body + Send,
    B::Data: Buf + Send,
{
    let mut body = pin!(body);
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return Err(StatusCode::BAD_REQUEST) };
        let Ok(mut data) = frame.into_data() else { continue };
        if first.len() + rest.len() + data.remaining() > most {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        let data = data.copy_to_bytes(data.remaining());
        if first.is_empty() && rest.is_empty() {
            first = data;
        } else {
            rest.extend_from_slice(&std::mem::take(&mut first));
            rest.extend_from_slice(&data);
        }
    }
    Ok(if rest.is_empty() { first } else { rest.freeze() })
}
