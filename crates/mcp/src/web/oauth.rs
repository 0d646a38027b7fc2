//! Carries the OAuth client's requests; they go through the same guard and the same rule for redirects as all others.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest,
};
use tokio::time::timeout;

use super::{Client, Failure, Kind, Options, Redirects};

/// How many bytes an answer to the OAuth client may have.
pub const OAUTH_BODY_LIMIT: usize = 1024 * 1024;

/// How long an operation of the OAuth client may take when it does not say so itself.
pub const OAUTH_DEADLINE: Duration = Duration::from_secs(30);

/// The client of authorization servers and of metadata documents.
#[derive(Clone)]
pub struct OAuthClient {
    client: Client,
}

impl OAuthClient {
    /// Sends through `client`.
    pub fn new(client: Client) -> Self {
        Self { client }
    }

    /// The whole answer to one request, within `deadline` or [`OAUTH_DEADLINE`].
    pub async fn fetch(
        &self,
        request: Request<Vec<u8>>,
        redirects: Redirects,
        deadline: Option<Duration>,
    ) -> Result<Response<Vec<u8>>, Failure> {
        let deadline = deadline.unwrap_or(OAUTH_DEADLINE);
        let options = Options { headers: deadline, idle: deadline, redirects, ..Options::default() };
        let answer = async {
            let answer = self.client.send(request.map(Bytes::from), options).await?;
            let (parts, body) = answer.into_parts();
            let body = body.collect(OAUTH_BODY_LIMIT).await?;
            Ok(Response::from_parts(parts, body.into()))
        };
        timeout(deadline, answer).await.unwrap_or(Err(Failure::new(Kind::Timeout)))
    }
}

impl OAuthHttpClient for OAuthClient {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        let redirects = match request.redirect_policy {
            OAuthHttpRedirectPolicy::Follow => Redirects::Follow,
            _ => Redirects::Stop,
        };
        Box::pin(async move {
            let answer = self.fetch(request.request, redirects, request.timeout).await;
            answer.map_err(|failure| Box::new(failure) as OAuthHttpClientError)
        })
    }
}
