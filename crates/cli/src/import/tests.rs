//! Every client's format, and the manifests it becomes.

use super::{Imported, import};
use crate::args::ImportClient;
use crate::sources::Source;

fn read(name: &str, text: &str, client: Option<ImportClient>) -> Imported {
    let source = Source { name: name.to_owned(), text: text.to_owned() };
    import(&source, client).unwrap()
}

/// Documents, then notes and failures as comments; every document is checked for problems of any sort.
fn shown(imported: &Imported) -> String {
    let text = imported.documents.join("---\n");
    for document in model::manifest::read(None, &text, model::tree::Format::Yaml).unwrap() {
        assert_eq!(document.check(model::spec::Rules::default()).problems, [], "{text}");
    }
    let asides = imported.notes.iter().cloned().chain(imported.failures.iter().map(ToString::to_string));
    let asides = asides.map(|note| format!("! {note}\n"));
    asides.fold(text, |all, aside| all + &aside)
}

#[test]
fn claude_cursor_and_their_like() {
    let text = r#"{"mcpServers": {
        "My GitHub": {"type": "stdio", "command": "npx", "args": ["-y", "@modelcontextprotocol/server-github"],
                      "env": {"GITHUB_TOKEN": "canary", "LOG_LEVEL": "debug", "HOST": "${GH_HOST:-github.com}"}},
        "api": {"type": "http", "url": "https://x.test/mcp?team=1&api_key=canary",
                "headers": {"Authorization": "Bearer canary", "X-Team": "a"}},
        "events": {"type": "sse", "url": "https://x.test/sse", "headers": {"Authorization": "Bearer ${EV}"},
                   "autoApprove": ["a"]}}}"#;
    let imported = shown(&read(".mcp.json", text, None));
    assert!(!imported.contains("canary"), "{imported}");
    insta::assert_snapshot!(imported, @r#"
    # Not written, since they look secret: GITHUB_TOKEN. Put them into an Environment.
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: my-github
    spec:
      stdio:
        command: npx
        args:
          - "-y"
          - "@modelcontextprotocol/server-github"
      env_spec:
        data:
          GH_HOST:
            value: github.com
          GITHUB_TOKEN:
            is_secret: true
      env:
        HOST: "${GH_HOST}"
        LOG_LEVEL: debug
    ---
    # Not written, since they look secret: API_API_KEY, API_AUTHORIZATION. Put them into an Environment.
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: api
    spec:
      http:
        url: https://x.test/mcp?team=1
        headers:
          Authorization: "Bearer ${API_AUTHORIZATION}"
          X-Team: a
        query_params:
          api_key: "${API_API_KEY}"
      env_spec:
        data:
          API_API_KEY:
            is_secret: true
          API_AUTHORIZATION:
            is_secret: true
    ---
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: events
    spec:
      http:
        url: https://x.test/sse
        headers:
          Authorization: "Bearer ${EV}"
        transport: sse
      env_spec:
        data:
          EV:
            is_secret: true
    ! server `My GitHub` is named `my-github` here
    ! server `My GitHub`: not written, since they look secret: GITHUB_TOKEN; put them into an Environment
    ! server `api`: not written, since they look secret: API_API_KEY, API_AUTHORIZATION; put them into an Environment
    ! server `events`: `autoApprove` is ignored
    "#);
}

