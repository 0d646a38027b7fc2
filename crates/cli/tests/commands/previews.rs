//! Many documents at once, dry runs and `diff`.

use cli::exit;

use super::{GITHUB, daemon, home_with, result, typed};

#[test]
fn many_documents_get_a_line_each_and_a_sum() {
    let home = home_with(&[("m.yaml", &format!("{GITHUB}---\n{}", GITHUB.replace("github", "slack")))]);
    let one = result("created");
    let inner = one.split_once('[').unwrap().1.rsplit_once(']').unwrap().0;
    let both = format!(r#"{{"revision":1,"results":[{inner},{}]}}"#, inner.replace("created", "unchanged"));
    daemon(home.path(), &[(200, &both), (200, &both)]);
    let done = typed(home.path(), &["apply", "-f", "m.yaml"]);
    insta::assert_snapshot!(done.out, @r"
    MCP server `github` (identity_account): created
    MCP server `slack` (identity_account): unchanged

    1 created, 0 updated, 1 unchanged
    ");
    let done = typed(home.path(), &["apply", "-f", "m.yaml", "--dry-run"]);
    insta::assert_snapshot!(done.out, @r"
    MCP server `github` (identity_account): would be created
    MCP server `slack` (identity_account): would be unchanged

    1 would be created, 0 would be updated, 1 would be unchanged
    Dry run successful - no changes made
    ");
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
        "MCP server `github` (identity_account): would be updated from a.yaml\n- spec.stdio.command: a\n+ spec.stdio.command: npx\n"
    );
    assert_eq!(typed(home.path(), &["diff", "-f", "a.yaml", "--exit-code"]).code, exit::INPUT);
}

#[test]
fn diff_lists_the_fields_of_what_is_new_without_its_secrets() {
    let environment = "apiVersion: agentic.stigmer.ai/v1\nkind: Environment\nmetadata: {name: e}\nspec:\n  data:\n    TOKEN: {value: canary, is_secret: true}\n    LEVEL: {value: info}\n";
    let home = home_with(&[("e.yaml", environment)]);
    let secret =
        r#"{"results":[{"outcome":"created","changes":[{"path":"spec.data.TOKEN.value","to":"(secret)"}]}]}"#;
    daemon(home.path(), &[(200, secret)]);
    let done = typed(home.path(), &["diff", "-f", "e.yaml"]);
    insta::assert_snapshot!(done.out, @r"
    environment `e` (identity_account): would be created from e.yaml
    + spec.data.TOKEN.value: (secret)
    + spec.data.TOKEN.is_secret: true
    + spec.data.LEVEL.value: info
    ");
}
