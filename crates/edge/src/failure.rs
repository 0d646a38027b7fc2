//! The one shape of errors: `{"error": …, "problems": […]}`.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use model::Problem;
use serde_json::json;

/// A request that failed: the status, a sentence, and whatever is wrong in the input.
#[derive(Debug)]
pub struct Failure {
    /// The HTTP status.
    pub status: StatusCode,
    /// What happened and what to do, in one sentence.
    pub error: String,
    /// What is wrong in the input.
    pub problems: Vec<Problem>,
}

impl Failure {
    /// A failure without problems in the input.
    pub fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self { status, error: error.into(), problems: Vec::new() }
    }

    /// With what is wrong in the input.
    #[must_use]
    pub fn with(mut self, problems: Vec<Problem>) -> Self {
        self.problems = problems;
        self
    }

    /// No or wrong credentials.
    pub fn unauthorized(error: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let body = json!({"error": self.error, "problems": self.problems}).to_string();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        match self.status {
            StatusCode::UNAUTHORIZED => {
                headers
                    .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"outfitter\""));
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response
    }
}