#[test]
fn gemini_and_qwen_differ_in_what_a_url_means() {
    let text = r#"{"theme": "dark", "mcpServers": {
        "a": {"httpUrl": "http://localhost:1/mcp", "timeout": 15000, "trust": true, "includeTools": ["echo"]},
        "b": {"url": "http://localhost:1/mcp"},
        "c": {"command": "node", "env": {"FOO": "$EV_FOO"}, "cwd": "./x", "excludeTools": ["y"]}}}"#;
    insta::assert_snapshot!(shown(&read("settings.json", text, None)), @r#"
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: a
    spec:
      http:
        url: http://localhost:1/mcp
        transport: streamable_http
      default_enabled_tools:
        - echo
    ---
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: b
    spec:
      http:
        url: http://localhost:1/mcp
    ---
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: c
    spec:
      stdio:
        command: node
      env_spec:
        data:
          EV_FOO: {}
      env:
        FOO: "${EV_FOO}"
    ! ignored besides `mcpServers`: theme
    ! server `a`: `timeout` is ignored
    ! server `a`: `trust` is ignored
    ! server `c`: `cwd` is ignored: it is no absolute path
    ! server `c`: `excludeTools` is ignored
    "#);
    let qwen = shown(&read("settings.json", text, Some(ImportClient::QwenCode)));
    assert!(qwen.contains("transport: sse"), "{qwen}");
}

#[test]
fn vs_code_with_comments_inputs_and_trailing_commas() {
    let text = r#"{
        // the team's servers
        "inputs": [{"id": "gh-token", "type": "promptString", "password": true},],
        "servers": {
            "gh": {"command": "docker", "args": ["run", "-i", "-e", "GITHUB_TOKEN", "img"],
                   "env": {"GITHUB_TOKEN": "${input:gh-token}"}, "envFile": ".env"},
        },
    }"#;
    insta::assert_snapshot!(shown(&read("mcp.json", text, None)), @r#"
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: gh
    spec:
      stdio:
        command: docker
        args:
          - run
          - "-i"
          - "-e"
          - GITHUB_TOKEN
          - img
      env_spec:
        data:
          GH_TOKEN:
            is_secret: true
      env:
        GITHUB_TOKEN: "${GH_TOKEN}"
    ! server `gh`: `envFile` is ignored
    "#);
    let nested = r#"{"editor.fontSize": 12, "mcp": {"servers": {"a": {"command": "x"}}}}"#;
    assert_eq!(read("settings.json", nested, None).documents.len(), 1);
}

#[test]
fn opencode() {
    let text = r#"{"$schema": "https://opencode.ai/config.json", "mcp": {
        "local": {"type": "local", "command": ["node", "i.js"], "environment": {"FOO": "{env:EV_FOO}"}, "enabled": false},
        "remote": {"type": "remote", "url": "http://localhost:1/mcp", "headers": {"Authorization": "Bearer {env:EV_TOKEN}"}, "oauth": false}}}"#;
    insta::assert_snapshot!(shown(&read("opencode.json", text, None)), @r#"
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: local
    spec:
      stdio:
        command: node
        args:
          - i.js
      env_spec:
        data:
          EV_FOO: {}
      env:
        FOO: "${EV_FOO}"
    ---
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: remote
    spec:
      http:
        url: http://localhost:1/mcp
        headers:
          Authorization: "Bearer ${EV_TOKEN}"
      env_spec:
        data:
          EV_TOKEN:
            is_secret: true
    ! server `local` is switched off there; it was imported all the same
    ! server `remote`: `oauth` is ignored
    "#);
}

