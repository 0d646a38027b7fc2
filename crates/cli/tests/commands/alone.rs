//! Commands that need no daemon.

use std::fs;

use cli::exit;

use super::{GITHUB, home_with, typed};

#[test]
fn validate_needs_no_daemon_and_shows_every_problem_of_every_file_at_once() {
    let home = home_with(&[
        ("m/b.yaml", &GITHUB.replace("command", "comand")),
        ("m/a.yaml", &format!("{GITHUB}---\n{GITHUB}")),
        ("ok.yaml", GITHUB),
    ]);
    let done = typed(home.path(), &["validate", "-f", "m"]);
    assert_eq!((done.code, done.out.as_str()), (exit::INPUT, ""));
    insta::assert_snapshot!(done.err, @r"
    m/a.yaml:12:3: metadata.name: MCP server `github` (identity_account) is declared twice, first at m/a.yaml:4:3
      hint: keep one of them, or rename one
    m/b.yaml:6:3: spec.stdio.command: is required
      hint: add `command: …`
    m/b.yaml:7:5: spec.stdio.comand: is not a known field
      hint: did you mean `command`?
    error: 3 problems; nothing was changed
    ");
    let done = typed(home.path(), &["validate", "-f", "ok.yaml"]);
    assert_eq!((done.code, done.out.as_str()), (exit::DONE, "✓ 1 document is valid\n"));
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_no_problem() {
    let home = home_with(&[("w.yaml", &format!("\u{feff}{}", GITHUB.replace('\n', "\r\n")))]);
    let done = typed(home.path(), &["validate", "-f", "w.yaml"]);
    assert_eq!(done.code, exit::DONE, "{}", done.err);
}

#[test]
fn warnings_become_errors_when_strict() {
    let home = home_with(&[("w.yaml", &(GITHUB.to_owned() + "    args: [\"${NOPE}\"]\n"))]);
    let loose = typed(home.path(), &["validate", "-f", "w.yaml"]);
    assert_eq!(loose.code, exit::DONE);
    assert!(loose.err.starts_with("warning: w.yaml:8:12: "), "{}", loose.err);
    assert_eq!(typed(home.path(), &["validate", "-f", "w.yaml", "--strict"]).code, exit::INPUT);
}

#[test]
fn the_output_of_init_is_valid_for_every_kind() {
    let home = home_with(&[]);
    for words in [
        &["mcpserver", "init", "--type", "stdio"][..],
        &["mcpserver", "init", "--type", "http", "--name", "web"],
        &["mcpserver", "init", "--type", "docker"],
        &["agent", "init"],
        &["environment", "init"],
        &["instance", "init"],
        &["executor", "init", "--name", "pc"],
    ] {
        let done = typed(home.path(), words);
        fs::write(home.path().join("t.yaml"), done.out).unwrap();
        let checked = typed(home.path(), &["validate", "-f", "t.yaml", "--strict"]);
        assert_eq!(checked.code, exit::DONE, "{words:?}: {}", checked.err);
    }
}

#[test]
fn import_writes_manifests_that_validate() {
    let config = r#"{"mcpServers": {"GitHub": {"command": "npx", "env": {"GITHUB_TOKEN": "canary"}}}}"#;
    let home = home_with(&[("mcp.json", config)]);
    let done = typed(home.path(), &["import", "mcp.json"]);
    assert_eq!(done.code, exit::DONE);
    assert!(done.err.contains("GITHUB_TOKEN") && !done.err.contains("canary"), "{}", done.err);
    fs::write(home.path().join("out.yaml"), done.out).unwrap();
    assert_eq!(typed(home.path(), &["validate", "-f", "out.yaml", "--strict"]).code, exit::DONE);
    assert_eq!(typed(home.path(), &["import", "absent.json"]).code, exit::INPUT);
}

#[test]
fn completions_exist_for_every_shell() {
    let home = home_with(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let done = typed(home.path(), &["completions", shell]);
        assert!(done.code == exit::DONE && done.out.contains("mcpserver"), "{shell}");
    }
}

#[test]
fn a_schema_is_json_with_its_definitions() {
    let home = home_with(&[]);
    let done = typed(home.path(), &["schema", "McpServer"]);
    assert!(done.out.contains("\"$defs\"") && done.out.contains("\"title\": \"McpServer\""));
}

#[test]
fn an_unreachable_daemon_names_the_socket_and_how_to_start_it() {
    let home = home_with(&[]);
    let done = typed(home.path(), &["mcpserver", "list"]);
    assert_eq!(done.code, exit::UNREACHABLE);
    assert!(done.err.contains("outfitter.sock") && done.err.contains("`outfitter serve`"), "{}", done.err);
}

#[test]
fn the_service_unit_is_written_once_and_printed_on_request() {
    let home = home_with(&[]);
    let printed = typed(home.path(), &["service", "install", "--print"]);
    assert!(printed.out.contains("ExecStart=\"/usr/bin/outfitter\" serve"));
    let unit = home.path().join(".config/systemd/user/outfitter.service");
    assert!(!unit.exists());
    assert_eq!(typed(home.path(), &["service", "install"]).code, exit::DONE);
    assert_eq!(fs::read_to_string(&unit).unwrap(), printed.out);
    fs::write(&unit, "mine").unwrap();
    assert_eq!(typed(home.path(), &["service", "install"]).code, exit::CONFLICT);
}

#[test]
fn a_noun_applies_its_own_kind_only() {
    let home = home_with(&[(
        "a.yaml",
        &GITHUB.replace("McpServer", "Agent").replace("stdio:\n    command: npx", "client: codex"),
    )]);
    let done = typed(home.path(), &["mcpserver", "apply", "-f", "a.yaml"]);
    assert_eq!(done.code, exit::INPUT);
    assert!(done.err.contains("a.yaml:2:1: kind: is Agent"), "{}", done.err);
}

#[test]
fn the_service_unit_names_the_directory_and_socket_that_were_given() {
    let home = home_with(&[]);
    for words in [
        &["service", "install", "--print", "--data-dir", "/my data", "--socket", "/run/o.sock"][..],
        &["--data-dir", "/my data", "--socket", "/run/o.sock", "service", "install", "--print"],
    ] {
        let printed = typed(home.path(), words).out;
        let start =
            "ExecStart=\"/usr/bin/outfitter\" serve --data-dir \"/my data\" --socket \"/run/o.sock\"\n";
        assert!(printed.contains(start), "{printed}");
    }
}

#[test]
fn an_agents_own_configuration_is_pointed_to_import() {
    let json = "{ // mine\n \"mcpServers\": {\"a\": {\"command\": \"x\"}}}";
    let home = home_with(&[
        ("mcp.json", json),
        ("plain.json", r#"{"a": {"url": "https://x.test"}}"#),
        ("zed.yaml", "context_servers: {a: {command: {path: x}}}"),
        ("config.toml", "[mcp_servers.a]\ncommand = \"x\"\n"),
        ("other.json", r#"{"a": 1}"#),
    ]);
    for file in ["mcp.json", "plain.json", "zed.yaml", "config.toml"] {
        for command in ["apply", "diff", "validate"] {
            let done = typed(home.path(), &[command, "-f", file]);
            assert_eq!(done.code, exit::INPUT);
            assert!(done.err.contains(&format!("outfitter import {file}")), "{file}: {}", done.err);
            assert_eq!(done.err.lines().count(), 3, "{file}: {}", done.err);
        }
    }
    assert!(!typed(home.path(), &["validate", "-f", "other.json"]).err.contains("import"));
}

#[test]
fn a_server_that_cannot_be_imported_is_named_with_its_place() {
    let home =
        home_with(&[("mcp.json", "{\"mcpServers\": {\n \"ok\": {\"command\": \"x\"},\n \"bad\": {}}}")]);
    let done = typed(home.path(), &["import", "mcp.json"]);
    assert_eq!(done.code, exit::INPUT);
    insta::assert_snapshot!(done.err, @r"
    mcp.json:3:2: server `bad`: has neither `command` nor `url`
      hint: add `command` and `args` of a program, or the `url` of a server
    error: 1 of the servers could not be imported
      hint: correct them in the file and import again; the others were written
    ");
}
