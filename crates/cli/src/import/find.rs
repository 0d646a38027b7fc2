//! Where in a client's file the servers are.

use model::tree::{Entry, Node, Position, Value};
use serde_json::Value as Json;

/// The keys under which clients keep their servers.
const KEYS: [&str; 6] = ["mcpServers", "mcp_servers", "servers", "context_servers", "mcp", "amp.mcpServers"];

/// A server as a client wrote it, and where.
pub struct Written {
    pub name: String,
    pub at: Position,
    pub value: Json,
}

/// Whether a file that is no manifest holds servers.
pub fn recognises(root: &Node) -> bool {
    let Value::Map(top) = &root.value else { return false };
    let holds_many = |node: &Node| matches!(node.value, Value::Map(_) | Value::List(_));
    KEYS.iter().any(|key| root.get(key).is_some_and(holds_many))
        || top.iter().any(|entry| is_server(&entry.value))
}

/// The servers by name, in the order of writing.
pub fn servers(root: &Node, notes: &mut Vec<String>) -> Result<Vec<Written>, String> {
    let Value::Map(top) = &root.value else {
        return Err(format!("must be a map, not {}", root.type_name()));
    };
    for key in KEYS {
        let Some(found) = root.get(key) else { continue };
        // VS Code's settings nest them once more.
        let inner = found.get("servers").filter(|inner| key == "mcp" && !is_server(inner)).unwrap_or(found);
        let servers = match &inner.value {
            Value::Map(entries) => entries.iter().map(written).collect(),
            Value::List(items) => items.iter().enumerate().map(listed).collect(),
            _ => return Err(format!("`{key}` must be a map or list of servers, not {}", inner.type_name())),
        };
        let others: Vec<&str> =
            top.iter().map(|entry| entry.key.as_str()).filter(|other| is_worth_a_note(other, key)).collect();
        if !others.is_empty() {
            notes.push(format!("ignored besides `{key}`: {}", others.join(", ")));
        }
        return Ok(servers);
    }
    let (servers, others): (Vec<_>, Vec<_>) = top.iter().partition(|entry| is_server(&entry.value));
    if servers.is_empty() {
        return Err("declares no MCP server".to_owned());
    }
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().map(|entry| entry.key.as_str()).collect();
        notes.push(format!("ignored, since they are no servers: {}", names.join(", ")));
    }
    Ok(servers.into_iter().map(written).collect())
}

fn written(entry: &Entry) -> Written {
    Written { name: entry.key.clone(), at: entry.at, value: entry.value.to_json() }
}

/// A server of a list, which holds its name.
fn listed((index, item): (usize, &Node)) -> Written {
    let mut value = item.to_json();
    let name = value.as_object_mut().and_then(|fields| fields.shift_remove("name"));
    let name = name.and_then(|name| name.as_str().map(str::to_owned));
    Written { name: name.unwrap_or_else(|| format!("server {}", index + 1)), at: item.at, value }
}

/// Whether a value looks like one server's definition.
fn is_server(node: &Node) -> bool {
    let is_program = |node: &Node| node.get("command").is_some_and(|command| command.get("path").is_some());
    is_program(node)
        || ["command", "url", "httpUrl", "serverUrl", "uri"].iter().any(|key| {
            node.get(key).is_some_and(|value| matches!(value.value, Value::Text(_) | Value::List(_)))
        })
}

fn is_worth_a_note(other: &str, found: &str) -> bool {
    other != found && !matches!(other, "$schema" | "inputs")
}
