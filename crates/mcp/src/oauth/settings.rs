//! What the embedder decides about sign-ins to one server; checked once, before anything is sent.

use url::Url;

use super::address::is_confidential;
use super::error::Error;
use super::secret::Secret;

/// How a client identifies itself to an authorization server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Registration {
    /// With an id agreed on beforehand.
    Preregistered {
        /// The client id.
        id: String,
        /// The client's secret, if it has one.
        secret: Option<Secret>,
        /// The issuer that gave the id. Without it, the issuer the server names at the first sign-in.
        issuer: Option<String>,
    },
    /// With the URL of a client id metadata document, or dynamically where that is not supported.
    Document(Url),
    /// With an id that the authorization server gives out on request.
    Dynamic,
}

/// The settings of sign-ins to one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The MCP server.
    pub server: Url,
    /// Where the authorization server sends the person back to: `https`, or `http` on this machine.
    pub redirect: Url,
    /// How the client identifies itself.
    pub client: Registration,
    /// The name people read when they are asked for consent.
    pub client_name: String,
    /// What is asked for instead of all that the server's metadata lists; what the server demands is added.
    pub scopes: Vec<String>,
}

impl Settings {
    pub(super) fn check(&self) -> Result<(), Error> {
        check_server(&self.server)?;
        if !is_confidential(&self.redirect) || self.redirect.query().is_some() {
            return Err(Error::Settings(
                "the redirect must be https, or http on this machine, without a query",
            ));
        }
        match &self.client {
            Registration::Document(url) if !is_document(url) => {
                Err(Error::Settings("the client id metadata document needs an https URL with a path"))
            }
            _ => Ok(()),
        }
    }
}

pub(super) fn check_server(server: &Url) -> Result<(), Error> {
    if is_confidential(server) {
        return Ok(());
    }
    Err(Error::Settings("tokens are sent only over https, or http on this machine"))
}

fn is_document(url: &Url) -> bool {
    is_confidential(url) && url.scheme() == "https" && url.path() != "/"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(server: &str, redirect: &str, client: Registration) -> bool {
        let url = |text| Url::parse(text).unwrap();
        let (server, redirect) = (url(server), url(redirect));
        let settings = Settings { server, redirect, client, client_name: "a".into(), scopes: Vec::new() };
        settings.check().is_ok()
    }

    #[test]
    fn secrets_travel_encrypted_or_stay_on_this_machine() {
        let (server, redirect) = ("https://mcp.example/mcp", "http://127.0.0.1:7000/callback");
        assert!(check(server, redirect, Registration::Dynamic));
        assert!(check("http://localhost:1/mcp", "https://gateway.example/callback", Registration::Dynamic));
        for other in ["http://mcp.example/mcp", "https://user@mcp.example/", "ftp://mcp.example/"] {
            assert!(!check(other, redirect, Registration::Dynamic), "{other}");
        }
        for other in
            ["http://gateway.example/cb", "app://cb", "https://g.example/cb?a=b", "https://g.example/cb#a"]
        {
            assert!(!check(server, other, Registration::Dynamic), "{other}");
        }
        for (document, fine) in [("https://a.example/client", true), ("https://a.example/", false)] {
            let client = Registration::Document(Url::parse(document).unwrap());
            assert_eq!(check(server, redirect, client), fine, "{document}");
        }
        let plain = Registration::Document(Url::parse("http://localhost/client").unwrap());
        assert!(!check(server, redirect, plain));
    }
}
