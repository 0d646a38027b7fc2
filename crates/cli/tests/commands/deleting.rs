//! `delete`: what is asked, when, and what is said afterwards.

use cli::{Surroundings, exit};

use super::{daemon, home_with, surroundings, typed, typed_in};

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
    assert_eq!(typed(home.path(), &words).out, "✓ MCP server `github` (platform) deleted\n");
    assert!(
        asked.lock().unwrap()[0].starts_with("DELETE /api/v1/mcpservers/github?scope=platform&force=true ")
    );
    let refused = typed(home.path(), &words);
    assert_eq!(refused.code, exit::CONFLICT);
    assert!(refused.err.contains("agent `a` (platform) refers to it"), "{}", refused.err);
}

#[test]
fn a_missing_resource_is_told_before_anything_is_asked() {
    let home = home_with(&[]);
    let asked = daemon(home.path(), &[(404, r#"{"error":"was not found"}"#), (200, r#"{"items":[]}"#)]);
    let at_a_terminal = Surroundings { stdin_is_terminal: true, ..surroundings(home.path()) };
    let done = typed_in(&at_a_terminal, &["mcpserver", "delete", "ghost", "--scope", "platform"]);
    assert_eq!(done.code, exit::NOT_FOUND, "{}", done.err);
    assert!(!done.err.contains("[y/N]"), "{}", done.err);
    assert!(asked.lock().unwrap()[0].starts_with("GET /api/v1/mcpservers/ghost?scope=platform "));
}
