//! Carries the OAuth client's requests, and remembers what it does not tell: the resource that was found, and why a
//! request was refused.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use http::header::WWW_AUTHENTICATE;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest};
use serde::Deserialize;
use url::Url;

use crate::client::Challenge;
use crate::web::{self, OAUTH_DEADLINE, OAuthClient, Options, Redirects};

/// Goes through the web client, and so through its guard.
pub(super) struct Carrier {
    web: web::Client,
    server: Url,
    challenge: Option<Challenge>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    resource: Option<String>,
    refusal: Option<String>,
}

/// The parts of any OAuth document that are of interest here.
#[derive(Deserialize)]
struct Document {
    resource: Option<String>,
    issuer: Option<String>,
    error: Option<String>,
}

impl Carrier {
    pub(super) fn new(web: web::Client, server: Url, challenge: Option<Challenge>) -> Self {
        Self { web, server, challenge, seen: Mutex::default() }
    }

    /// The `resource` of the last protected-resource metadata that was read.
    pub(super) fn resource(&self) -> Option<String> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).resource.clone()
    }

    /// The error code of the last answer, when it was a refusal.
    pub(super) fn refusal(&self) -> Option<String> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).refusal.clone()
    }

    /// What the server itself answers without a token. Its body may be a stream without end, so it is not read, and
    /// what is known already is not asked for.
    async fn probe(&self) -> Result<Response<Vec<u8>>, OAuthHttpClientError> {
        let mut answer = Response::new(Vec::new());
        if let Some(challenge) = &self.challenge {
            *answer.status_mut() = StatusCode::UNAUTHORIZED;
            for value in challenge.www_authenticate.iter().filter_map(|text| HeaderValue::from_str(text).ok())
            {
                answer.headers_mut().append(WWW_AUTHENTICATE, value);
            }
            return Ok(answer);
        }
        let request = Request::get(self.server.as_str()).body(Bytes::new())?;
        let options = Options { headers: OAUTH_DEADLINE, redirects: Redirects::Stop, ..Options::default() };
        let found = self.web.send(request, options).await?;
        *answer.status_mut() = found.status();
        *answer.headers_mut() = found.headers().clone();
        Ok(answer)
    }

    fn note(&self, answer: &Response<Vec<u8>>) {
        let document = serde_json::from_slice::<Document>(answer.body()).ok();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.refusal = None;
        match document {
            Some(Document { error: Some(error), .. }) if answer.status().is_client_error() => {
                seen.refusal = Some(error);
            }
            Some(Document { resource: Some(resource), issuer: None, .. }) if answer.status().is_success() => {
                seen.resource = Some(resource);
            }
            _ => {}
        }
    }
}

impl OAuthHttpClient for Carrier {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        let (method, uri) = (request.request.method(), request.request.uri());
        let probe = *method == Method::GET && *uri == *self.server.as_str();
        Box::pin(async move {
            if probe {
                return self.probe().await;
            }
            let client = OAuthClient::new(self.web.clone());
            let answer = client.execute(request).await?;
            self.note(&answer);
            Ok(answer)
        })
    }
}
