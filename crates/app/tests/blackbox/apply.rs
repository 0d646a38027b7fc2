//! `apply`: the contract's examples as they are, and its output texts to the letter.

use crate::stage::{Stage, manifest};

/// The two complete manifests of the contract.
const GITHUB: &str = r#"# github-mcp.yaml
apiVersion: agentic.stigmer.ai/v1
kind: McpServer
metadata:
  name: github
  scope: platform          # platform | organization | identity_account
  # org: my-org            # required if scope=organization
spec:
  description: "GitHub MCP server for repository operations"
  icon_url: "https://github.githubassets.com/favicons/favicon.svg"
  tags:
    - git
    - vcs
    - code-analysis
  
  stdio:                   # or http: or docker:
    command: npx
    args:
      - "-y"
      - "@modelcontextprotocol/server-github"
  
  default_enabled_tools: [] # empty = all tools
  
  env_spec:
    data:
      GITHUB_TOKEN:
        is_secret: true
        description: "GitHub personal access token with repo scope"
"#;

const INTERNAL: &str = r#"# internal-mcp.yaml
apiVersion: agentic.stigmer.ai/v1
kind: McpServer
metadata:
  name: internal-api
  scope: organization
  org: my-org
spec:
  description: "Internal company API"
  http:
    url: "https://internal.company.com/mcp"
"#;

/// The one that the contract shows elided.
const ELIDED: &str = r#"# marketplace/github-mcp.yaml
apiVersion: agentic.stigmer.ai/v1
kind: McpServer
metadata:
  name: github
  scope: platform
spec:
  description: "Official GitHub MCP server"
  # ...
"#;

