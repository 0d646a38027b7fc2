//! Commands against a scripted daemon.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use cli::exit;

use super::{GITHUB, answer, daemon, home_with, result, typed};

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
fn problems_from_the_daemon_are_shown_where_they_were_written() {
    let home = home_with(&[("a.yaml", GITHUB)]);
    let body = r#"{"error":"1 problem","problems":[{"severity":"error","document":0,"path":"spec.stdio.command","message":"may not"}]}"#;
    daemon(home.path(), &[(400, body)]);
    let done = typed(home.path(), &["apply", "-f", "a.yaml"]);
    assert_eq!(done.code, exit::INPUT);
    assert!(done.err.starts_with("a.yaml:7:5: spec.stdio.command: may not\n"), "{}", done.err);
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

#[test]
fn data_never_breaks_a_line_of_standard_error() {
    let home = home_with(&[("a.yaml", GITHUB)]);
    let body =
        r#"{"error":"bad\nerror: forged","problems":[{"message":"x\nforged: y","hint":"h\n  forged"}]}"#;
    let warned =
        r#"{"results":[{"outcome":"created","warnings":[{"severity":"warning","message":"w\nforged"}]}]}"#;
    daemon(home.path(), &[(400, body), (200, warned)]);
    for code in [exit::INPUT, exit::DONE] {
        let done = typed(home.path(), &["apply", "-f", "a.yaml"]);
        assert_eq!(done.code, code);
        assert!(done.err.contains("\\n"), "{}", done.err);
        assert!(!done.err.lines().any(|line| line.trim_start().starts_with("forged")), "{}", done.err);
    }
}

#[test]
fn a_rotated_key_says_what_the_next_start_needs() {
    let home = home_with(&[("new", "words\n")]);
    let one = r#"{"key_id":"k","rewrapped":1}"#;
    daemon(home.path(), &[(200, one), (200, one)]);
    let done = typed(home.path(), &["secrets", "rotate-key", "--new-passphrase-file", "new"]);
    assert!(done.out.contains("outfitter serve --key-passphrase-file new\n"), "{}", done.out);
    assert!(done.out.contains("  Rewrapped: 1 secret\n"), "{}", done.out);
    let done = typed(home.path(), &["secrets", "rotate-key"]);
    assert!(!done.out.contains("passphrase-file"), "{}", done.out);
}

#[test]
fn a_broken_context_is_replaced_and_a_server_is_kept_with_its_own_flag() {
    let home = home_with(&[(".config/outfitter/context.yaml", "scope: nowhere\n")]);
    let done = typed(home.path(), &["context", "set", "--scope", "platform"]);
    assert_eq!(done.code, exit::DONE, "{}", done.err);
    assert!(done.err.contains("the file was replaced"), "{}", done.err);
    assert_eq!(typed(home.path(), &["context", "show"]).out, "scope: platform\n");
    let done = typed(home.path(), &["context", "set", "--server", "http://127.0.0.1:1"]);
    assert_eq!(done.code, exit::USAGE);
    assert!(done.err.contains("`--server-url URL`"), "{}", done.err);
}

#[test]
fn a_port_without_tls_says_so() {
    let home = home_with(&[]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let plain = std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        let mut stream = listener.accept().unwrap().0;
        let _ = stream.read(&mut [0; 16]).unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let done = typed(home.path(), &["whoami", "--server", &format!("https://{address}")]);
    assert_eq!(done.code, exit::UNREACHABLE);
    assert!(done.err.contains("this port does not speak TLS"), "{}", done.err);
    assert!(done.err.contains(&format!("use http://{address}")), "{}", done.err);
    plain.join().unwrap();
}
