//! The command line: exit codes, tables, help, completions, and what never reaches a terminal.

use serde_json::json;
use testkit::Outfitter;

use crate::stage::{BINARY, Stage, manifest, server};

#[test]
fn each_failure_has_its_exit_code_and_says_what_to_do() {
    let stage = Stage::set();
    stage.http().put("/api/v1/mcpservers/a?scope=platform", &server("a")).unwrap();
    let outdated = {
        let read = stage.http().get("/api/v1/mcpservers/a").unwrap().json();
        let mut changed = server("a");
        changed["spec"]["description"] = json!("new");
        stage.http().put("/api/v1/mcpservers/a?scope=platform", &changed).unwrap();
        read.to_string()
    };
    for (args, stdin, code, expected) in [
        (&["mcpserver", "get", "ghost"][..], "", 3, "ghost"),
        (&["mcpserver", "get"], "", 2, "Usage"),
        (&["mcpserver", "delete", "a"], "", 2, "--scope"),
        (&["frobnicate"], "", 2, "Usage"),
        (&["apply", "-f", "-"], outdated.as_str(), 5, "revision 2"),
        (&["apply", "-f", "-"], "a: 1", 1, "apiVersion"),
    ] {
        let output = stage.run_with(args, stdin);
        assert_eq!(output.code, Some(code), "{args:?}: {}{}", output.stdout, output.stderr);
        assert!(output.stderr.contains(expected), "{args:?}: {}", output.stderr);
    }
    let url = stage.daemon.url();
    let wrong = stage
        .person
        .invocation(["whoami", "--server", &url])
        .env("OUTFITTER_TOKEN", "oft_wrong")
        .run()
        .unwrap();
    assert_eq!(wrong.code, Some(4), "{}", wrong.stderr);
    let right = stage
        .person
        .invocation(["whoami", "--server", &url])
        .env("OUTFITTER_TOKEN", stage.daemon.token().unwrap())
        .run()
        .unwrap();
    assert_eq!(right.code, Some(0), "{}", right.stderr);
    let nobody = Outfitter::with_binary(BINARY).unwrap().run(["mcpserver", "list"]).unwrap();
    assert_eq!(nobody.code, Some(6));
    assert!(nobody.stderr.contains("outfitter serve"), "{}", nobody.stderr);
}

#[test]
fn get_shows_a_readable_block_and_finds_upwards() {
    let stage = Stage::set();
    let text = manifest("McpServer", "gh", "description: Git things\ntags: [git, vcs]\nstdio: {command: npx, args: [-y, pkg]}\nenv_spec: {data: {TOKEN: {is_secret: true}}}")
        .replace("name: gh", "name: gh\n  scope: platform");
    stage.done_with(&["apply", "-f", "-"], &text);
    let shown = stage.done(&["mcpserver", "get", "gh"]);
    for expected in ["gh", "platform", "Git things", "stdio", "npx", "-y pkg", "git, vcs", "TOKEN"] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&stage.done(&["mcpserver", "get", "gh", "-o", "json"])).unwrap();
    assert_eq!(json["spec"]["stdio"]["command"], "npx");
}

#[test]
fn list_filters_by_scope_and_tags() {
    let stage = Stage::set();
    for (name, scope, tags) in
        [("a", "platform", "[git, vcs]"), ("b", "platform", "[git]"), ("c", "identity_account", "[vcs, git]")]
    {
        let text = manifest("McpServer", name, &format!("stdio: {{command: x}}\ntags: {tags}"))
            .replace(&format!("name: {name}"), &format!("name: {name}\n  scope: {scope}"));
        stage.done_with(&["apply", "-f", "-"], &text);
    }
    let names = |args: &[&str]| -> Vec<String> {
        stage
            .done(args)
            .lines()
            .skip(1)
            .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
            .collect()
    };
    assert_eq!(names(&["mcpserver", "list"]), ["a", "b", "c"]);
    assert_eq!(names(&["mcpserver", "list", "--tag", "git", "--tag", "vcs"]), ["a", "c"]);
    assert_eq!(names(&["mcpserver", "list", "--scope", "platform"]), ["a", "b"]);
    assert_eq!(
        names(&["mcpserver", "list", "--scope", "organization", "--org", "my-org"]),
        Vec::<String>::new()
    );
    let yaml = stage.done(&["mcpserver", "list", "-o", "yaml"]);
    assert!(
        stage.done_with(&["apply", "-f", "-"], &yaml).contains("3 unchanged"),
        "a listed stream applies: {yaml}"
    );
}

#[test]
fn control_characters_from_data_never_reach_the_terminal() {
    let stage = Stage::set();
    let mut evil = server("evil");
    evil["spec"]["description"] = json!("\u{1b}[31mred\u{7}\u{202e}txt\r\nnew");
    assert_eq!(stage.http().put("/api/v1/mcpservers/evil", &evil).unwrap().status, 201);
    for args in [
        &["mcpserver", "get", "evil"][..],
        &["mcpserver", "list"],
        &["mcpserver", "get", "evil", "-o", "yaml"],
        &["mcpserver", "get", "evil", "-o", "json"],
        &["export", "--stdout"],
    ] {
        let output = stage.done(args);
        assert!(
            !output.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'),
            "{args:?}: {output:?}"
        );
    }
}

