//! Command lines as people type them.

use std::ffi::OsString;
use std::path::PathBuf;

use super::{Action, Address, ClientCommand, Parsed, command, parse};

fn typed(line: &str) -> Result<Parsed, clap::Error> {
    parse(line.split_whitespace().map(OsString::from))
}

fn client(line: &str) -> ClientCommand {
    match typed(line) {
        Ok(Parsed::Client(command)) => command,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn the_command_line_is_sound() {
    command().debug_assert();
}

#[test]
fn every_argument_and_command_says_what_it_is_for() {
    fn walk(command: &clap::Command) {
        assert!(command.get_about().is_some(), "{}", command.get_name());
        for argument in command.get_arguments() {
            let documented = argument.get_help().is_some() || argument.is_hide_set();
            assert!(documented, "{} {}", command.get_name(), argument.get_id());
        }
        command.get_subcommands().for_each(walk);
    }
    walk(&command());
}

#[test]
fn the_program_alone_prints_help() {
    let error = typed("outfitter").unwrap_err();
    assert_eq!((error.kind(), error.exit_code()), (clap::error::ErrorKind::DisplayHelp, 0));
}

#[test]
fn wrong_usage_exits_with_two() {
    for line in [
        "outfitter mcpserver",
        "outfitter nonsense",
        "outfitter mcpserver apply",
        "outfitter mcpserver init",
        "outfitter mcpserver list --scope everywhere",
        "outfitter --server http://a --socket b whoami",
        "outfitter serve --keep-history 30",
        "outfitter serve --listen nowhere",
        "outfitter serve --listen 127.0.0.1",
        "outfitter serve --database mysql://localhost/x",
        "outfitter watch --from abc",
        "outfitter org",
        "outfitter org create Acme",
        "outfitter org add-member acme ana --role owner",
        "outfitter user create a/b",
        "outfitter token create --agent a --org o",
        "outfitter token create --agent-scope platform",
        "outfitter token create --expires never",
        "outfitter can-i view",
        "outfitter can-i fly mcpserver a",
        "outfitter can-i view teapot a",
        "outfitter can-i view mcpserver a --owner ana --org acme",
        "outfitter grant view mcpserver a",
        "outfitter grant delete mcpserver a --to ana",
        "outfitter revoke view mcpserver a",
        "outfitter audit denials --limit 0",
        "outfitter fga",
        "outfitter fga test",
        "outfitter fga transform",
        "outfitter fga transform --to xml m.fga",
        "outfitter mcpserver get a --org A_B",
    ] {
        assert_eq!(typed(line).unwrap_err().exit_code(), 2, "{line}");
    }
}

#[test]
fn the_daemons_options_have_their_defaults() {
    let Ok(Parsed::Serve(options)) =
        typed("outfitter serve --data-dir d --socket s --allowed-host a --allowed-host b")
    else {
        panic!("not serve");
    };
    assert_eq!(options.listen.to_string(), "127.0.0.1:9850");
    assert_eq!(options.keep_history.as_secs(), 30 * 86_400);
    assert_eq!(options.keep_audit.as_secs(), 365 * 86_400);
    assert_eq!(options.allowed_hosts, ["a", "b"]);
    assert_eq!((options.data_dir, options.socket), (Some(PathBuf::from("d")), Some(PathBuf::from("s"))));
    assert_eq!(options.log, "info");
    assert!(!options.stdio_proxy && !options.log_json && !options.behind_tls_proxy);
}

#[test]
fn each_of_the_daemons_flags_has_its_variable() {
    let whole = command();
    let serve = whole.find_subcommand("serve").unwrap();
    for argument in serve.get_arguments().filter(|argument| !argument.is_hide_set()) {
        let long = argument.get_long().unwrap();
        let expected = format!("OUTFITTER_{}", long.to_ascii_uppercase().replace('-', "_"));
        assert_eq!(argument.get_env().unwrap().to_str(), Some(expected.as_str()));
    }
}

#[test]
fn connection_options_stand_before_or_after_the_command() {
    for line in ["outfitter --socket s mcpserver list", "outfitter mcpserver list --socket s"] {
        assert_eq!(client(line).connection.address, Some(Address::Socket("s".into())), "{line}");
    }
    let both = client("outfitter --data-dir d --server http://a whoami");
    assert_eq!(both.connection.address, Some(Address::Server("http://a".into())));
    assert_eq!(
        client("outfitter whoami --data-dir d").connection.address,
        Some(Address::DataDir("d".into()))
    );
}

#[test]
fn each_noun_has_the_same_verbs() {
    for noun in ["mcpserver", "agent", "environment", "instance", "executor"] {
        for verb in ["apply -f a", "get a", "list", "delete a"] {
            client(&format!("outfitter {noun} {verb}"));
        }
    }
    assert!(matches!(
        client("outfitter mcpserver init --type http --name web").action,
        Action::Init { server_type: Some(_), name: Some(_), .. }
    ));
    assert!(matches!(client("outfitter agent init").action, Action::Init { server_type: None, .. }));
}

#[test]
fn a_refused_database_is_not_repeated_with_its_password() {
    let error = typed("outfitter serve --database mysql://u:canary@h/d").unwrap_err().to_string();
    assert!(error.contains("--database must begin with postgres://") && !error.contains("canary"), "{error}");
}

#[test]
fn a_command_without_a_daemon_does_not_show_how_to_reach_one() {
    let shows = |line: &str| typed(line).unwrap_err().to_string().contains("--token-file");
    for line in [
        "import --help",
        "validate --help",
        "schema --help",
        "completions --help",
        "service --help",
        "service install --help",
        "serve --help",
    ] {
        assert!(!shows(&format!("outfitter {line}")), "{line}");
    }
    assert!(shows("outfitter apply --help"));
}

#[test]
fn validate_promises_no_check_of_references() {
    let help = typed("outfitter validate --help").unwrap_err().to_string();
    assert!(help.contains("references are not checked"), "{help}");
}

#[test]
fn only_what_can_be_applied_is_said_to_apply() {
    for (line, applies) in [
        ("outfitter mcpserver get --help", true),
        ("outfitter mcpserver list --help", true),
        ("outfitter org list --help", false),
        ("outfitter org get --help", false),
        ("outfitter user list --help", false),
        ("outfitter token list --help", false),
        ("outfitter can-i --help", false),
        ("outfitter grants --help", false),
        ("outfitter audit denials --help", false),
    ] {
        let help = typed(line).unwrap_err().to_string();
        assert!(help.contains("- yaml: YAML"), "{line}: {help}");
        assert_eq!(help.contains("apply unchanged"), applies, "{line}");
    }
}
