//! `list`: everything a person may see of a kind, read page by page.

use model::Kind;
use serde_json::Value as Json;

use crate::args::{Format, ListArgs};
use crate::failure::Failure;
use crate::field::{agent_servers, reference, references, scope, server_type, text, texts};
use crate::http::Client;
use crate::output::Output;
use crate::query::Query;
use crate::session::{Chosen, Session};
use crate::table;

/// What a list answers, all pages together.
pub struct Listing {
    pub items: Vec<Json>,
    /// The revisions of the pages; one alone means that nothing changed between them.
    pub revisions: Vec<u64>,
}

/// Which resources are wanted.
#[derive(Default)]
pub struct Filter {
    pub chosen: Chosen,
    pub tags: Vec<String>,
    pub search: Option<String>,
}

/// Carries out `list`.
pub async fn run(kind: Kind, args: ListArgs, session: &mut Session<'_>) -> Result<(), Failure> {
    // A list shows everything unless asked otherwise: the context's scope does not narrow it.
    let chosen = match (args.scope, &args.org) {
        (None, None) => Chosen::default(),
        (scope, org) => session.chosen(kind, scope, org.as_ref())?,
    };
    let filtered =
        args.scope.is_some() || args.org.is_some() || !args.tags.is_empty() || args.search.is_some();
    let filter = Filter { chosen, tags: args.tags, search: args.search };
    let items = pages(&session.client()?, kind, &filter).await?.items;
    if items.is_empty() {
        say_empty(kind, filtered, session.output);
    }
    match args.output {
        Some(Format::Json) => session.output.json(&Json::Array(items)),
        Some(Format::Yaml) => documents(&items, session.output),
        None if items.is_empty() => Ok(()),
        None => {
            let rows: Vec<Vec<String>> = items.iter().map(|item| row(kind, item)).collect();
            session.output.block(&table::render(header(kind), &rows))
        }
    }
}

/// Follows cursors until there are no more.
pub async fn pages(client: &Client, kind: Kind, filter: &Filter) -> Result<Listing, Failure> {
    let mut listing = Listing { items: Vec::new(), revisions: Vec::new() };
    let mut cursor: Option<String> = None;
    loop {
        let mut query = Query::new(format!("/api/v1/{}", kind.collection())).chosen(&filter.chosen);
        for tag in &filter.tags {
            query = query.with("tag", tag);
        }
        query = query.maybe("search", filter.search.as_deref()).with("limit", "500");
        let mut page = client.get(&query.maybe("cursor", cursor.as_deref()).finish()).await?;
        if let Some(items) = page["items"].as_array_mut() {
            listing.items.append(items);
        }
        listing.revisions.extend(page["revision"].as_u64());
        match page["next_cursor"].as_str() {
            Some(next) if cursor.as_deref() != Some(next) => cursor = Some(next.to_owned()),
            _ => break,
        }
    }
    listing.revisions.dedup();
    Ok(listing)
}

/// YAML documents, one after the other.
pub fn documents(items: &[Json], output: &mut Output) -> Result<(), Failure> {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            output.text("---\n")?;
        }
        output.yaml(item)?;
    }
    Ok(())
}

fn say_empty(kind: Kind, filtered: bool, output: &mut Output) {
    let (title, noun) = (kind.title(), kind.noun());
    if filtered {
        output.note(&format!("No {title} matches. See all with `outfitter {noun} list`."));
        return;
    }
    let init = if kind == Kind::McpServer { "init --type stdio" } else { "init" };
    output.note(&format!("There is no {title} yet. Begin with:"));
    output.note(&format!("  outfitter {noun} {init} > my-{noun}.yaml"));
    output.note(&format!("  outfitter {noun} apply -f my-{noun}.yaml"));
}

const fn header(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::McpServer => &["NAME", "SCOPE", "TYPE", "TAGS"],
        Kind::Agent => &["NAME", "SCOPE", "CLIENT", "SERVERS"],
        Kind::Environment => &["NAME", "SCOPE", "KEYS"],
        Kind::AgentInstance => &["NAME", "SCOPE", "AGENT", "ENVIRONMENTS"],
        Kind::Executor => &["NAME", "SCOPE", "TYPE"],
    }
}

fn row(kind: Kind, item: &Json) -> Vec<String> {
    let (metadata, spec) = (&item["metadata"], &item["spec"]);
    let mut row = vec![text(metadata, "name").to_owned(), scope(metadata)];
    match kind {
        Kind::McpServer => row.extend([server_type(spec).to_owned(), texts(&spec["tags"])]),
        Kind::Agent => {
            let client = spec["client"].as_str().unwrap_or("generic").to_owned();
            row.extend([client, agent_servers(spec).join(", ")]);
        }
        Kind::Environment => row.push(key_count(&spec["data"])),
        Kind::AgentInstance => {
            row.extend([reference(&spec["agent_ref"]), references(&spec["environment_refs"])]);
        }
        Kind::Executor => row.push(text(spec, "type").to_owned()),
    }
    row
}

fn key_count(data: &Json) -> String {
    let values = || data.as_object().into_iter().flatten();
    match (values().count(), values().filter(|(_, value)| value["is_secret"] == true).count()) {
        (all, 0) => all.to_string(),
        (all, secret) => format!("{all} ({secret} secret)"),
    }
}

#[cfg(test)]
mod tests {
    use model::Kind;
    use serde_json::json;

    use super::row;

    #[test]
    fn each_kind_has_its_columns() {
        let of = |kind, spec| {
            row(kind, &json!({"metadata": {"name": "n", "scope": "platform"}, "spec": spec}))[2..].to_vec()
        };
        assert_eq!(of(Kind::McpServer, json!({"http": {}, "tags": ["a", "b"]})), ["http", "a, b"]);
        assert_eq!(
            of(
                Kind::Agent,
                json!({"mcp_server_usages": [{"mcp_server_ref": {"scope": "platform", "name": "x"}}], "mcp_servers": [{"name": "y"}]})
            ),
            ["generic", "platform/x, y"]
        );
        assert_eq!(
            of(Kind::Environment, json!({"data": {"A": {"is_secret": true}, "B": {}}})),
            ["2 (1 secret)"]
        );
        assert_eq!(
            of(Kind::AgentInstance, json!({"agent_ref": {"name": "a"}, "environment_refs": ["e", "f"]})),
            ["a", "e, f"]
        );
        assert_eq!(of(Kind::Executor, json!({"type": "k8s"})), ["k8s"]);
        let org =
            row(Kind::Executor, &json!({"metadata": {"name": "n", "scope": "organization", "org": "o"}}));
        assert_eq!(org[1], "organization/o");
    }
}
