//! What a sign-in leaves behind: the client and the tokens of one issuer for one server, never used with another.

use std::time::{SystemTime, UNIX_EPOCH};

use http::HeaderValue;
use rmcp::transport::auth::OAuthTokenResponse;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::error::Error;
use super::secret::Secret;

/// How many seconds before its end a token counts as ended, so that it does not end on the way.
const EARLY: u64 = 30;

/// Credentials. Serialised they hold secrets, so a store seals them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    pub(super) server: String,
    pub(super) issuer: String,
    pub(super) client: Client,
    /// What was asked for so far.
    pub(super) scopes: Vec<String>,
    /// `None` after the authorization server refused to renew them.
    pub(super) tokens: Option<Tokens>,
}

impl Credentials {
    /// The authorization server that issued them.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    pub(super) fn access(&self) -> Option<&Secret> {
        self.tokens.as_ref().map(|tokens| &tokens.access)
    }
}

/// A client as one issuer knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) secret: Option<Secret>,
    pub(super) redirect: String,
}

/// An access token, and what renews it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tokens {
    pub(super) access: Secret,
    pub(super) refresh: Option<Secret>,
    /// In seconds since 1970.
    pub(super) expires: Option<u64>,
}

impl Tokens {
    /// Reads an answer of a token endpoint; only bearer tokens that fit in a header are of use.
    pub(super) fn read(answer: &OAuthTokenResponse) -> Result<Self, Error> {
        let mut answer = serde_json::to_value(answer).map_err(|_| Error::Token)?;
        if !answer["token_type"].as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("bearer")) {
            return Err(Error::Token);
        }
        let mut take = |name: &str| match answer[name].take() {
            Value::String(text) => Some(Secret::from(text)),
            _ => None,
        };
        let (access, refresh) = (take("access_token").ok_or(Error::Token)?, take("refresh_token"));
        let expires = answer["expires_in"].as_u64().map(|seconds| now().saturating_add(seconds));
        let tokens = Self { access, refresh, expires };
        tokens.header().map(|_| tokens)
    }

    /// The value of `Authorization`.
    pub(super) fn header(&self) -> Result<HeaderValue, Error> {
        let text = Zeroizing::new(format!("Bearer {}", self.access.expose()));
        let mut value = HeaderValue::from_str(&text).map_err(|_| Error::Token)?;
        value.set_sensitive(true);
        Ok(value)
    }

    pub(super) fn is_stale(&self) -> bool {
        self.expires.is_some_and(|expires| now().saturating_add(EARLY) >= expires)
    }

    /// The form in which they are handed to the OAuth client for a refresh.
    pub(super) fn answer(&self) -> Option<OAuthTokenResponse> {
        let refresh = self.refresh.as_ref()?.expose();
        let answer = json!({
            "access_token": self.access.expose(), "token_type": "bearer", "refresh_token": refresh,
        });
        serde_json::from_value(answer).ok()
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(answer: Value) -> Result<Tokens, Error> {
        Tokens::read(&serde_json::from_value(answer).unwrap())
    }

    #[test]
    fn only_bearer_tokens_that_fit_in_a_header_are_taken() {
        let token = |kind: &str, text: &str| json!({"access_token": text, "token_type": kind});
        let found = read(token("Bearer", "abc")).unwrap();
        assert_eq!(found.header().unwrap(), "Bearer abc");
        assert!(found.header().unwrap().is_sensitive());
        assert_eq!(read(token("dpop", "abc")), Err(Error::Token));
        assert_eq!(read(token("bearer", "a\nb")), Err(Error::Token));
    }

    #[test]
    fn a_token_is_renewed_half_a_minute_before_its_end() {
        let lasting = |seconds: u64| {
            let answer = json!({"access_token": "a", "token_type": "bearer", "expires_in": seconds});
            read(answer).unwrap().is_stale()
        };
        assert!(lasting(30));
        assert!(!lasting(33));
        assert!(!read(json!({"access_token": "a", "token_type": "bearer"})).unwrap().is_stale());
        assert_eq!(EARLY, 30);
    }

    #[test]
    fn the_debug_form_hides_every_secret() {
        let secret = |text: &str| Secret::from(text.to_owned());
        let credentials = Credentials {
            server: "https://mcp.example/".into(),
            issuer: "https://as.example".into(),
            client: Client { id: "c".into(), secret: Some(secret("hush-1")), redirect: "r".into() },
            scopes: Vec::new(),
            tokens: Some(Tokens { access: secret("hush-2"), refresh: Some(secret("hush-3")), expires: None }),
        };
        assert!(!format!("{credentials:?}").contains("hush"));
        let written = serde_json::to_string(&credentials).unwrap();
        assert_eq!(serde_json::from_str::<Credentials>(&written).unwrap(), credentials);
    }
}
