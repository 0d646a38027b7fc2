//! Requests to one HTTP peer: the configured headers, the credentials of the moment, and one more try after a challenge.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use url::Url;

use crate::web::{self, Body, Options, Redirects};

use super::access::{Access, Challenge, Retry};
use super::wire::Lost;

/// How often a request is sent again after a challenge.
pub(crate) const MAX_RETRIES: usize = 2;

/// How long an answer or an event may be awaited; calls end earlier by their own deadlines.
const PATIENCE: Duration = Duration::from_hours(1);

pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");
pub(crate) const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
pub(crate) const EITHER: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

#[derive(Clone)]
pub(crate) struct Http {
    pub(crate) client: web::Client,
    pub(crate) headers: HeaderMap,
    pub(crate) access: Option<Arc<dyn Access>>,
}

/// What an answer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Json,
    Events,
    Other,
}

impl Content {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let text = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        match text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "application/json" => Self::Json,
            "text/event-stream" => Self::Events,
            _ => Self::Other,
        }
    }
}

impl Http {
    pub(crate) async fn get(&self, url: &Url, mut headers: HeaderMap) -> Result<Response<Body>, Lost> {
        headers.insert(ACCEPT, EVENTS);
        self.send(Method::GET, url, headers, Bytes::new()).await
    }

    pub(crate) async fn post(
        &self,
        url: &Url,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Body>, Lost> {
        headers.insert(ACCEPT, EITHER);
        headers.insert(CONTENT_TYPE, JSON);
        self.send(Method::POST, url, headers, body).await
    }

    /// Sends a request, again after a challenge that better credentials may answer.
    pub(crate) async fn send(
        &self,
        method: Method,
        url: &Url,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Body>, Lost> {
        let options =
            Options { headers: PATIENCE, idle: PATIENCE, limit: None, redirects: Redirects::Follow };
        let mut tries = 0;
        loop {
            let mut request = Request::new(body.clone());
            *request.method_mut() = method.clone();
            *request.uri_mut() = url.as_str().parse().map_err(|_| Lost::NotMcp)?;
            *request.headers_mut() = self.all(&headers).await?;
            let answer = self.client.send(request, options).await.map_err(Lost::Web)?;
            if !matches!(answer.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
                return Ok(answer);
            }
            let challenge = challenge(&answer);
            drop(answer);
            let Some(access) = self.access.as_ref().filter(|_| tries < MAX_RETRIES) else {
                return Err(Lost::Unauthorized(challenge));
            };
            let retry = access.challenged(challenge.clone()).await;
            if retry.map_err(|error| Lost::Access(error.0))? == Retry::GiveUp {
                return Err(Lost::Unauthorized(challenge));
            }
            tries += 1;
        }
    }

    /// The configured headers; those of the protocol and the credentials win over them.
    async fn all(&self, own: &HeaderMap) -> Result<HeaderMap, Lost> {
        let mut headers = self.headers.clone();
        for (name, value) in own {
            headers.insert(name, value.clone());
        }
        if let Some(access) = &self.access {
            let value = access.authorization().await.map_err(|error| Lost::Access(error.0))?;
            if let Some(mut value) = value {
                value.set_sensitive(true);
                headers.insert(AUTHORIZATION, value);
            }
        }
        Ok(headers)
    }
}

fn challenge(answer: &Response<Body>) -> Challenge {
    let said = answer.headers().get_all(WWW_AUTHENTICATE).iter();
    Challenge {
        status: answer.status().as_u16(),
        www_authenticate: said.filter_map(|value| value.to_str().ok().map(str::to_owned)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_waited_for_an_hour_at_most_and_two_challenges_are_met() {
        assert_eq!((PATIENCE.as_secs(), MAX_RETRIES), (3600, 2));
    }
}