#[test]
fn codex() {
    let text = r#"
model = "x"
[mcp_servers.ev-stdio]
command = "node"
args = ["i.js", "${LITERAL}", "--api-key", "canary"]
env = { FOO = "bar", OPENAI_API_KEY = "canary" }
env_vars = ["PATH_TO_X", { name = "GH_TOKEN", source = "local" }]
cwd = "/x"
startup_timeout_sec = 15
enabled_tools = ["echo"]
disabled_tools = ["get-sum"]

[mcp_servers."Ev Http"]
url = "http://localhost:1/mcp"
bearer_token_env_var = "EV_TOKEN"
http_headers = { "X-Static" = "1" }
env_http_headers = { "X-From" = "EV_HDR" }
"#;
    let imported = shown(&read("config.toml", text, None));
    assert!(!imported.contains("canary"), "{imported}");
    insta::assert_snapshot!(imported, @r#"
    # Not written, since they look secret: EV_STDIO_API_KEY, OPENAI_API_KEY. Put them into an Environment.
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: ev-stdio
    spec:
      stdio:
        command: node
        args:
          - i.js
          - "$${LITERAL}"
          - "--api-key"
          - "${EV_STDIO_API_KEY}"
        working_dir: /x
      default_enabled_tools:
        - echo
      env_spec:
        data:
          EV_STDIO_API_KEY:
            is_secret: true
          GH_TOKEN:
            is_secret: true
          OPENAI_API_KEY:
            is_secret: true
          PATH_TO_X: {}
      env:
        FOO: bar
    ---
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: ev-http
    spec:
      http:
        url: http://localhost:1/mcp
        headers:
          X-Static: "1"
          Authorization: "Bearer ${EV_TOKEN}"
          X-From: "${EV_HDR}"
      env_spec:
        data:
          EV_HDR: {}
          EV_TOKEN:
            is_secret: true
    ! server `ev-stdio`: `disabled_tools` is ignored
    ! server `ev-stdio`: `startup_timeout_sec` is ignored
    ! server `ev-stdio`: not written, since they look secret: EV_STDIO_API_KEY, OPENAI_API_KEY; put them into an Environment
    ! server `Ev Http` is named `ev-http` here
    "#);
    assert_eq!(read("stdin", text, None).documents.len(), 2, "TOML is recognised without its file name");
    assert_eq!(read("stdin", text, Some(ImportClient::Codex)).documents.len(), 2);
}

#[test]
fn a_flat_map_and_names_that_clash() {
    let text = r#"{"a b": {"command": "x"}, "a-b": {"url": "https://u:canary@x.test/mcp"}, "A_B": {"serverUrl": "https://x.test"}, "version": 1}"#;
    insta::assert_snapshot!(shown(&read("servers.json", text, None)), @r"
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: a-b
    spec:
      stdio:
        command: x
    ---
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: a-b-2
    spec:
      http:
        url: https://x.test/mcp
    ---
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: a-b-3
    spec:
      http:
        url: https://x.test
    ! ignored, since they are no servers: version
    ! server `a b` is named `a-b` here
    ! server `a-b` is named `a-b-2` here
    ! server `a-b`: the user name and password in its URL were not written; send them in a header
    ! server `A_B` is named `a-b-3` here
    ");
}

#[test]
fn one_bad_server_does_not_stop_the_others() {
    let text = r#"{"mcpServers": {"ok": {"command": "x"}, "empty": {},
        "list": [], "odd": {"url": "ftp://x"}, "args": {"command": "x", "args": "y"}}}"#;
    let imported = read("a.json", text, None);
    assert_eq!(imported.documents.len(), 1);
    let failures: Vec<String> = imported.failures.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(failures.join("\n"), @r#"
    a.json:1:41: server `empty`: has neither `command` nor `url`
      hint: add `command` and `args` of a program, or the `url` of a server
    a.json:2:9: server `list`: must be a map with `command` or `url`
      hint: add `command` and `args` of a program, or the `url` of a server
    a.json:2:21: server `odd`: spec.http.url: is not a valid URL: scheme must be http or https
      hint: for example `https://example.com/mcp`
    a.json:2:48: server `args`: `args` must be a list of texts
      hint: write `["one", "two"]`
    "#);
}

#[test]
fn a_file_without_servers_says_what_was_expected() {
    for (name, text) in [
        ("a.json", "{}"),
        ("a.json", "[]"),
        ("a.json", r#"{"mcpServers": {}}"#),
        ("a.json", r#"{"mcpServers": 1}"#),
        ("a.json", "{"),
        ("a.toml", "[other]\n"),
        ("a.toml", "[[["),
        ("stdin", "just words"),
        ("stdin", "words: ]"),
        ("stdin", ""),
    ] {
        let source = Source { name: name.to_owned(), text: text.to_owned() };
        let problems = import(&source, None).unwrap_err();
        assert!(problems[0].to_string().starts_with(&format!("{name}:1:")), "{text}: {}", problems[0]);
        let nothing_there = text.is_empty() || problems[0].message == "declares no MCP server";
        let expected = if text == "{" { "check quotes" } else { "expected JSON" };
        assert!(nothing_there || problems[0].hint.as_ref().unwrap().contains(expected), "{problems:?}");
    }
}

#[test]
fn no_part_of_a_secret_is_written_whatever_it_looks_like() {
    let text = r#"{"mcpServers": {"a": {"command": "x", "args": ["--password=can$ARYx", "--token", "ca$nary", "-H", "X-Api-Key: canary"],
        "env": {"PASSWORD": "canary$HOME", "DB": "postgres://u:canary@h/d", "API_KEY": "${API_KEY:-canary}", "T": "${MY_TOKEN:-canary}",
                "SECRET_FROM": "${PLAIN:-canary}", "bad-key": "canary"}},
        "b": {"url": "https://x.test/mcp?token=canary$A", "headers": {"X-Auth": "canary ${B}", "Cookie": "a=canary"}}}}"#;
    let imported = shown(&read("a.json", text, None));
    for part in ["canary", "can$", "ca$", "ARYx", "$HOME"] {
        assert!(!imported.contains(part), "{part}: {imported}");
    }
    for name in [
        "A_PASSWORD",
        "A_TOKEN",
        "PASSWORD",
        "DB",
        "API_KEY",
        "MY_TOKEN",
        "PLAIN",
        "B_TOKEN",
        "B_X_AUTH",
        "B_COOKIE",
    ] {
        assert!(
            imported.contains(&format!("      {name}:\n        is_secret: true\n")),
            "{name}: {imported}"
        );
    }
}