#[test]
fn without_a_terminal_there_is_no_colour() {
    let stage = Stage::set();
    stage.file("a.yaml", &manifest("McpServer", "a", "stdio: {command: x}"));
    assert!(!stage.done(&["apply", "-f", "a.yaml"]).contains('\u{1b}'));
    assert!(!stage.run(&["apply", "-f", "missing"]).stderr.contains('\u{1b}'));
}

#[test]
fn completions_know_the_verbs_and_the_service_unit_runs_this_binary() {
    let person = Outfitter::with_binary(BINARY).unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let script = person.run(["completions", shell]).unwrap();
        assert_eq!(script.code, Some(0));
        assert!(script.stdout.contains("mcpserver"), "{shell}");
    }
    let unit = person.run(["service", "install"]).unwrap();
    assert_eq!(unit.code, Some(0), "{}", unit.stderr);
    let path = person.home().join(".config/systemd/user/outfitter.service");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(&format!("ExecStart=\"{BINARY}\" serve")), "{text}");
}

#[test]
fn the_command_line_reference_in_the_docs_is_what_help_says() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/cli.md");
    let kept = std::fs::read_to_string(path).unwrap();
    let person = Outfitter::with_binary(BINARY).unwrap();
    for args in
        [&["--help"][..], &["serve", "--help"], &["mcpserver", "apply", "--help"], &["import", "--help"]]
    {
        let help = person.run(args).unwrap().stdout;
        let missing = help.lines().map(str::trim_end).find(|line| !kept.contains(line));
        assert_eq!(missing, None, "docs/reference/cli.md is not what {args:?} says; run `make docs`");
    }
}

#[test]
fn validate_works_without_a_daemon() {
    let person = Outfitter::with_binary(BINARY).unwrap();
    let good = manifest("McpServer", "a", "stdio: {command: x}");
    assert_eq!(person.invocation(["validate", "-f", "-"]).stdin(good).run().unwrap().code, Some(0));
    let bad = manifest("McpServer", "a", "stdio: {comand: x}");
    let output = person.invocation(["validate", "-f", "-"]).stdin(bad).run().unwrap();
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("did you mean `command`?"), "{}", output.stderr);
}

#[test]
fn a_variable_set_to_nothing_counts_as_unset() {
    let stage = Stage::set();
    let mut invocation = stage.person.invocation(["whoami"]);
    for name in ["SERVER", "DATA_DIR", "LISTEN", "DATABASE", "KEY_FILE", "BEHIND_TLS_PROXY", "KEEP_HISTORY"] {
        invocation = invocation.env(format!("OUTFITTER_{name}"), "");
    }
    let output = invocation.env("OUTFITTER_SOCKET", stage.daemon.socket()).run().unwrap();
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let person = Outfitter::with_binary(BINARY).unwrap();
    let mut invocation = person.invocation(["serve", "--tls-cert", "absent", "--tls-key", "absent"]);
    for name in ["SOCKET", "DATA_DIR", "LISTEN", "DATABASE", "KEY_FILE", "BEHIND_TLS_PROXY", "KEEP_HISTORY"] {
        invocation = invocation.env(format!("OUTFITTER_{name}"), "");
    }
    let output = invocation.run().unwrap();
    assert_eq!(output.code, Some(1), "it got as far as the certificate: {}", output.stderr);
    assert!(output.stderr.contains("absent"), "{}", output.stderr);
}

#[test]
fn a_usage_error_does_not_demand_what_a_variable_brought_in() {
    let person = Outfitter::with_binary(BINARY).unwrap();
    let output = person.invocation(["mcpserver", "get"]).env("OUTFITTER_DATA_DIR", "d").run().unwrap();
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("<NAME>") && !output.stderr.contains("--data-dir"), "{}", output.stderr);
}

#[test]
fn the_service_unit_takes_over_variables() {
    let person = Outfitter::with_binary(BINARY).unwrap();
    let unit = person.invocation(["service", "install", "--print"]).env("OUTFITTER_DATA_DIR", "/a b").run();
    let unit = unit.unwrap().stdout;
    assert!(unit.contains(" serve --data-dir \"/a b\"\n"), "{unit}");
}

#[test]
fn get_finds_what_apply_says_it_made() {
    let stage = Stage::set();
    for scope in ["scope: platform", "scope: organization\n  org: acme", "scope: identity_account"] {
        let spec = format!("stdio: {{command: x}}\ndescription: \"{}\"", scope.replace("\n ", ""));
        let text = manifest("McpServer", "gh", &spec).replace("name: gh", &format!("name: gh\n  {scope}"));
        let output = stage.done_with(&["apply", "-f", "-"], &text);
        let step = output.lines().find_map(|line| line.split_once("View details: outfitter ")).unwrap().1;
        let shown = stage.done(&step.split(' ').collect::<Vec<_>>());
        assert!(shown.contains(&scope.replace("\n ", "")), "{step}: {shown}");
    }
    let shown = stage.done(&["mcpserver", "get", "gh", "--org", "acme"]);
    assert!(shown.contains("organization/acme"), "{shown}");
}
