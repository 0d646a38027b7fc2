//! The service: which method is answered by which part.

use std::sync::OnceLock;

use bytes::Bytes;
use mcp::Fault;
use mcp::header::{Mirror, mirrors};
use mcp::json::View;
use mcp::server::{About, Change, Exchange, Peer, Server, Service};
use mcp::version::Era;
use serde_json::{Value, json};

use super::tasks::{self, Tasks};
use super::{catalogue, prompts, resources, tools};

/// What a part answers.
pub type Answer = Result<Value, Fault>;

/// One call as the parts see it.
pub type Call = Exchange<String>;

/// The service under test.
#[derive(Debug, Default)]
pub struct Fixture {
    announcer: OnceLock<Server<Fixture>>,
    pub tasks: Tasks,
}

impl Fixture {
    /// Changes are announced through this server.
    pub fn announce_through(&self, server: &Server<Self>) {
        let _ = self.announcer.set(server.clone());
    }

    /// Tells everybody of a change.
    pub fn announce(&self, change: &Change) {
        if let Some(server) = self.announcer.get() {
            server.announce(change, |_| true);
        }
    }

    async fn answer(&self, call: Call) -> Answer {
        let method = call.request().method().into_owned();
        match method.as_str() {
            "tools/list" => Ok(json!({ "tools": catalogue::tools() })),
            "tools/call" => tools::call(self, &call).await,
            "prompts/list" => Ok(json!({ "prompts": catalogue::prompts() })),
            "prompts/get" => prompts::get(&call),
            "resources/list" => Ok(json!({ "resources": catalogue::resources() })),
            "resources/templates/list" => Ok(json!({ "resourceTemplates": catalogue::templates() })),
            "resources/read" => resources::read(&call),
            "completion/complete" => {
                Ok(json!({ "completion": { "values": [], "total": 0, "hasMore": false } }))
            }
            "tasks/get" | "tasks/update" | "tasks/cancel" if call.peer().era() == Era::Modern => {
                tasks::answer(&self.tasks, &call, &method)
            }
            _ => Err(Fault::unknown_method(&method)),
        }
    }
}

impl Service for Fixture {
    type Caller = String;

    fn about(&self, _: &String, peer: &Peer) -> About {
        let mut capabilities = json!({
            "tools": { "listChanged": true },
            "prompts": { "listChanged": true },
            "resources": { "subscribe": true, "listChanged": true },
            "completions": {},
        });
        match peer.era() {
            Era::Legacy => capabilities["logging"] = json!({}),
            Era::Modern => capabilities["extensions"] = json!({ tasks::EXTENSION: {} }),
        }
        About {
            info: text(&json!({ "name": "outfitter-fixture", "version": "1.0.0" })),
            capabilities: text(&capabilities),
            instructions: Some("A server for tests.".into()),
        }
    }

    async fn handle(&self, exchange: Call) -> Result<Bytes, Fault> {
        self.answer(exchange).await.map(|result| text(&result))
    }

    fn mirrors(&self, _: &String, tool: &str) -> Vec<Mirror> {
        let schema = catalogue::schema(tool);
        mirrors(View::new(&text(&schema))).unwrap_or_default()
    }
}

/// A value as text.
pub fn text(value: &Value) -> Bytes {
    Bytes::from(serde_json::to_vec(value).expect("a value is JSON"))
}
