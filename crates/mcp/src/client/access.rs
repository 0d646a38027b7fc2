//! Who provides the credentials of an HTTP peer, and what the peer demanded of them.

use http::HeaderValue;

use crate::question::Boxed;

/// What a peer answered to a request it does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server answered {status}: not authorized")]
pub struct Challenge {
    /// 401 or 403.
    pub status: u16,
    /// Its `WWW-Authenticate` headers, readable ones only.
    pub www_authenticate: Vec<String>,
}

/// Why there are no credentials; names no secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AccessError(pub String);

/// What to do after a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// There are better credentials: send the request again.
    Again,
    /// There are none.
    GiveUp,
}

/// Provides credentials.
pub trait Access: Send + Sync + 'static {
    /// The value of `Authorization`, marked sensitive.
    fn authorization(&self) -> Boxed<'_, Result<Option<HeaderValue>, AccessError>>;

    /// The peer did not accept the last value.
    fn challenged(&self, challenge: Challenge) -> Boxed<'_, Result<Retry, AccessError>>;
}
