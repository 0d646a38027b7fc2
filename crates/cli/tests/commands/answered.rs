//! Commands against a scripted daemon.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use cli::exit;

use super::{GITHUB, answer, daemon, home_with, typed};

fn result(outcome: &str) -> String {
    format!(
        r#"{{"revision":1,"results":[{{"kind":"McpServer","name":"github","scope":"identity_account","outcome":"{outcome}","changes":[{{"path":"spec.stdio.command","from":"a","to":"npx"}}],"warnings":[]}}]}}"#
    )
}

#[test]
fn the_context_is_kept_for_its_owner_alone_and_fills_in_the_scope() {
    let home = home_with(&[("ok.yaml", GITHUB)]);
    assert_eq!(typed(home.path(), &["context", "set", "--org", "acme"]).code, exit::DONE);
    let file = home.path().join(".config/outfitter/context.yaml");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(typed(home.path(), &["context", "show"]).out, "scope: organization\norg: acme\n");
    let asked = daemon(home.path(), &[(200, &result("created"))]);
    let done = typed(home.path(), &["mcpserver", "apply", "-f", "ok.yaml"]);
    assert!(done.out.contains("  Scope: organization/acme\n"), "{done:?}");
    assert!(asked.lock().unwrap()[0].contains(r#""scope":"organization","org":"acme""#));
    assert_eq!(typed(home.path(), &["context", "unset"]).code, exit::DONE);
    assert!(!file.exists());
    assert_eq!(typed(home.path(), &["context", "set"]).code, exit::USAGE);
    assert_eq!(typed(home.path(), &["context", "set", "--server-url", "x"]).code, exit::USAGE);
}

#[test]
fn apply_speaks_the_contracts_words() {
    let home = home_with(&[("github-mcp.yaml", GITHUB)]);
    let asked = daemon(home.path(), &[(200, &result("created")), (200, &result("updated"))]);
    let done = typed(home.path(), &["mcpserver", "apply", "-f", "github-mcp.yaml"]);
    assert_eq!(done.code, exit::DONE, "{}", done.err);
    insta::assert_snapshot!(done.out, @r"
    Applying MCP server from: github-mcp.yaml

      Name:  github
      Scope: identity_account

    ✓ MCP server applied successfully

      Status: created (new resource)

    Next steps:
      - Reference this MCP server in your agent definition
      - View details: outfitter mcpserver get github
    ");
    assert!(asked.lock().unwrap()[0].starts_with("POST /api/v1/apply HTTP/1.1\r\nhost: localhost\r\n"));
    let done = typed(home.path(), &["mcpserver", "apply", "-f", "github-mcp.yaml", "--dry-run"]);
    insta::assert_snapshot!(done.out, @r"
    Applying MCP server from: github-mcp.yaml

      Name:  github
      Scope: identity_account

    MCP Server Preview:
      Name:    github
      Type:    stdio
      Command: npx
      Tools:   all

      Status: would be updated (existing resource)

    Dry run successful - no changes made
    ");
    assert!(asked.lock().unwrap()[1].starts_with("POST /api/v1/apply?dry_run=true "));
}

#[test]
fn many_documents_get_a_line_each_and_a_sum() {
    let home = home_with(&[("m.yaml", &format!("{GITHUB}---\n{}", GITHUB.replace("github", "slack")))]);
    let one = result("created");
    let inner = one.split_once('[').unwrap().1.rsplit_once(']').unwrap().0;
    let both = format!(r#"{{"revision":1,"results":[{inner},{}]}}"#, inner.replace("created", "unchanged"));
    daemon(home.path(), &[(200, &both)]);
    let done = typed(home.path(), &["apply", "-f", "m.yaml"]);
    insta::assert_snapshot!(done.out, @r"
    MCP server `github` (identity_account): created
    MCP server `slack` (identity_account): unchanged

    1 created, 0 updated, 1 unchanged
    ");
}

#[test]
fn problems_from_the_daemon_are_shown_where_they_were_written() {
    let home = home_with(&[("a.yaml", GITHUB)]);
    let body = r#"{"error":"1 problem","problems":[{"severity":"error","document":0,"path":"spec.stdio.command","message":"may not"}]}"#;
    daemon(home.path(), &[(400, body)]);
    let done = typed(home.path(), &["apply", "-f", "a.yaml"]);
    assert_eq!(done.code, exit::INPUT);
    assert!(done.err.starts_with("a.yaml:7:5: spec.stdio.command: may not\n"), "{}", done.err);
}

#[test]
fn diff_shows_fields_and_exits_with_one_only_when_asked() {
    let home = home_with(&[("a.yaml", GITHUB)]);
    let answer = result("updated");
    daemon(home.path(), &[(200, &answer), (200, &answer)]);
    let done = typed(home.path(), &["diff", "-f", "a.yaml"]);
    assert_eq!(done.code, exit::DONE);
    assert_eq!(
        done.out,
        "MCP server `github` (identity_account): updated from a.yaml\n- spec.stdio.command: a\n+ spec.stdio.command: npx\n"
    );
    assert_eq!(typed(home.path(), &["diff", "-f", "a.yaml", "--exit-code"]).code, exit::INPUT);
}

#[test]
fn a_name_that_lives_elsewhere_is_hinted_at() {
    let home = home_with(&[]);
    let missing = r#"{"error":"MCP server `github` was not found"}"#;
    let found =
        r#"{"items":[{"metadata":{"name":"github","scope":"organization","org":"acme"}}],"revision":1}"#;
    daemon(home.path(), &[(404, missing), (200, found)]);
    let done = typed(home.path(), &["mcpserver", "get", "github"]);
    assert_eq!(done.code, exit::NOT_FOUND);
    assert!(
        done.err.contains("outfitter mcpserver get github --scope organization --org acme"),
        "{}",
        done.err
    );
}

#[test]
fn delete_needs_a_scope_and_a_yes() {
    let home = home_with(&[]);
    let bare = typed(home.path(), &["mcpserver", "delete", "github"]);
    assert_eq!(bare.code, exit::USAGE);
    assert!(bare.err.contains("outfitter mcpserver delete github --scope identity_account"), "{}", bare.err);
    let unasked = typed(home.path(), &["mcpserver", "delete", "github", "--scope", "platform"]);
    assert_eq!(unasked.code, exit::USAGE);
    assert!(unasked.err.contains("--force"), "{}", unasked.err);
    let referenced = r#"{"error":"MCP server `github` is referenced","problems":[{"severity":"error","message":"agent `a` (platform) refers to it"}]}"#;
    let asked = daemon(home.path(), &[(200, r#"{"revision":2,"results":[]}"#), (409, referenced)]);
    let words = ["mcpserver", "delete", "github", "--scope", "platform", "--force"];
    assert_eq!(typed(home.path(), &words).out, "✓ MCP server deleted\n");
    assert!(
        asked.lock().unwrap()[0].starts_with("DELETE /api/v1/mcpservers/github?scope=platform&force=true ")
    );
    let refused = typed(home.path(), &words);
    assert_eq!(refused.code, exit::CONFLICT);
    assert!(refused.err.contains("agent `a` (platform) refers to it"), "{}", refused.err);
}

#[test]
fn export_writes_what_applies_and_refuses_an_occupied_directory() {
    let home = home_with(&[]);
    let server = r#"{"items":[{"apiVersion":"agentic.stigmer.ai/v1","kind":"McpServer","metadata":{"name":"github","scope":"platform","id":"i","revision":3},"spec":{"stdio":{"command":"npx"}},"status":{"validation_state":"VALIDATION_STATE_VALID"}}],"revision":3}"#;
    let none = r#"{"items":[],"revision":3}"#;
    daemon(home.path(), &[(200, server), (200, none), (200, none), (200, none), (200, none)]);
    assert_eq!(typed(home.path(), &["export", "out"]).code, exit::DONE);
    let text = fs::read_to_string(home.path().join("out/platform/mcpserver/github.yaml")).unwrap();
    assert!(!text.contains("revision") && !text.contains("status"), "{text}");
    assert_eq!(typed(home.path(), &["validate", "-f", "out", "--strict"]).code, exit::DONE);
    assert_eq!(typed(home.path(), &["export", "out"]).code, exit::CONFLICT);
}

#[test]
fn a_backup_is_complete_private_and_never_overwrites() {
    let home = home_with(&[]);
    let whole = "{\"a\":1}\n{\"sha256\":\"ab\"}\n";
    daemon(home.path(), &[(200, whole), (200, "{\"a\":1}\n"), (200, whole)]);
    assert_eq!(typed(home.path(), &["backup", "b"]).code, exit::DONE);
    let file = home.path().join("b");
    assert_eq!(fs::read_to_string(&file).unwrap(), whole);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(typed(home.path(), &["backup", "b"]).code, exit::CONFLICT);
    let cut = typed(home.path(), &["backup", "c"]);
    assert_eq!(cut.code, exit::UNREACHABLE);
    assert!(!home.path().join("c").exists());
    assert_eq!(typed(home.path(), &["backup", "b", "--force"]).code, exit::DONE);
    let left: Vec<_> = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("part")), "{left:?}");
}

#[test]
fn watch_prints_a_line_per_change_and_says_how_to_go_on() {
    let home = home_with(&[]);
    let events = "id: 5.0\nevent: put\ndata: {\"revision\":5,\"resource\":{\"kind\":\"McpServer\",\"metadata\":{\"name\":\"a\",\"scope\":\"platform\"}}}\n\nid: 6\nevent: bookmark\n\n";
    let asked = daemon(home.path(), &[(200, events)]);
    let done = typed(home.path(), &["watch", "--from", "4", "--kind", "McpServer"]);
    assert_eq!((done.code, done.out.as_str()), (exit::UNREACHABLE, "5.0 put McpServer `a` (platform)\n"));
    assert!(done.err.contains("outfitter watch --from 6"), "{}", done.err);
    assert!(asked.lock().unwrap()[0].starts_with("GET /api/v1/watch?from=4&kind=McpServer "));
}

#[test]
fn over_tcp_the_token_goes_along_with_the_host() {
    let home = home_with(&[("token", "secret-token\n")]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = answer(
        move || listener.accept().unwrap().0,
        &[(200, r#"{"account":"alice","operator":false,"version":"1"}"#)],
    );
    let server = format!("http://{address}");
    let done = typed(home.path(), &["whoami", "--server", &server, "--token-file", "token"]);
    assert_eq!(done.code, exit::DONE, "{}", done.err);
    assert!(done.out.contains("Account:  alice\n  Operator: no\n"), "{}", done.out);
    let request = asked.lock().unwrap()[0].to_ascii_lowercase();
    assert!(request.contains(&format!("host: {address}\r\n")), "{request}");
    assert!(request.contains("authorization: bearer secret-token\r\n"), "{request}");
}

#[test]
fn each_refusal_has_its_exit_code_and_says_what_to_do() {
    let home = home_with(&[]);
    let cases = [
        (401, exit::NOT_ALLOWED, "OUTFITTER_TOKEN"),
        (403, exit::NOT_ALLOWED, "whoami"),
        (410, exit::CONFLICT, "list again"),
        (503, exit::UNREACHABLE, "try again"),
        (400, exit::INPUT, "no"),
    ];
    let answers: Vec<(u16, &str)> = cases.iter().map(|(status, ..)| (*status, r#"{"error":"no"}"#)).collect();
    daemon(home.path(), &answers);
    for (status, code, hint) in cases {
        let done = typed(home.path(), &["whoami"]);
        assert_eq!(done.code, code, "{status}");
        assert!(done.err.contains("error: no") && done.err.contains(hint), "{status}: {}", done.err);
    }
}

#[test]
fn a_list_follows_its_cursor_and_never_prints_control_characters() {
    let home = home_with(&[]);
    let item = |name: &str| {
        format!(
            r#"{{"metadata":{{"name":"{name}","scope":"platform"}},"spec":{{"stdio":{{}},"tags":["\u001b[31m","\u202e"]}}}}"#
        )
    };
    let first = format!(r#"{{"items":[{}],"next_cursor":"n","revision":1}}"#, item("a"));
    let second = format!(r#"{{"items":[{}],"revision":1}}"#, item("b"));
    let asked = daemon(
        home.path(),
        &[
            (200, &first),
            (200, &second),
            (200, r#"{"items":[],"revision":1}"#),
            (200, &second),
            (200, &second),
        ],
    );
    let done = typed(home.path(), &["mcpserver", "list"]);
    assert_eq!(done.out.lines().count(), 3, "{}", done.out);
    assert!(asked.lock().unwrap()[1].contains("cursor=n"));
    let none = typed(home.path(), &["agent", "list", "-o", "json"]);
    assert_eq!((none.out.as_str(), none.code), ("[]\n", exit::DONE));
    assert!(none.err.contains("outfitter agent init"), "{}", none.err);
    let yaml = typed(home.path(), &["mcpserver", "list", "-o", "yaml"]).out;
    let json = typed(home.path(), &["mcpserver", "list", "-o", "json"]).out;
    for text in [done.out, yaml, json] {
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
}
