//! Where in a client's file the servers are.

use model::tree::{Node, Value};
use serde_json::Value as Json;

/// The keys under which clients keep their servers.
const KEYS: [&str; 6] = ["mcpServers", "mcp_servers", "servers", "context_servers", "mcp", "amp.mcpServers"];

/// The servers by name, in the order of writing.
pub fn servers(root: &Node, notes: &mut Vec<String>) -> Result<Vec<(String, Json)>, String> {
    let Value::Map(top) = &root.value else {
        return Err(format!("must be a map, not {}", root.type_name()));
    };
    for key in KEYS {
        let Some(found) = root.get(key) else { continue };
        // VS Code's settings nest them once more.
        let inner = found.get("servers").filter(|inner| key == "mcp" && !is_server(inner)).unwrap_or(found);
        let Value::Map(entries) = &inner.value else {
            return Err(format!("`{key}` must be a map of servers, not {}", inner.type_name()));
        };
        let others: Vec<&str> =
            top.iter().map(|entry| entry.key.as_str()).filter(|other| is_worth_a_note(other, key)).collect();
        if !others.is_empty() {
            notes.push(format!("ignored besides `{key}`: {}", others.join(", ")));
        }
        return Ok(entries.iter().map(|entry| (entry.key.clone(), entry.value.to_json())).collect());
    }
    let (servers, others): (Vec<_>, Vec<_>) = top.iter().partition(|entry| is_server(&entry.value));
    if servers.is_empty() {
        return Err("declares no MCP server".to_owned());
    }
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().map(|entry| entry.key.as_str()).collect();
        notes.push(format!("ignored, since they are no servers: {}", names.join(", ")));
    }
    Ok(servers.into_iter().map(|entry| (entry.key.clone(), entry.value.to_json())).collect())
}

/// Whether a value looks like one server's definition.
fn is_server(node: &Node) -> bool {
    ["command", "url", "httpUrl", "serverUrl", "uri"]
        .iter()
        .any(|key| node.get(key).is_some_and(|value| matches!(value.value, Value::Text(_) | Value::List(_))))
}

fn is_worth_a_note(other: &str, found: &str) -> bool {
    other != found && !matches!(other, "$schema" | "inputs")
}
