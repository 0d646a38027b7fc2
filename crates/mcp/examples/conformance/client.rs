//! The client under test: the scenario and the revision come from the environment, the server's URL from the command line.

mod person;
mod scenario;
mod sign_in;

use std::env;
use std::error::Error;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use mcp::client::{Choice, Flavour, Session, Settings, Target};
use mcp::egress::{Guard, Rules};
use mcp::json::Object;
use mcp::web;
use serde_json::Value;
use tokio::sync::mpsc;

use person::Person;

type Fallible<T = ()> = Result<T, Box<dyn Error>>;

const CAPABILITIES: &[u8] = br#"{"elicitation":{},"sampling":{},"roots":{}}"#;

/// Does what the scenario demands.
pub async fn run(url: &str) -> Fallible {
    let scenario = env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let context = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or(Value::Null);
    let session = connect(url, &scenario).await?;
    let done = scenario::play(&session, &scenario, &context).await;
    session.close().await;
    done
}

/// The era the suite asks for.
fn era() -> Choice {
    match env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").as_deref() {
        Ok("2026-07-28") => Choice::Modern,
        Ok(_) => Choice::Legacy,
        Err(_) => Choice::Auto,
    }
}

async fn connect(url: &str, scenario: &str) -> Fallible<Session> {
    let info = Object::new().with("name", "conformance").with("version", env!("CARGO_PKG_VERSION")).finish();
    let settings =
        Settings { capabilities: Bytes::from_static(CAPABILITIES), era: era(), ..Settings::new(info) };
    let local = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let rules = Rules::parse(&local).map_err(|_| "the rules cannot be read")?;
    let target = Target { url: url.parse()?, headers: HeaderMap::new(), flavour: Flavour::Auto };
    let (events, mut news) = mpsc::channel(16);
    tokio::spawn(async move { while news.recv().await.is_some() {} });
    let client = web::Client::new(Guard::new(rules));
    let access = sign_in::access(scenario, &target.url, &client)?;
    Ok(Session::connect(target, client, settings, Arc::new(Person), events, access).await?)
}