#[test]
fn a_list_of_servers_with_lists_of_variables_and_headers() {
    let text = r#"{"mcpServers": [
        {"name": "files", "command": "npx", "args": ["-y"], "env": [{"name": "LEVEL", "value": "info"}]},
        {"type": "http", "name": "api", "url": "https://x.test/mcp", "headers": [{"name": "X-Team", "value": "a"}]},
        {"name": "broken"}]}"#;
    insta::assert_snapshot!(shown(&read("acp.json", text, None)), @r#"
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: files
    spec:
      stdio:
        command: npx
        args:
          - "-y"
      env:
        LEVEL: info
    ---
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: api
    spec:
      http:
        url: https://x.test/mcp
        headers:
          X-Team: a
    ! acp.json:4:9: server `broken`: has neither `command` nor `url`
      hint: add `command` and `args` of a program, or the `url` of a server
    "#);
}

#[test]
fn zeds_programs_hold_their_arguments() {
    let text = r#"{"context_servers": {"z": {"source": "custom",
        "command": {"path": "node", "args": ["i.js"], "env": {"LEVEL": "info"}}}}}"#;
    insta::assert_snapshot!(shown(&read("settings.json", text, None)), @r"
    apiVersion: agentic.stigmer.ai/v1
    kind: McpServer
    metadata:
      name: z
    spec:
      stdio:
        command: node
        args:
          - i.js
      env:
        LEVEL: info
    ");
}

#[test]
fn what_only_an_editor_fills_in_is_noted() {
    let text = r#"{"mcpServers": {"a": {"command": "x", "args": ["${workspaceFolder}/b", "${userHome}"]}}}"#;
    let notes = read("mcp.json", text, None).notes;
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].starts_with("server `a`: `${workspaceFolder}` is filled in by the editor"), "{notes:?}");
}

#[test]
fn a_broken_server_of_codex_is_named_with_its_line() {
    let imported =
        read("config.toml", "[mcp_servers.a]\ncommand = \"x\"\n\n[mcp_servers.b]\nargs = []\n", None);
    assert_eq!(imported.failures[0].place.as_ref().unwrap().line, 4, "{:?}", imported.failures);
}
