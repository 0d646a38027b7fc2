//! Codex's `config.toml`. It fills in no placeholders: `${X}` there is just characters.

use std::collections::BTreeMap;

use model::tree::Position;
use serde_json::{Map, Value as Json};
use toml_edit::{Document, Item, TableLike, Value};

use super::Found;
use super::draft::{Draft, Refused};
use super::entry;

/// Whether a text is TOML with servers in it.
pub fn looks_like(text: &str) -> bool {
    Document::parse(text).is_ok_and(|document| document.contains_key("mcp_servers"))
}

/// Reads every server, or says why the text is no TOML.
pub fn read(text: &str) -> Result<Vec<Found>, String> {
    let document =
        Document::parse(text).map_err(|error| format!("is not valid TOML: {}", error.message()))?;
    let Some(servers) = document.get("mcp_servers") else { return Ok(Vec::new()) };
    let servers = servers.as_table_like().ok_or("`mcp_servers` must be a table of servers")?;
    Ok(servers
        .iter()
        .map(|(name, item)| {
            let start = item.span().and_then(|span| text.get(..span.start));
            let line = start.map_or(0, |before| before.matches('\n').count()) + 1;
            let at = Position { line: u32::try_from(line).unwrap_or(u32::MAX), column: 1 };
            Found { name: name.to_owned(), at, draft: server(name, item) }
        })
        .collect())
}

fn server(name: &str, item: &Item) -> Result<Draft, Refused> {
    let table = item.as_table_like().ok_or("must be a table")?;
    let mut fields = object(table);
    let timeouts: Vec<String> = fields.keys().filter(|key| key.contains("timeout")).cloned().collect();
    let env_vars = fields.shift_remove("env_vars");
    let static_headers = fields.shift_remove("http_headers");
    let env_headers = fields.shift_remove("env_http_headers");
    let bearer = fields.shift_remove("bearer_token_env_var");
    if let Some(headers) = static_headers {
        fields.insert("headers".to_owned(), headers);
    }
    for key in &timeouts {
        fields.shift_remove(key);
    }
    let mut draft = entry::read(name, &Json::Object(fields), None)?;
    draft.interpolates = false;
    for key in timeouts {
        draft.notes.push(format!("server `{name}`: `{key}` is ignored"));
    }
    for variable in env_vars.as_ref().and_then(Json::as_array).into_iter().flatten() {
        if let Some(variable) = variable.as_str().or_else(|| variable["name"].as_str()) {
            draft.declared.insert(variable.to_owned(), entry::declare(variable));
        }
    }
    from_variables(&mut draft, env_headers.as_ref(), bearer.as_ref())?;
    Ok(draft)
}

/// Headers whose values come from variables.
fn from_variables(draft: &mut Draft, headers: Option<&Json>, bearer: Option<&Json>) -> Result<(), String> {
    let named = headers.map_or_else(|| Ok(BTreeMap::new()), entry::texts);
    let named = named.map_err(|why| format!("`env_http_headers` {why}"))?;
    for (header, variable) in named {
        draft.headers.insert(header, format!("${{{variable}}}"));
        draft.declared.insert(variable.clone(), entry::declare(&variable));
    }
    if let Some(variable) = bearer.and_then(Json::as_str) {
        entry::bearer(variable, draft);
    }
    Ok(())
}

fn object(table: &dyn TableLike) -> Map<String, Json> {
    table.iter().map(|(key, item)| (key.to_owned(), json(item))).collect()
}

fn json(item: &Item) -> Json {
    match item {
        Item::None => Json::Null,
        Item::Value(value) => value_json(value),
        Item::Table(table) => Json::Object(object(table)),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| Json::Object(object(table))).collect(),
    }
}

fn value_json(value: &Value) -> Json {
    match value {
        Value::String(text) => text.value().as_str().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => (*number.value()).into(),
        Value::Boolean(value) => (*value.value()).into(),
        Value::Datetime(time) => time.value().to_string().into(),
        Value::Array(items) => items.iter().map(value_json).collect(),
        Value::InlineTable(table) => Json::Object(object(table)),
    }
}
