//! Which scope and organization a command speaks of.

use cli::exit;

use super::{GITHUB, daemon, home_with, result, typed};

const CONTEXT: &str = ".config/outfitter/context.yaml";

#[test]
fn get_looks_where_the_flags_and_the_context_say() {
    let home = home_with(&[(CONTEXT, "scope: platform\n")]);
    let found = r#"{"metadata":{"name":"a"},"spec":{},"status":{}}"#;
    let asked = daemon(home.path(), &[(200, found), (200, found), (200, found), (200, found)]);
    for (noun, flags, path) in [
        ("mcpserver", &["--org", "acme"][..], "/api/v1/mcpservers/a?scope=organization&org=acme "),
        ("mcpserver", &[], "/api/v1/mcpservers/a?scope=platform "),
        ("environment", &[], "/api/v1/environments/a "),
        ("instance", &[], "/api/v1/agentinstances/a "),
    ] {
        let words = [&[noun, "get", "a"], flags].concat();
        assert_eq!(typed(home.path(), &words).code, exit::DONE);
        let request = asked.lock().unwrap().pop().unwrap();
        assert!(request.starts_with(&format!("GET {path}")), "{words:?}: {request}");
    }
}

#[test]
fn the_printed_next_step_shows_what_was_just_applied() {
    let scoped = GITHUB.replace("name: github", "name: github\n  scope: platform");
    let owned = GITHUB.replace("name: github", "name: github\n  scope: organization\n  org: acme");
    let personal = GITHUB.replace("name: github", "name: github\n  scope: identity_account");
    let home = home_with(&[("p.yaml", &scoped), ("o.yaml", &owned), ("i.yaml", &personal)]);
    let made = result("created");
    daemon(home.path(), &[(200, &made), (200, &made), (200, &made), (200, &made)]);
    let step = |file: &str| {
        let done = typed(home.path(), &["apply", "-f", file]);
        done.out.lines().last().unwrap().split_once("get github").unwrap().1.to_owned()
    };
    assert_eq!(step("p.yaml"), " --scope platform");
    assert_eq!(step("o.yaml"), " --scope organization --org acme");
    assert_eq!(step("i.yaml"), "");
    assert_eq!(typed(home.path(), &["context", "set", "--scope", "platform"]).code, exit::DONE);
    assert_eq!(step("i.yaml"), " --scope identity_account");
}

#[test]
fn scope_and_organization_that_contradict_each_other_are_wrong_usage() {
    let scoped = GITHUB.replace("name: github", "name: github\n  scope: platform");
    let home = home_with(&[("a.yaml", &scoped), ("broken.yaml", "kind: [")]);
    for command in ["apply", "diff", "validate"] {
        for flags in
            [&["--scope", "platform", "--org", "acme"][..], &["--scope", "organization"], &["--org", "acme"]]
        {
            let words = [&[command, "-f", "a.yaml", "-f", "broken.yaml"], flags].concat();
            let done = typed(home.path(), &words);
            assert_eq!(done.code, exit::USAGE, "{words:?}: {}", done.err);
            assert!(done.err.starts_with("error: `--"), "{words:?}: {}", done.err);
        }
    }
    let done = typed(home.path(), &["mcpserver", "get", "a", "--scope", "organization"]);
    assert_eq!(done.code, exit::USAGE);
}
