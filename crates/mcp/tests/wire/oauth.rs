//! Sign-ins against a protected server and its authorization server, both honest and not.

mod flow;
mod hostile;
mod machine;
mod tokens;
mod world;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::Request;
use http::header::{AUTHORIZATION, LOCATION, WWW_AUTHENTICATE};
use mcp::client::{Access, AccessError, Challenge, Retry};
use mcp::egress::{Guard, Rules};
use mcp::oauth::{Bearer, Browser, Error, Memory, Registration, Settings, SignIn, Store};
use mcp::question::Boxed;
use mcp::web::{Client, Options, Redirects};
use url::Url;

use world::{Shared, look};

const REDIRECT: &str = "http://127.0.0.1:7777/callback";

fn web() -> Client {
    Client::new(Guard::new(Rules::parse(&["127.0.0.1".to_owned()]).unwrap()))
}

/// A person who consents to everything.
#[derive(Default)]
struct Person {
    visits: AtomicUsize,
}

impl Browser for Person {
    fn visit(&self, url: Url) -> Boxed<'_, Result<Url, Error>> {
        self.visits.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move { Ok(consent(&url).await) })
    }
}

/// Where the authorization page sends a person who consents.
async fn consent(url: &Url) -> Url {
    let request = Request::get(url.as_str()).body(Bytes::new()).unwrap();
    let options = Options { redirects: Redirects::Stop, ..Options::default() };
    let answer = web().send(request, options).await.unwrap();
    Url::parse(answer.headers()[LOCATION].to_str().unwrap()).unwrap()
}

fn settings(world: &Shared) -> Settings {
    Settings {
        server: Url::parse(&format!("{}/mcp", look(world).base)).unwrap(),
        redirect: Url::parse(REDIRECT).unwrap(),
        client: Registration::Dynamic,
        client_name: "Outfitter".to_owned(),
        scopes: Vec::new(),
    }
}

fn sign_in(settings: Settings) -> (Arc<SignIn>, Arc<Memory>) {
    let store = Arc::new(Memory::default());
    (Arc::new(SignIn::new(settings, web(), store.clone()).unwrap()), store)
}

fn bearer(settings: Settings) -> (Bearer, Arc<Person>, Arc<Memory>) {
    let (person, (sign_in, store)) = (Arc::new(Person::default()), sign_in(settings));
    (Bearer::new(sign_in, Some(person.clone())), person, store)
}

/// Calls the server as a client does, and gives the status it ends with.
async fn call(world: &Shared, access: &dyn Access) -> Result<u16, AccessError> {
    let url = format!("{}/mcp", look(world).base);
    for _ in 0..9 {
        let mut request = Request::post(&url).body(Bytes::new()).unwrap();
        if let Some(value) = access.authorization().await? {
            assert!(value.is_sensitive());
            request.headers_mut().insert(AUTHORIZATION, value);
        }
        let answer = web().send(request, Options::default()).await.unwrap();
        let status = answer.status().as_u16();
        if !matches!(status, 401 | 403) {
            return Ok(status);
        }
        let headers = answer.headers().get_all(WWW_AUTHENTICATE).iter();
        let www_authenticate = headers.map(|value| value.to_str().unwrap().to_owned()).collect();
        if access.challenged(Challenge { status, www_authenticate }).await? == Retry::GiveUp {
            return Ok(status);
        }
    }
    Err(AccessError("the client gave up".to_owned()))
}

async fn is_empty(store: &Memory) -> bool {
    store.load().await.unwrap().is_none()
}
