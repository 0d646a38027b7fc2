//! `get`: one resource, as a readable block or whole.

use model::{Kind, ScopeName};
use serde_json::Value as Json;

use crate::args::{Format, GetArgs};
use crate::escape;
use crate::failure::{Cause, Failure};
use crate::field::{self, plain, text, texts};
use crate::http::Client;
use crate::output::{Output, Style};
use crate::query::Query;
use crate::session::Session;

type Row = (&'static str, String);

/// Carries out `get`.
pub async fn run(kind: Kind, args: GetArgs, session: &mut Session<'_>) -> Result<(), Failure> {
    let path = Query::new(format!("/api/v1/{}/{}", kind.collection(), args.name));
    let (path, own) = if let Some(owner) = &args.owner {
        (path.with("owner", owner.as_str()), false)
    } else {
        let chosen = session.chosen(kind, args.scope, args.org.as_ref())?;
        let own = chosen.scope.map_or(chosen.org.is_none(), |scope| scope == ScopeName::IdentityAccount);
        (path.chosen(&chosen), own)
    };
    let (client, path) = (session.client()?, path.finish());
    let resource = match client.get(&path).await {
        Err(failure) if failure.cause == Cause::NotFound => {
            return Err(elsewhere(&client, kind, args.name.as_str(), ("get", own), failure).await);
        }
        other => other?,
    };
    match args.output {
        Some(Format::Yaml) => session.output.yaml(&resource),
        Some(Format::Json) => session.output.json(&resource),
        None => describe(kind, &resource, session.output),
    }
}

/// Adds to a failure where else the name is known. `tried` is the verb that failed, and whether it looked
/// into the caller's own scope: what is found there all the same is another person's.
pub async fn elsewhere(
    client: &Client,
    kind: Kind,
    name: &str,
    tried: (&str, bool),
    failure: Failure,
) -> Failure {
    let (verb, own) = tried;
    let noun = kind.noun();
    let path = Query::new(format!("/api/v1/{}", kind.collection())).with("search", name).with("limit", "500");
    let found = client.get(&path.finish()).await.unwrap_or_default();
    let mut places: Vec<String> = found["items"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|item| text(&item["metadata"], "name") == name)
        .map(|item| {
            let org =
                item["metadata"]["org"].as_str().map_or_else(String::new, |org| format!(" --org {org}"));
            let scope = text(&item["metadata"], "scope");
            if own && scope == ScopeName::IdentityAccount.as_str() {
                return format!("one belongs to someone else: outfitter {noun} get {name} --owner USER");
            }
            format!("it exists elsewhere: outfitter {noun} {verb} {name} --scope {scope}{org}")
        })
        .collect();
    // Manifests do not say whose they are: several people's read the same.
    places.dedup();
    if places.is_empty() {
        return failure.hint(format!("see what there is with `outfitter {noun} list`"));
    }
    places.into_iter().fold(failure, Failure::hint)
}

fn describe(kind: Kind, resource: &Json, output: &mut Output) -> Result<(), Failure> {
    let metadata = &resource["metadata"];
    let by = |at: &str, by: &str| match (text(metadata, at), text(metadata, by)) {
        ("", _) => String::new(),
        (at, "") => at.to_owned(),
        (at, by) => format!("{at} by {by}"),
    };
    let rows = [
        ("Name", text(metadata, "name").to_owned()),
        ("Scope", field::scope(metadata)),
        ("ID", text(metadata, "id").to_owned()),
        ("Revision", plain(&metadata["revision"])),
        ("Labels", pairs(&metadata["labels"])),
        ("Created", by("created_at", "created_by")),
        ("Updated", by("updated_at", "updated_by")),
    ];
    let state = text(&resource["status"], "validation_state");
    let state = state.strip_prefix("VALIDATION_STATE_").unwrap_or(state).to_ascii_lowercase();
    let status =
        [("Validation", state), ("Message", text(&resource["status"], "validation_message").to_owned())];
    for (heading, rows) in
        [("Metadata:", rows.as_slice()), ("Spec:", &spec_rows(kind, &resource["spec"])), ("Status:", &status)]
    {
        if heading != "Metadata:" {
            output.line("")?;
        }
        output.styled(Style::Heading, heading)?;
        output.block(&block(rows))?;
    }
    Ok(())
}

/// Labelled lines; rows without a value are left out.
pub fn block(rows: &[Row]) -> String {
    let rows: Vec<&Row> = rows.iter().filter(|(_, value)| !value.is_empty()).collect();
    let width = rows.iter().map(|(label, _)| label.len() + 1).max().unwrap_or_default();
    let lines: Vec<String> = rows
        .iter()
        .map(|(label, value)| {
            let label = format!("{label}:");
            format!("  {label:width$} {}", escape::cell(value))
        })
        .collect();
    lines.join("\n")
}

/// What a spec says, as labelled rows.
pub fn spec_rows(kind: Kind, spec: &Json) -> Vec<Row> {
    let mut rows = vec![("Description", text(spec, "description").to_owned())];
    match kind {
        Kind::McpServer => rows.extend(server_rows(spec)),
        Kind::Agent => rows.extend([
            ("Client", or(text(spec, "client"), "generic")),
            ("Servers", field::agent_servers(spec).join(", ")),
            ("MCP", if spec["mcp_enabled"] == false { "disabled".to_owned() } else { String::new() }),
            ("Delivery", text(spec, "delivery").to_owned()),
            ("Tags", texts(&spec["tags"])),
            ("Environment", keys(&spec["env_spec"]["data"])),
        ]),
        Kind::Environment => rows.push(("Keys", keys(&spec["data"]))),
        Kind::AgentInstance => rows.extend([
            ("Agent", field::reference(&spec["agent_ref"])),
            ("Environments", field::references(&spec["environment_refs"])),
            ("Runtime keys", keys(&spec["runtime_env"])),
        ]),
        Kind::Executor => rows.extend([
            ("Type", text(spec, "type").to_owned()),
            ("Policy", compact(&spec["config"]["mcp_policy"])),
        ]),
    }
    rows
}

fn server_rows(spec: &Json) -> Vec<Row> {
    let mut rows = vec![("Type", field::server_type(spec).to_owned())];
    let (stdio, http, docker) = (&spec["stdio"], &spec["http"], &spec["docker"]);
    rows.extend([
        ("Command", text(stdio, "command").to_owned()),
        ("Directory", text(stdio, "working_dir").to_owned()),
        ("URL", text(http, "url").to_owned()),
        ("Transport", text(http, "transport").to_owned()),
        ("Headers", keys(&http["headers"])),
        (
            "Timeout",
            http["timeout_seconds"].as_u64().map_or_else(String::new, |seconds| format!("{seconds} s")),
        ),
        ("Image", text(docker, "image").to_owned()),
        ("Args", words(if stdio.is_object() { &stdio["args"] } else { &docker["args"] })),
        ("Mode", text(spec, "mode").to_owned()),
        ("Tags", texts(&spec["tags"])),
        ("Tools", or(&texts(&spec["default_enabled_tools"]), "all")),
        ("Environment", keys(&spec["env_spec"]["data"])),
        ("Fixed values", keys(&spec["env"])),
    ]);
    rows
}

fn or(text: &str, fallback: &str) -> String {
    if text.is_empty() { fallback.to_owned() } else { text.to_owned() }
}

fn compact(value: &Json) -> String {
    if value.is_null() { String::new() } else { value.to_string() }
}

/// Arguments, quoted where a blank would mislead.
fn words(value: &Json) -> String {
    let quote = |item: &Json| {
        let text = plain(item);
        if text.is_empty() || text.contains(char::is_whitespace) { format!("{text:?}") } else { text }
    };
    let items: Vec<String> = value.as_array().into_iter().flatten().map(quote).collect();
    items.join(" ")
}

fn pairs(value: &Json) -> String {
    let pair = |(key, value): (&String, &Json)| format!("{key}={}", plain(value));
    let items: Vec<String> = value.as_object().into_iter().flatten().map(pair).collect();
    items.join(", ")
}

/// The keys of a map, with a mark on those that are secret.
fn keys(value: &Json) -> String {
    let mark = |(key, value): (&String, &Json)| {
        if value["is_secret"] == true { format!("{key} (secret)") } else { key.clone() }
    };
    let items: Vec<String> = value.as_object().into_iter().flatten().map(mark).collect();
    items.join(", ")
}

#[cfg(test)]
mod tests {
    use model::Kind;
    use serde_json::json;

    use super::{block, spec_rows};

    #[test]
    fn a_server_is_shown_with_its_keys_and_never_with_values() {
        let spec = json!({
            "description": "GitHub\u{1b}[31m",
            "stdio": {"command": "npx", "args": ["-y", "a b"]},
            "tags": ["git", "vcs"],
            "env_spec": {"data": {"GITHUB_TOKEN": {"is_secret": true}, "LOG": {"value": "hidden"}}},
        });
        insta::assert_snapshot!(block(&spec_rows(Kind::McpServer, &spec)), @r#"
          Description: GitHub\u{1b}[31m
          Type:        stdio
          Command:     npx
          Args:        -y "a b"
          Tags:        git, vcs
          Tools:       all
          Environment: GITHUB_TOKEN (secret), LOG
        "#);
    }
}
