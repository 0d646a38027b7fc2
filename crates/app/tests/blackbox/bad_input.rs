//! Bad input: a clear error with place and hint, the right exit code, and nothing changed.

use std::fmt::Write as _;

use crate::stage::{Stage, manifest};

fn server(spec: &str) -> String {
    manifest("McpServer", "x", spec)
}

fn named(name: &str) -> String {
    server("stdio: {command: a}").replace("name: x", &format!("name: {name}"))
}

/// What is written, and what the error must say.
fn cases() -> Vec<(&'static str, String, &'static str)> {
    let ports = |port: &str| {
        server(&format!("docker: {{image: a, ports: [{{host_port: {port}, container_port: 1}}]}}"))
    };
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        let _ = writeln!(bomb, "a{level}: &a{level} [{aliases}]");
    }
    vec![
        ("broken YAML", "a: [1\nb: 2".to_owned(), "not valid YAML"),
        ("a tab", "a:\n\tb: 1\n".to_owned(), "indented with a tab"),
        (
            "duplicate keys",
            server("stdio: {command: a}\nstdio: {command: b}"),
            "written twice, first on line 6",
        ),
        ("an alias bomb", bomb, "aliases expand to more than"),
        ("an unknown kind", named("x").replace("McpServer", "McpSever"), "did you mean `McpServer`?"),
        (
            "an unknown apiVersion",
            named("x").replace("/v1", "/v9"),
            "write `apiVersion: agentic.stigmer.ai/v1`",
        ),
        ("two transports", server("stdio: {command: a}\nhttp: {url: \"http://x\"}"), "exclude each other"),
        ("no transport", server("description: x"), "server_type is required"),
        ("a path as name", named("../x"), "lower case letters"),
        ("NUL in a name", named("\"a\\0\""), "lower case letters"),
        ("a name of 10 kB", named(&"a".repeat(10_000)), "1 to 63"),
        ("upper case", named("GitHub"), "lower case letters"),
        ("scope without org", named("x\n  scope: organization"), "needs `org`"),
        (
            "CR/LF in a header",
            server("http: {url: \"http://x\", headers: {A: \"b\\r\\nEvil: 1\"}}"),
            "must not hold line breaks",
        ),
        (
            "a relative container path",
            server("docker: {image: a, volumes: [{host_path: /a, container_path: b}]}"),
            "must be an absolute path",
        ),
        ("port 0", ports("0"), "it must be 1 to 65535"),
        ("port 65536", ports("65536"), "it must be 1 to 65535"),
        (
            "a narrower scope",
            manifest("Agent", "x", "mcp_server_usages: [{mcp_server_ref: identity_account/y}]")
                .replace("name: x", "name: x\n  scope: platform"),
            "narrower scope",
        ),
        ("a misspelt field", server("stdio: {comand: a}"), "did you mean `command`?"),
        ("a number for a text", server("stdio: {command: 7}"), "put it in quotes"),
        ("nothing", String::new(), "holds no document"),
        (
            "shared stdio",
            server("stdio: {command: a}\nmode: shared"),
            "mcp server \"x\": shared mode requires HTTP/SSE/streamable HTTP transport (stdio is per-session only)",
        ),
    ]
}

#[test]
fn each_mistake_is_named_with_place_and_exit_code_1_and_nothing_changes() {
    let stage = Stage::set();
    for (what, text, expected) in cases() {
        stage.file("bad.yaml", &text);
        for args in [["apply", "-f", "bad.yaml"], ["validate", "-f", "bad.yaml"], ["diff", "-f", "bad.yaml"]]
        {
            let output = stage.run(&args);
            assert_eq!(output.code, Some(1), "{what} {args:?}: {}{}", output.stdout, output.stderr);
            assert!(output.stderr.contains(expected), "{what} {args:?}: {}", output.stderr);
            assert!(output.stderr.contains("bad.yaml"), "{what}: {}", output.stderr);
            assert!(output.stderr.len() < 20_000, "{what}: the message is bounded");
        }
    }
    assert_eq!(stage.revision(), 0);
}

