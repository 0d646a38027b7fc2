//! A server on the Python SDK, which is modern over all but HTTP+SSE: questions in rounds, arguments in headers, a
//! subscription.

use std::process::Command;
use std::time::Duration;

use mcp::client::Event;
use serde_json::{Value, json};
use testkit::peers;
use tokio::time::timeout;

use super::Upstream;
use crate::python::script;
use crate::run::{PATIENCE, installed};

fn server(test: &str, transport: &str) -> Option<Command> {
    let mut command = installed(test, peers::python("python"))?;
    command.arg(script("server.py")).arg(transport);
    Some(command)
}

fn capabilities() -> Value {
    json!({ "elicitation": { "form": {} } })
}

#[tokio::test]
async fn a_modern_server_over_streamable_http_asks_and_tells() {
    let name = "a_modern_server_over_streamable_http_asks_and_tells";
    let Some(command) = server(name, "streamable-http") else { return };
    let mut server = Upstream::over_http(command, "/mcp", capabilities()).await;
    tour(&server, "2026-07-28").await;
    hear_of_changes(&mut server).await;
    server.close().await;
}

#[tokio::test]
async fn a_modern_server_over_stdio_asks_and_tells() {
    let Some(command) = server("a_modern_server_over_stdio_asks_and_tells", "stdio") else { return };
    let mut server = Upstream::over_stdio(command, capabilities()).await;
    tour(&server, "2026-07-28").await;
    hear_of_changes(&mut server).await;
    server.end().await;
}

#[tokio::test]
async fn the_same_server_over_sse_asks_in_the_middle_of_a_call() {
    let name = "the_same_server_over_sse_asks_in_the_middle_of_a_call";
    let Some(command) = server(name, "sse") else { return };
    let server = Upstream::over_http(command, "/sse", capabilities()).await;
    tour(&server, "2025-11-25").await;
    server.close().await;
}

async fn tour(server: &Upstream, version: &str) {
    assert_eq!(server.met(), (version.into(), json!("python-tour")));
    assert_eq!(server.tools().await, ["greet", "count", "travel", "change"]);
    assert_eq!(server.use_tool("greet", json!({})).await, "Hello, Ada!");
    assert_eq!(server.use_tool("travel", json!({ "region": "Åland" })).await, "Went to Åland");
    let (text, steps) = server.follow_tool("count", json!({ "to": 3 })).await;
    assert_eq!((text.as_str(), steps.as_slice()), ("Counted to 3", &[1.0, 2.0, 3.0][..]));
    let read = server.ask("resources/read", json!({ "uri": "tour://text" })).await;
    assert_eq!(read["contents"][0]["text"], "Words in a resource");
}

/// The subscription begins in the background, so the server is asked to announce until it is heard.
async fn hear_of_changes(server: &mut Upstream) {
    let heard = async {
        loop {
            assert_eq!(server.use_tool("change", json!({})).await, "Announced");
            if let Ok(event) = timeout(Duration::from_millis(500), server.events.recv()).await {
                return event;
            }
        }
    };
    assert_eq!(timeout(PATIENCE, heard).await.expect("an announcement"), Some(Event::ToolsChanged));
}
