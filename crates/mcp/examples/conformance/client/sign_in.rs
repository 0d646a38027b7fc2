//! Credentials for the scenarios of the suite that demand them: a person who consents to everything, or a machine.

use std::env;
use std::error::Error as StdError;
use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use http::header::LOCATION;
use mcp::client::Access;
use mcp::oauth::{
    Algorithm, Bearer, Browser, Error, Key, Machine, MachineSettings, Memory, Registration, Secret, Settings,
    SignIn,
};
use mcp::question::Boxed;
use mcp::web::{Client, Options, Redirects};
use serde_json::Value;
use url::Url;

const REDIRECT: &str = "http://127.0.0.1:8976/callback";
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

/// Consents by fetching the page, which answers with the way back.
struct Consent(Client);

impl Browser for Consent {
    fn visit(&self, url: Url) -> Boxed<'_, Result<Url, Error>> {
        Box::pin(async move {
            let request = Request::get(url.as_str()).body(Bytes::new()).map_err(|_| Error::Browser)?;
            let options = Options { redirects: Redirects::Stop, ..Options::default() };
            let answer = self.0.send(request, options).await.map_err(|_| Error::Browser)?;
            let location = answer.headers().get(LOCATION).and_then(|value| value.to_str().ok());
            location.and_then(|location| Url::parse(location).ok()).ok_or(Error::Browser)
        })
    }
}

/// The credentials of `scenario` at `server`; `None` where it demands none.
pub fn access(
    scenario: &str,
    server: &Url,
    web: &Client,
) -> Result<Option<Arc<dyn Access>>, Box<dyn StdError>> {
    if !scenario.starts_with("auth/") {
        return Ok(None);
    }
    let context: Value = match env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(text) => serde_json::from_str(&text)?,
        Err(_) => Value::Null,
    };
    let text = |name: &str| context[name].as_str().map(str::to_owned);
    let secret = |name: &str| text(name).map(Secret::from);
    let key = secret("private_key_pem").map(|pem| Key::Private { pem, algorithm: Algorithm::Es256 });
    let key = key.or_else(|| secret("client_secret").map(Key::Secret));
    if let (Some(key), true) = (key, scenario.starts_with("auth/client-credentials-")) {
        let id = text("client_id").ok_or("no client id")?;
        let settings = MachineSettings { server: server.clone(), id, key, issuer: None, scopes: Vec::new() };
        return Ok(Some(Arc::new(Machine::new(settings, web.clone())?)));
    }
    let client = match text("client_id") {
        Some(id) => {
            Registration::Preregistered { id, secret: secret("client_secret"), issuer: text("issuer") }
        }
        None => Registration::Document(Url::parse(DOCUMENT)?),
    };
    let settings = Settings {
        server: server.clone(),
        redirect: Url::parse(REDIRECT)?,
        client,
        client_name: "Outfitter conformance".to_owned(),
        scopes: Vec::new(),
    };
    let sign_in = SignIn::new(settings, web.clone(), Arc::new(Memory::default()))?;
    let browser = Arc::new(Consent(web.clone()));
    Ok(Some(Arc::new(Bearer::new(Arc::new(sign_in), Some(browser)))))
}
