//! References between resources: to nothing, to what is deleted, and past a shadow.

use crate::stage::{Stage, manifest};

#[test]
fn a_reference_to_nothing_warns_and_is_an_error_when_strict() {
    let stage = Stage::set();
    stage.file("a.yaml", &manifest("Agent", "a", "mcp_server_usages:\n- mcp_server_ref: ghost"));
    let strict = stage.run(&["apply", "-f", "a.yaml", "--strict"]);
    assert_eq!(strict.code, Some(1), "{}", strict.stderr);
    assert!(strict.stderr.contains("a.yaml:7") && strict.stderr.contains("`ghost`"), "{}", strict.stderr);
    assert_eq!(stage.revision(), 0);
    let output = stage.run(&["apply", "-f", "a.yaml"]);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert!(output.stderr.contains("warning") && output.stderr.contains("`ghost`"), "{}", output.stderr);
}

#[test]
fn what_is_referenced_is_not_deleted_unless_forced() {
    let stage = Stage::set();
    let documents = [
        manifest("McpServer", "gh", "stdio: {command: a}"),
        manifest("Agent", "coder", "mcp_server_usages: [{mcp_server_ref: gh}]"),
    ];
    stage.done_with(&["apply", "-f", "-"], &documents.join("---\n"));
    let delete = |extra: &[&str]| {
        let args: Vec<&str> = ["mcpserver", "delete", "gh", "--scope", "identity_account"]
            .iter()
            .chain(extra)
            .copied()
            .collect();
        stage.run(&args)
    };
    let refused = stage.http().delete("/api/v1/mcpservers/gh?scope=identity_account").unwrap();
    assert_eq!(refused.status, 409);
    assert!(refused.text().contains("coder"), "{}", refused.text());
    assert_eq!(delete(&[]).code, Some(2), "without a terminal it asks for --force");
    assert_eq!(delete(&["--force"]).code, Some(0));
    assert_eq!(delete(&["--force"]).code, Some(3), "it is gone");
}

#[test]
fn a_nearer_resource_shadows_a_wider_one() {
    let stage = Stage::set();
    let wide =
        manifest("McpServer", "gh", "stdio: {command: a}").replace("name: gh", "name: gh\n  scope: platform");
    let near = manifest("McpServer", "gh", "stdio: {command: b}");
    let agent = manifest("Agent", "coder", "mcp_server_usages: [{mcp_server_ref: gh}]");
    stage.done_with(&["apply", "-f", "-"], &[wide, near, agent].join("---\n"));
    let mut http = stage.http();
    assert_eq!(
        http.delete("/api/v1/mcpservers/gh?scope=platform").unwrap().status,
        200,
        "the nearer one is meant"
    );
    assert_eq!(http.delete("/api/v1/mcpservers/gh?scope=identity_account").unwrap().status, 409);
}
