//! What server-everything shows on every transport.

use mcp::client::Event;
use serde_json::json;
use testkit::peers;

use super::Upstream;
use crate::run::installed;

const RESOURCE: &str = "demo://resource/dynamic/text/1";

#[tokio::test]
async fn server_everything_over_stdio_shows_all_it_has() {
    let name = "server_everything_over_stdio_shows_all_it_has";
    let Some(mut command) = installed(name, peers::node(".bin/mcp-server-everything")) else { return };
    command.arg("stdio");
    let mut server = Upstream::over_stdio(command, json!({})).await;
    hear_of_more_tools(&mut server).await;
    tour(&mut server).await;
    server.end().await;
}

#[tokio::test]
async fn server_everything_asks_who_says_that_it_answers() {
    let name = "server_everything_asks_who_says_that_it_answers";
    let Some(mut command) = installed(name, peers::node(".bin/mcp-server-everything")) else { return };
    command.arg("stdio");
    let server = Upstream::over_stdio(command, json!({ "elicitation": {}, "roots": {} })).await;
    let tools = server.tools().await;
    for tool in ["trigger-elicitation-request", "get-roots-list"] {
        assert!(tools.iter().any(|name| name == tool), "{tool} is not among {tools:?}");
    }
    let answered = server.use_tool("trigger-elicitation-request", json!({})).await;
    assert!(answered.contains("Name: Ada"), "{answered}");
    let roots = server.use_tool("get-roots-list", json!({})).await;
    assert!(roots.contains("file:///srv/ada"), "{roots}");
    server.end().await;
}

/// It adds tools when the handshake is over, and says so.
pub async fn hear_of_more_tools(server: &mut Upstream) {
    server.hear(&Event::ToolsChanged).await;
}

/// A handshake, 13 tools, a call, progress, a resource and news of it, a prompt.
pub async fn tour(server: &mut Upstream) {
    assert_eq!(server.met(), ("2025-11-25".into(), json!("mcp-servers/everything")));
    assert_eq!(server.tools().await.len(), 13);
    assert_eq!(server.use_tool("echo", json!({ "message": "häß \u{1f980}" })).await, "Echo: häß \u{1f980}");
    let arguments = json!({ "duration": 0.3, "steps": 3 });
    let (text, steps) = server.follow_tool("trigger-long-running-operation", arguments).await;
    assert_eq!(text, "Long running operation completed. Duration: 0.3 seconds, Steps: 3.");
    assert_eq!(steps, [1.0, 2.0, 3.0]);
    let read = server.ask("resources/read", json!({ "uri": RESOURCE })).await;
    assert_eq!(read["contents"][0]["uri"], RESOURCE);
    server.session.subscribe(RESOURCE).await.unwrap();
    server.use_tool("toggle-subscriber-updates", json!({})).await;
    server.hear(&Event::ResourceUpdated(RESOURCE.into())).await;
    server.use_tool("toggle-subscriber-updates", json!({})).await;
    let params = json!({ "name": "args-prompt", "arguments": { "city": "Uppsala" } });
    let prompt = server.ask("prompts/get", params).await;
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("Uppsala"), "{text}");
}