#[test]
fn the_contracts_complete_manifests_apply_unchanged() {
    let stage = Stage::set();
    for (name, text) in [("github-mcp.yaml", GITHUB), ("internal-mcp.yaml", INTERNAL)] {
        stage.file(name, text);
        assert!(stage.done(&["mcpserver", "apply", "-f", name]).contains("Status: created (new resource)"));
        assert!(
            stage.done(&["mcpserver", "apply", "-f", name]).contains("Status: unchanged (no difference)")
        );
    }
    let listed = stage.done(&["mcpserver", "list"]);
    insta::assert_snapshot!(listed.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"), @r"
    NAME          SCOPE                TYPE   TAGS
    github        platform             stdio  git, vcs, code-analysis
    internal-api  organization/my-org  http
    ");
}

#[test]
fn the_elided_manifest_is_refused_with_what_is_missing() {
    let stage = Stage::set();
    stage.file("marketplace/github-mcp.yaml", ELIDED);
    let output = stage.run(&["mcpserver", "apply", "-f", "marketplace/github-mcp.yaml"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("marketplace/github-mcp.yaml:7:1: spec: server_type is required: must specify stdio, http, or docker"), "{}", output.stderr);
    assert_eq!(stage.revision(), 0);
}

#[test]
fn apply_prints_the_contracts_texts() {
    let stage = Stage::set();
    stage.file("github-mcp.yaml", &manifest("McpServer", "github", "stdio:\n  command: npx"));
    insta::assert_snapshot!(stage.done(&["mcpserver", "apply", "-f", "github-mcp.yaml"]), @r"
    Applying MCP server from: github-mcp.yaml

      Name:  github
      Scope: identity_account

    ✓ MCP server applied successfully

      Status: created (new resource)

    Next steps:
      - Reference this MCP server in your agent definition
      - View details: outfitter mcpserver get github
    ");
    stage.file("github-mcp.yaml", &manifest("McpServer", "github", "stdio:\n  command: node"));
    assert!(
        stage
            .done(&["mcpserver", "apply", "-f", "github-mcp.yaml"])
            .contains("  Status: updated (existing resource)\n")
    );
}

#[test]
fn scope_comes_from_the_flag_then_the_document_then_the_context_then_is_personal() {
    let stage = Stage::set();
    let scope_of = |args: &[&str], document: &str| {
        let output = stage.done_with(args, document);
        let line = output.lines().find(|line| line.trim_start().starts_with("Scope:")).unwrap().to_owned();
        line.trim().trim_start_matches("Scope:").trim().to_owned()
    };
    let plain = manifest("McpServer", "a", "stdio: {command: x}");
    let scoped = plain.replace("name: a", "name: a\n  scope: platform");
    let apply = ["mcpserver", "apply", "-f", "-"];
    assert_eq!(scope_of(&apply, &plain), "identity_account");
    assert_eq!(scope_of(&apply, &scoped), "platform");
    stage.done(&["context", "set", "--scope", "organization", "--org", "acme"]);
    assert_eq!(scope_of(&apply, &plain), "organization/acme");
    assert_eq!(scope_of(&apply, &scoped), "platform");
    assert_eq!(
        scope_of(&["mcpserver", "apply", "-f", "-", "--scope", "identity_account"], &scoped),
        "identity_account"
    );
    assert!(stage.done(&["context", "show"]).contains("acme"));
}

#[test]
fn a_dry_run_changes_nothing_and_says_so() {
    let stage = Stage::set();
    stage.file("a.yaml", &manifest("McpServer", "a", "stdio: {command: x}"));
    let output = stage.done(&["mcpserver", "apply", "-f", "a.yaml", "--dry-run"]);
    assert!(output.contains("Dry run successful - no changes made"), "{output}");
    assert_eq!(stage.revision(), 0);
}

#[test]
fn a_directory_with_every_kind_is_one_commit_and_diff_shows_fields() {
    let stage = Stage::set();
    stage.file("all/server.yaml", &manifest("McpServer", "gh", "stdio: {command: npx}"));
    stage.file(
        "all/nested/rest.yml",
        &[
            manifest("Agent", "coder", "client: codex\nmcp_server_usages:\n- mcp_server_ref: gh"),
            manifest("Environment", "prod", "data: {LEVEL: {value: info}}"),
            manifest("AgentInstance", "mine", "agent_ref: coder\nenvironment_ref: prod"),
            manifest("Executor", "pc", "type: local_pc"),
        ]
        .join("---\n"),
    );
    let output = stage.done(&["apply", "-f", "all"]);
    assert!(output.contains("5 created"), "{output}");
    assert_eq!(stage.revision(), 1, "one invocation is one commit");
    assert!(stage.done(&["apply", "-f", "all"]).contains("5 unchanged"));

    stage.file("all/server.yaml", &manifest("McpServer", "gh", "stdio: {command: node, args: [x]}"));
    let diff = stage.done(&["diff", "-f", "all"]);
    assert!(diff.contains("spec.stdio.command") && diff.contains("npx") && diff.contains("node"), "{diff}");
    assert!(!diff.contains("coder"), "what does not differ is not shown: {diff}");
    assert_eq!(stage.revision(), 1);
    assert_eq!(stage.run(&["diff", "-f", "all", "--exit-code"]).code, Some(1));
}

#[test]
fn a_noun_takes_only_its_own_kind() {
    let stage = Stage::set();
    stage.file("a.yaml", &manifest("Agent", "a", "client: codex"));
    let output = stage.run(&["mcpserver", "apply", "-f", "a.yaml"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("a.yaml:2"), "{}", output.stderr);
}

#[test]
fn everything_works_on_postgresql_too() {
    let url = testkit::postgres::Postgres::shared().database();
    let stage = Stage::with(testkit::Daemon::builder().database(url));
    stage.file("github-mcp.yaml", GITHUB);
    stage.done(&["mcpserver", "apply", "-f", "github-mcp.yaml"]);
    let yaml = stage.done(&["mcpserver", "get", "github", "--scope", "platform", "-o", "yaml"]);
    assert!(stage.done_with(&["apply", "-f", "-"], &yaml).contains("unchanged"), "{yaml}");
    stage.done(&["mcpserver", "delete", "github", "--scope", "platform", "--force"]);
    assert_eq!(stage.run(&["mcpserver", "get", "github"]).code, Some(3));
}
