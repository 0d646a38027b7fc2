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
