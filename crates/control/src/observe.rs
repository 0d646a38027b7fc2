//! Counts and times of requests, labelled by route so that labels stay few.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;

/// Counts a request and times it until its answer begins.
pub(crate) async fn observe(request: Request, next: Next) -> Response {
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let method = match request.method().as_str() {
        known @ ("GET" | "PUT" | "POST" | "DELETE" | "HEAD") => known.to_owned(),
        _ => "other".to_owned(),
    };
    let begun = Instant::now();
    let response = next.run(request).await;
    let status = response.status().as_u16().to_string();
    metrics::counter!("outfitter_http_requests_total", "route" => route.clone(), "method" => method, "status" => status)
        .increment(1);
    metrics::histogram!("outfitter_http_request_seconds", "route" => route).record(begun.elapsed());
    response
}
