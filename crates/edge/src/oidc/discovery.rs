//! From an issuer to the keys it publishes, by its discovery document.
//!
//! The document must be the issuer's own, and leads nowhere that others on the way could change.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use url::Url;

use super::key_set::KeySet;
use super::options::is_private_to_us;
use super::{Options, fetch, json};

/// How long document and keys may take together.
const DEADLINE: Duration = Duration::from_secs(10);

/// Why there are no keys.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("no answer within 10 seconds")]
    TooSlow,
    #[error(transparent)]
    Fetch(#[from] fetch::Error),
    #[error("{0} is not a JSON object without repeated names")]
    NotJson(String),
    #[error("the discovery document is that of another issuer")]
    OtherIssuer,
    #[error("the discovery document's `jwks_uri` is missing or not a URL we may use")]
    KeysUrl,
    #[error("{0} is not a set of keys")]
    NotKeys(String),
}

/// Where the keys come from.
pub(super) struct Source {
    options: Arc<Options>,
    deadline: Duration,
}

impl Source {
    pub(super) fn new(options: Arc<Options>) -> Self {
        Self { options, deadline: DEADLINE }
    }

    pub(super) fn issuer(&self) -> &str {
        &self.options.identifier
    }

    /// The keys the issuer publishes now.
    pub(super) async fn fetch(&self) -> Result<KeySet, Error> {
        tokio::time::timeout(self.deadline, self.follow()).await.unwrap_or(Err(Error::TooSlow))
    }

    async fn follow(&self) -> Result<KeySet, Error> {
        let document = self.object(&document_url(&self.options.issuer)).await?;
        let keys_url = keys_url(&document, &self.options)?;
        let set = self.object(&keys_url).await?;
        KeySet::read(&set).ok_or_else(|| Error::NotKeys(keys_url.into()))
    }

    async fn object(&self, url: &Url) -> Result<Map<String, Value>, Error> {
        let body = fetch::get(url, &self.options.extra_roots).await?;
        json::object(&body).ok_or_else(|| Error::NotJson(url.to_string()))
    }
}

fn document_url(issuer: &Url) -> Url {
    let path = issuer.path();
    let mut url = issuer.clone();
    url.set_path(&format!("{}/.well-known/openid-configuration", path.strip_suffix('/').unwrap_or(path)));
    url
}

fn keys_url(document: &Map<String, Value>, options: &Options) -> Result<Url, Error> {
    if document.get("issuer").and_then(Value::as_str) != Some(&options.identifier) {
        return Err(Error::OtherIssuer);
    }
    let text = document.get("jwks_uri").and_then(Value::as_str).ok_or(Error::KeysUrl)?;
    let url = Url::parse(text).map_err(|_| Error::KeysUrl)?;
    let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    if plain && is_private_to_us(&url, options.issuer.scheme() == "http") {
        Ok(url)
    } else {
        Err(Error::KeysUrl)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use serde_json::json;
    use url::Url;

    use super::{Error, Source, document_url, keys_url};
    use crate::oidc::Options;

    #[test]
    fn the_document_lies_below_the_issuer() {
        for (issuer, expected) in [
            ("https://i.example", "https://i.example/.well-known/openid-configuration"),
            ("https://i.example/", "https://i.example/.well-known/openid-configuration"),
            ("https://i.example:8443/a/b", "https://i.example:8443/a/b/.well-known/openid-configuration"),
            ("https://i.example/a%2Fb/", "https://i.example/a%2Fb/.well-known/openid-configuration"),
        ] {
            assert_eq!(document_url(&Url::parse(issuer).unwrap()).as_str(), expected);
        }
    }

    #[test]
    fn keys_are_fetched_over_tls_unless_the_issuer_itself_is_on_this_machine() {
        let local = "http://127.0.0.1:9";
        for (issuer, keys, allowed) in [
            ("https://i.example", "https://keys.example/set?p=1", true),
            ("https://i.example", "http://i.example/set", false),
            ("https://i.example", "http://127.0.0.1/set", false),
            ("https://i.example", "file:///etc/passwd", false),
            ("https://i.example", "https://user@i.example/set", false),
            ("https://i.example", "https://i.example/set#part", false),
            ("https://i.example", "/set", false),
            (local, "http://127.0.0.1:10/set", true),
            (local, "https://keys.example/set", true),
            (local, "http://10.0.0.1/set", false),
        ] {
            let options = Options::checked(issuer, Some("us"), None).unwrap();
            let document = json!({ "issuer": issuer, "jwks_uri": keys });
            let url = keys_url(document.as_object().unwrap(), &options);
            assert_eq!(url.is_ok(), allowed, "{issuer} {keys}");
        }
    }

    #[tokio::test]
    async fn an_issuer_that_accepts_and_never_answers_is_given_up() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let issuer = format!("http://{}", silent.local_addr().unwrap());
        let mut source = Source::new(Arc::new(Options::checked(&issuer, Some("us"), None).unwrap()));
        assert_eq!(source.deadline, Duration::from_secs(10));
        source.deadline = Duration::from_millis(20);
        assert!(matches!(source.fetch().await, Err(Error::TooSlow)));
    }

    #[test]
    fn a_document_of_another_issuer_is_refused() {
        let options = Options::checked("https://i.example", Some("us"), None).unwrap();
        for issuer in [
            json!("https://i.example/"),
            json!("https://I.example"),
            json!(["https://i.example"]),
            json!(null),
        ] {
            let document = json!({ "issuer": issuer, "jwks_uri": "https://i.example/set" });
            let refused = keys_url(document.as_object().unwrap(), &options);
            assert!(matches!(refused, Err(Error::OtherIssuer)), "{issuer}");
        }
        let document = json!({ "issuer": "https://i.example" });
        assert!(matches!(keys_url(document.as_object().unwrap(), &options), Err(Error::KeysUrl)));
    }
}
