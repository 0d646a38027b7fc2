//! One server of a JSON configuration, in any client's dialect.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::draft::{Declared, Draft, Reach, Refused};
use super::secret;
use crate::args::ImportClient;

const ADD: &str = "add `command` and `args` of a program, or the `url` of a server";

/// Reads a server, or says why it is none.
pub fn read(name: &str, value: &Json, client: Option<ImportClient>) -> Result<Draft, Refused> {
    let Json::Object(fields) = value else {
        return Err(Refused::new("must be a map with `command` or `url`", ADD));
    };
    let mut fields = fields.clone();
    let mut draft = Draft { name: name.to_owned(), interpolates: true, ..Draft::default() };
    draft.reach = reach(&mut fields, client, &mut draft)?;
    for key in ["env", "environment"] {
        if let Some(env) = fields.shift_remove(key) {
            draft.env.extend(texts(&env).map_err(|why| format!("`{key}` {why}"))?);
        }
    }
    for key in ["bearerTokenEnvVar", "bearer_token_env_var"] {
        if let Some(variable) = take_text(&mut fields, key) {
            bearer(&variable, &mut draft);
        }
    }
    draft.description = take_text(&mut fields, "description").unwrap_or_default();
    tools(&mut fields, &mut draft);
    if fields.get("disabled") == Some(&Json::Bool(true)) || fields.get("enabled") == Some(&Json::Bool(false))
    {
        draft.notes.push(format!("server `{name}` is switched off there; it was imported all the same"));
    }
    for key in ["disabled", "enabled"] {
        fields.shift_remove(key);
    }
    // Zed's word for a server that comes with no extension.
    if fields.get("source").is_some_and(|source| source == "custom") {
        fields.shift_remove("source");
    }
    for key in fields.keys() {
        draft.ignored(key);
    }
    Ok(draft)
}

/// A bearer token out of a variable.
pub fn bearer(variable: &str, draft: &mut Draft) {
    draft.headers.insert("Authorization".to_owned(), format!("Bearer ${{{variable}}}"));
    draft.declared.insert(variable.to_owned(), Declared { secret: true, default: None });
}

fn reach(
    fields: &mut Map<String, Json>,
    client: Option<ImportClient>,
    draft: &mut Draft,
) -> Result<Reach, Refused> {
    let transport = take_text(fields, "transport");
    let word = take_text(fields, "type").or(transport).map(|word| word.to_ascii_lowercase());
    let command = fields.shift_remove("command");
    let mut url = None;
    for key in ["httpUrl", "url", "serverUrl", "uri"] {
        if let Some(found) = take_text(fields, key) {
            if url.is_none() {
                url = Some((key, found));
            } else {
                draft.ignored(key);
            }
        }
    }
    let is_remote = word.as_deref().is_some_and(|word| word != "stdio" && word != "local");
    match (command, url) {
        (Some(command), found) if !is_remote || found.is_none() => {
            if let Some((key, _)) = found {
                draft.ignored(key);
            }
            program(&command, fields, draft)
        }
        (_, Some((key, url))) => {
            let headers = fields.shift_remove("headers").unwrap_or_default();
            let headers = texts(&headers).map_err(|why| format!("`headers` {why}"))?;
            let flavour = flavour(word.as_deref(), key, client, draft);
            Ok(Reach::Url { url, headers, flavour })
        }
        _ => Err(Refused::new("has neither `command` nor `url`", ADD)),
    }
}

/// The transport a URL speaks, as this client reads it.
fn flavour(
    word: Option<&str>,
    key: &str,
    client: Option<ImportClient>,
    draft: &mut Draft,
) -> Option<&'static str> {
    if client == Some(ImportClient::QwenCode) && key == "url" {
        return Some("sse");
    }
    match word {
        Some("sse") => Some("sse"),
        Some("streamable-http" | "streamable_http" | "streamablehttp") => Some("streamable_http"),
        None if key == "httpUrl" => Some("streamable_http"),
        None | Some("http" | "remote") => None,
        Some(other) => {
            draft.notes.push(format!(
                "server `{}`: transport `{other}` is not known; it will be found out when connecting",
                draft.name
            ));
            None
        }
    }
}

fn program(command: &Json, fields: &mut Map<String, Json>, draft: &mut Draft) -> Result<Reach, Refused> {
    let mut words = match command {
        // Zed keeps the program with its arguments and variables.
        Json::Object(inner) => {
            for (key, value) in inner.iter().filter(|(key, _)| key.as_str() != "path") {
                fields.entry(key).or_insert_with(|| value.clone());
            }
            let path = inner.get("path").and_then(Json::as_str);
            vec![path.ok_or_else(|| Refused::new("`command` has no `path`", ADD))?.to_owned()]
        }
        Json::String(command) => vec![command.clone()],
        Json::Array(words) => {
            words.iter().map(text).collect::<Option<_>>().ok_or("`command` must hold texts")?
        }
        _ => return Err("`command` must be text or a list of texts".into()),
    };
    if words.first().is_none_or(String::is_empty) {
        return Err(Refused::new("`command` is empty", ADD));
    }
    let args = match fields.shift_remove("args") {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::Array(args)) => {
            args.iter().map(text).collect::<Option<Vec<_>>>().ok_or("`args` must hold texts")?
        }
        Some(_) => return Err(Refused::new("`args` must be a list of texts", "write `[\"one\", \"two\"]`")),
    };
    let command = words.remove(0);
    words.extend(args);
    let mut directory = None;
    for key in ["cwd", "working_dir", "workingDirectory"] {
        if let Some(path) = take_text(fields, key) {
            if path.starts_with('/') {
                directory = Some(path);
            } else {
                draft
                    .notes
                    .push(format!("server `{}`: `{key}` is ignored: it is no absolute path", draft.name));
            }
        }
    }
    Ok(Reach::Program { command, args: words, directory })
}

/// The tools that are enabled; `*` means all of them.
fn tools(fields: &mut Map<String, Json>, draft: &mut Draft) {
    for key in ["includeTools", "enabledTools", "enabled_tools", "tools"] {
        let names = fields.get(key).and_then(Json::as_array).and_then(|names| {
            names.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        });
        if let Some(names) = names {
            fields.shift_remove(key);
            draft.tools.extend(names.into_iter().filter(|name| name != "*"));
        }
    }
}

fn take_text(fields: &mut Map<String, Json>, key: &str) -> Option<String> {
    match fields.get(key) {
        Some(Json::String(_)) => match fields.shift_remove(key) {
            Some(Json::String(text)) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// Text, or a number or truth value as text.
fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// A map of texts, or a list of names with values.
pub fn texts(value: &Json) -> Result<BTreeMap<String, String>, String> {
    match value {
        Json::Null => Ok(BTreeMap::new()),
        Json::Object(map) => map
            .iter()
            .map(|(key, value)| {
                let value = text(value).ok_or_else(|| format!("must hold texts, and `{key}` is none"))?;
                Ok((key.clone(), value))
            })
            .collect(),
        Json::Array(items) => {
            items.iter().map(named).collect::<Option<_>>().ok_or_else(|| {
                "must be a map of texts, or a list of entries with `name` and `value`".to_owned()
            })
        }
        _ => Err("must be a map of texts".to_owned()),
    }
}

fn named(item: &Json) -> Option<(String, String)> {
    Some((item["name"].as_str()?.to_owned(), text(&item["value"])?))
}

/// A variable that is only named.
pub fn declare(name: &str) -> Declared {
    Declared { secret: secret::named(name), default: None }
}
