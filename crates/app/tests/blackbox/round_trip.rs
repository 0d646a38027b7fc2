//! What is read can be applied again, and nothing changes.

use crate::stage::{Stage, files_below, manifest};

const NOUNS: [&str; 5] = ["mcpserver", "agent", "environment", "instance", "executor"];

#[test]
fn get_as_yaml_or_json_applies_as_no_change_secrets_included() {
    let stage = Stage::set();
    let documents = [
        manifest("McpServer", "x", "description: \"a: b # c\"\nhttp: {url: \"https://x/${P}\", headers: {A: \"${T}\"}, timeout_seconds: 0}\nenv_spec: {data: {T: {is_secret: true, value: s1}, P: {optional: true}}}\ntags: [\"1\", \"yes\", \"ü\"]"),
        manifest("Environment", "x", "data: {S: {is_secret: true, value: \"multi\\nline\"}, P: {value: \"true\"}, E: {is_secret: true}}"),
        manifest("Agent", "x", "instructions: \"line one\\n\\n  line two\\n\"\nmcp_servers: {a: {command: x, meta: {any: [1, null, {b: c}]}}}\nmcp_enabled: false\nsub_agents: [{name: s, mcp_servers: [a]}]"),
        manifest("AgentInstance", "x", "agent_ref: {slug: x}\nenvironment_refs: [x]\nruntime_env: {A: plain, B: {value: t, is_secret: true}}"),
        manifest("Executor", "x", "type: k8s\nconfig: {namespace: n, mcp_policy: {allow_stdio: false, url_rewrite: {\"http://a\": \"http://b\"}}}"),
    ]
    .join("---\n");
    assert!(stage.done_with(&["apply", "-f", "-"], &documents).contains("5 created"));
    let revision = stage.revision();
    for noun in NOUNS {
        for format in ["yaml", "json"] {
            let text = stage.done(&[noun, "get", "x", "-o", format]);
            let output = stage.done_with(&["apply", "-f", "-"], &text);
            assert!(output.contains("unchanged"), "{noun} {format}: {output}\n{text}");
        }
    }
    assert!(
        stage.done_with(&["apply", "-f", "-"], &documents).contains("5 unchanged"),
        "the same secrets are no change"
    );
    assert_eq!(stage.revision(), revision);
}

#[test]
fn init_of_each_type_applies_unchanged() {
    let stage = Stage::set();
    for kind in ["stdio", "http", "docker"] {
        let text = stage.done(&["mcpserver", "init", "--type", kind]);
        assert!(
            stage
                .done_with(&["mcpserver", "apply", "-f", "-", "--dry-run"], &text)
                .contains("Dry run successful")
        );
        let named = stage.done(&["mcpserver", "init", "--type", kind, "--name", &format!("my-{kind}")]);
        assert!(
            stage.done_with(&["mcpserver", "apply", "-f", "-"], &named).contains("created (new resource)"),
            "{named}"
        );
    }
    for noun in &NOUNS[1..] {
        let text = stage.done(&[noun, "init", "--name", "mine"]);
        assert!(
            stage.done_with(&[noun, "apply", "-f", "-"], &text).contains("created (new resource)"),
            "{text}"
        );
    }
}

#[test]
fn export_into_an_empty_daemon_gives_the_same_resources() {
    let stage = Stage::set();
    let documents = [
        manifest("McpServer", "gh", "stdio: {command: npx}\ntags: [a, b]")
            .replace("name: gh", "name: gh\n  scope: platform\n  labels: {team: x}"),
        manifest("McpServer", "gh", "http: {url: \"https://x\"}")
            .replace("name: gh", "name: gh\n  scope: organization\n  org: acme"),
        manifest("Agent", "coder", "mcp_server_usages: [{mcp_server_ref: gh}]"),
        manifest(
            "Environment",
            "prod",
            "data: {S: {is_secret: true, value: canary-export}, P: {value: plain}}",
        ),
        manifest("AgentInstance", "mine", "agent_ref: coder\nenvironment_refs: [prod]"),
        manifest("Executor", "pc", "type: local_pc"),
    ]
    .join("---\n");
    stage.done_with(&["apply", "-f", "-"], &documents);
    stage.done(&["export", "out"]);
    let tree = stage.person.home().join("out");
    assert_eq!(files_below(&tree).len(), 6);
    for file in files_below(&tree) {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(!text.contains("canary-export"), "{}", file.display());
        assert!(!text.contains("revision:"), "{text}");
    }
    assert!(stage.done(&["apply", "-f", "out"]).contains("6 unchanged"), "the secret is kept");

    let other = Stage::set();
    assert!(other.done(&["apply", "-f", tree.to_str().unwrap()]).contains("6 created"));
    let spec = |stage: &Stage, noun: &str, name: &str, extra: &[&str]| {
        let args: Vec<&str> = [noun, "get", name, "-o", "json"].iter().chain(extra).copied().collect();
        let document: serde_json::Value = serde_json::from_str(&stage.done(&args)).unwrap();
        (document["spec"].clone(), document["metadata"]["labels"].clone())
    };
    for (noun, name, extra) in [
        ("mcpserver", "gh", &["--scope", "platform"][..]),
        ("mcpserver", "gh", &["--scope", "organization", "--org", "acme"][..]),
        ("agent", "coder", &[][..]),
        ("environment", "prod", &[][..]),
        ("instance", "mine", &[][..]),
        ("executor", "pc", &[][..]),
    ] {
        assert_eq!(spec(&stage, noun, name, extra), spec(&other, noun, name, extra), "{noun} {name}");
    }
}

#[test]
fn an_imported_file_applies_unchanged() {
    let stage = Stage::set();
    stage.file(
        "mcp.json",
        r#"{"mcpServers": {"My Server": {"command": "npx", "args": ["-y", "x"], "env": {"API_TOKEN": "s3cr3t", "LEVEL": "info"}},
            "web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer abc"}}}}"#,
    );
    stage.file("config.toml", "model = \"x\"\n[mcp_servers.docs]\ncommand = \"uvx\"\nargs = [\"docs\"]\n[mcp_servers.docs.env]\nLEVEL = \"1\"\n");
    stage.file(
        "flat.json",
        r#"{"one": {"command": "a"}, "two": {"url": "http://localhost:1/sse", "type": "sse"}}"#,
    );
    for (file, count) in [("mcp.json", 2), ("config.toml", 1), ("flat.json", 2)] {
        let output = stage.run(&["import", file]);
        assert_eq!(output.code, Some(0), "{}", output.stderr);
        assert!(!output.stdout.contains("s3cr3t") && !output.stdout.contains("abc"), "{}", output.stdout);
        let applied = stage.done_with(&["apply", "-f", "-"], &output.stdout);
        assert_eq!(applied.matches("created").count().max(1) > 0, count > 0, "{applied}");
    }
    let listed = stage.done(&["mcpserver", "list"]);
    for name in ["my-server", "web", "docs", "one", "two"] {
        assert!(listed.contains(name), "{listed}");
    }
}
