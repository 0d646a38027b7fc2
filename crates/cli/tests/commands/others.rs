//! What other people have and let the caller see, and what happens where they or a token let no more.

use std::fs;

use cli::exit;

use super::{daemon, home_with, typed};

const MISSING: &str = r#"{"error":"MCP server `notes` was not found"}"#;
const NONE: &str = r#"{"items":[],"revision":3}"#;

/// A personal server called `notes`.
fn notes(id: &str) -> String {
    format!(
        r#"{{"apiVersion":"agentic.stigmer.ai/v1","kind":"McpServer","metadata":{{"name":"notes","scope":"identity_account","id":"{id}"}},"spec":{{"stdio":{{"command":"{id}"}}}}}}"#
    )
}

fn listed(ids: &[&str]) -> String {
    let items: Vec<String> = ids.iter().map(|id| notes(id)).collect();
    format!(r#"{{"items":[{}],"revision":3}}"#, items.join(","))
}

#[test]
fn export_keeps_ones_own_and_says_what_it_leaves_out() {
    let own = notes("mine");
    for (ids, own, kept) in [
        (["theirs", "mine"], (200, own.as_str()), "mine"),
        (["mine", "theirs"], (200, own.as_str()), "mine"),
        (["theirs", "hers"], (404, MISSING), "theirs"),
    ] {
        let home = home_with(&[]);
        let page = listed(&ids);
        let lists = [(200, page.as_str()), (200, NONE), (200, NONE), (200, NONE), (200, NONE)];
        let asked = daemon(home.path(), &[&lists[..], &[own], &lists[..], &[own]].concat());
        let done = typed(home.path(), &["export", "out"]);
        assert_eq!(done.code, exit::DONE, "{ids:?}: {}", done.err);
        assert!(done.out.starts_with("✓ 1 resource exported to out\n"), "{ids:?}: {}", done.out);
        assert!(done.err.contains("MCP server `notes` (identity_account)"), "{ids:?}: {}", done.err);
        assert_eq!(done.err.matches("belongs to someone else").count(), 1, "{ids:?}: {}", done.err);
        let file = home.path().join("out/identity_account/mcpserver/notes.yaml");
        let text = fs::read_to_string(file).unwrap();
        assert!(text.contains(&format!("command: {kept}\n")), "{ids:?}: {text}");
        let request = asked.lock().unwrap()[5].clone();
        assert!(request.starts_with("GET /api/v1/mcpservers/notes?scope=identity_account "), "{request}");
        let stream = typed(home.path(), &["export", "-"]);
        assert_eq!(stream.out, text, "a stream holds nothing twice either");
    }
}

#[test]
fn what_a_changing_store_tells_twice_is_exported_once_and_is_nobody_elses() {
    let home = home_with(&[]);
    let page = listed(&["mine", "mine"]);
    daemon(home.path(), &[(200, &page), (200, NONE), (200, NONE), (200, NONE), (200, NONE)]);
    let done = typed(home.path(), &["export", "out"]);
    assert_eq!((done.code, done.err.as_str()), (exit::DONE, ""));
    assert!(done.out.starts_with("✓ 1 resource exported"), "{}", done.out);
}

#[test]
fn a_stream_that_is_reset_ends_with_its_reason() {
    let home = home_with(&[]);
    let events = "id: 5.0\nevent: put\ndata: {\"revision\":5,\"resource\":{\"kind\":\"McpServer\",\"metadata\":{\"name\":\"a\",\"scope\":\"platform\"}}}\n\nevent: reset\ndata: {\"reason\":\"your rights\\u001b changed\"}\n\n";
    daemon(home.path(), &[(200, events)]);
    let done = typed(home.path(), &["watch"]);
    assert_eq!((done.code, done.out.as_str()), (exit::NOT_ALLOWED, "5.0 put McpServer `a` (platform)\n"));
    insta::assert_snapshot!(done.err, @r"
    error: the stream ended: your rights\u{1b} changed
      hint: list again to see what you may see now, and watch from there
    ");
}

#[test]
fn a_hint_never_repeats_the_call_that_failed() {
    let found = listed(&["theirs", "hers"]);
    let someone = "  hint: one belongs to someone else: outfitter mcpserver get notes --owner USER\n";
    let own = "  hint: it exists elsewhere: outfitter mcpserver get notes --scope identity_account\n";
    for (words, hint) in [
        (&["get", "notes"][..], someone),
        (&["get", "notes", "--scope", "identity_account"], someone),
        (&["delete", "notes", "--scope", "identity_account", "--force"], someone),
        (&["get", "notes", "--scope", "platform"], own),
        (&["get", "notes", "--owner", "bob"], own),
    ] {
        let home = home_with(&[]);
        daemon(home.path(), &[(404, MISSING), (200, &found)]);
        let done = typed(home.path(), &[&["mcpserver"], words].concat());
        assert_eq!(done.code, exit::NOT_FOUND, "{words:?}");
        assert_eq!(done.err, format!("error: MCP server `notes` was not found\n{hint}"), "{words:?}");
    }
}

#[test]
fn a_token_that_is_too_narrow_is_told_from_a_right_that_is_missing() {
    let home = home_with(&[]);
    let refused = r#"{"error":"you may not edit it: the token is read-only"}"#;
    daemon(home.path(), &[(403, refused)]);
    let done = typed(home.path(), &["grant", "view", "mcpserver", "notes", "--to", "ana"]);
    assert_eq!(done.code, exit::NOT_ALLOWED);
    assert!(done.err.contains("use another token") && !done.err.contains("operator"), "{}", done.err);
}

#[test]
fn an_agent_of_an_organization_needs_the_organization() {
    let home = home_with(&[]);
    let done = typed(home.path(), &["token", "create", "--agent", "x", "--agent-scope", "organization"]);
    assert_eq!((done.code, done.out.as_str()), (exit::USAGE, ""));
    assert!(
        done.err.starts_with("error: `--agent-scope organization` needs `--agent-org`\n"),
        "{}",
        done.err
    );
}
