//! Fields of the daemon's resources, as people read them.

use serde_json::Value as Json;

/// The text under `key`, empty if there is none.
pub fn text<'a>(value: &'a Json, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// A value in a few words; text without quotes.
pub fn plain(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A list of texts with commas between.
pub fn texts(value: &Json) -> String {
    let items: Vec<String> = value.as_array().into_iter().flatten().map(plain).collect();
    items.join(", ")
}

/// `platform`, `organization/my-org` or `identity_account`.
pub fn scope(metadata: &Json) -> String {
    match (text(metadata, "scope"), metadata["org"].as_str()) {
        (scope, Some(org)) => format!("{scope}/{org}"),
        (scope, None) => scope.to_owned(),
    }
}

/// `stdio`, `http` or `docker`.
pub fn server_type(spec: &Json) -> &'static str {
    ["stdio", "http", "docker"].into_iter().find(|name| spec[name].is_object()).unwrap_or("unknown")
}

/// A reference as people write it.
pub fn reference(value: &Json) -> String {
    if let Some(text) = value.as_str() {
        return text.to_owned();
    }
    let name = value["name"].as_str().or_else(|| value["slug"].as_str()).unwrap_or_default();
    match (value["scope"].as_str(), value["org"].as_str()) {
        (None, None) => name.to_owned(),
        (Some(scope), None) => format!("{scope}/{name}"),
        (scope, Some(org)) => format!("{}/{org}/{name}", scope.unwrap_or("organization")),
    }
}

/// References with commas between.
pub fn references(value: &Json) -> String {
    let items: Vec<String> = value.as_array().into_iter().flatten().map(reference).collect();
    items.join(", ")
}

/// The names of an agent's servers: those it refers to, then its own.
pub fn agent_servers(spec: &Json) -> Vec<String> {
    let usages = spec["mcp_server_usages"].as_array().into_iter().flatten();
    let used = usages.map(|usage| reference(&usage["mcp_server_ref"]));
    let own: Vec<String> = match &spec["mcp_servers"] {
        Json::Array(servers) => servers.iter().map(|server| text(server, "name").to_owned()).collect(),
        Json::Object(servers) => servers.keys().cloned().collect(),
        _ => Vec::new(),
    };
    used.chain(own).collect()
}