#[test]
fn one_bad_document_among_good_ones_changes_nothing_and_all_problems_are_shown() {
    let stage = Stage::set();
    stage.file("dir/a.yaml", &server("stdio: {command: a}"));
    stage.file("dir/b.yaml", &server("stdio: {comand: a}"));
    stage.file("dir/c.yaml", &server("http: {url: x, timeout_seconds: 999}"));
    let output = stage.run(&["apply", "-f", "dir"]);
    assert_eq!(output.code, Some(1));
    for expected in ["dir/b.yaml:6", "dir/c.yaml:6", "0 to 300", "missing scheme"] {
        assert!(output.stderr.contains(expected), "{expected}: {}", output.stderr);
    }
    assert_eq!(stage.revision(), 0);
}

#[test]
fn a_file_of_65_megabytes_is_refused_before_it_is_read() {
    let stage = Stage::set();
    stage.file("big.yaml", &"#".repeat(65 * 1024 * 1024));
    let begun = std::time::Instant::now();
    let output = stage.run(&["apply", "-f", "big.yaml"]);
    assert_eq!(output.code, Some(1), "{}", output.stderr);
    assert!(output.stderr.contains("big.yaml"), "{}", output.stderr);
    assert!(begun.elapsed().as_secs() < 20);
}

#[test]
fn files_that_are_not_text_or_not_there_are_named() {
    let stage = Stage::set();
    std::fs::write(stage.person.home().join("binary.yaml"), [0xff, 0xfe, 0x00]).unwrap();
    stage.file("empty/readme.txt", "x");
    for (file, code) in [("binary.yaml", 1), ("missing.yaml", 1), ("empty", 1)] {
        let output = stage.run(&["apply", "-f", file]);
        assert_eq!(output.code, Some(code), "{file}: {}", output.stderr);
        assert!(output.stderr.contains(file), "{}", output.stderr);
    }
}

#[test]
fn the_same_resource_twice_is_an_error_that_names_both_places() {
    let stage = Stage::set();
    stage.file("a.yaml", &server("stdio: {command: a}"));
    stage.file("b.yaml", &server("stdio: {command: b}"));
    let output = stage.run(&["apply", "-f", "a.yaml", "-f", "b.yaml"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("a.yaml") && output.stderr.contains("b.yaml"), "{}", output.stderr);
}

#[test]
fn a_resource_that_fails_the_rules_of_this_binary_is_shown_as_invalid() {
    // With the proxy on, a shared stdio server is valid; a daemon without it reads the same store.
    let mut stage = Stage::with(testkit::Daemon::builder().arg("--stdio-proxy"));
    let mut shared = crate::stage::server("x");
    shared["spec"]["mode"] = serde_json::json!("shared");
    assert_eq!(stage.http().put("/api/v1/mcpservers/x", &shared).unwrap().status, 201);
    let read = stage.http().get("/api/v1/mcpservers/x").unwrap().json();
    assert_eq!(read["status"]["validation_state"], "VALIDATION_STATE_VALID");
    stage.daemon.terminate().unwrap();
    let output = {
        let data = stage.daemon.data_dir();
        let mut plain = testkit::Daemon::builder().binary(crate::stage::BINARY).prepare().unwrap();
        std::fs::remove_dir_all(plain.data_dir()).unwrap();
        copy(&data, &plain.data_dir());
        plain.restart().unwrap();
        plain.http().unwrap().get("/api/v1/mcpservers/x").unwrap().json()
    };
    assert_eq!(output["status"]["validation_state"], "VALIDATION_STATE_INVALID");
    assert!(
        output["status"]["validation_message"].as_str().unwrap().contains("shared mode requires"),
        "{output}"
    );
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().mode(0o700).create(to).unwrap();
    for file in crate::stage::files_below(from) {
        std::fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
    }
}
