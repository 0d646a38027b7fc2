//! Secrets: sealed at rest, never shown, kept, cleared, and unreadable with another key.

use std::time::Duration;

use serde_json::json;
use testkit::Daemon;
use testkit::http::Request;

use crate::stage::{BINARY, Stage, files_below, manifest};

const CANARY: &str = "canary-7f3a9c1e5b";

fn environment(value: Option<&str>) -> String {
    let value = value.map(|value| format!(", value: \"{value}\"")).unwrap_or_default();
    manifest("Environment", "prod", &format!("data: {{TOKEN: {{is_secret: true{value}}}}}"))
}

fn assert_absent(what: &str, bytes: &[u8]) {
    let found = bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
    assert!(!found, "the canary is in {what}");
}

#[test]
fn a_canary_appears_in_no_file_log_answer_or_metric() {
    let stage = Stage::with(Daemon::builder().arg("--log").arg("trace"));
    let output = stage.run_with(&["apply", "-f", "-"], &environment(Some(CANARY)));
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert_absent("apply's output", format!("{}{}", output.stdout, output.stderr).as_bytes());
    stage.done_with(
        &["apply", "-f", "-"],
        &manifest(
            "AgentInstance",
            "i",
            &format!("agent_ref: a\nruntime_env: {{S: {{is_secret: true, value: {CANARY}}}}}"),
        ),
    );
    stage.done_with(
        &["apply", "-f", "-"],
        &manifest(
            "McpServer",
            "s",
            &format!(
                "stdio: {{command: a}}\nenv_spec: {{data: {{S: {{is_secret: true, value: {CANARY}}}}}}}"
            ),
        ),
    );

    // A request that fails must not echo it either.
    let mut http = stage.http();
    let broken = json!({
        "apiVersion": "agentic.stigmer.ai/v1", "kind": "Environment", "metadata": {"name": "prod"},
        "spec": {"data": {"TOKEN": {"is_secret": true, "value": CANARY}}, "oops": 1},
    });
    assert_absent("an error", &http.put("/api/v1/environments/prod", &broken).unwrap().body);
    let changed = environment(Some(&format!("{CANARY}-2")));
    assert_absent("a diff", stage.run_with(&["diff", "-f", "-"], &changed).stdout.as_bytes());

    for path in [
        "/api/v1/environments",
        "/api/v1/environments/prod",
        "/api/v1/agentinstances",
        "/api/v1/mcpservers",
        "/metrics",
        "/api/v1/backup",
    ] {
        let answer = http.get(path).unwrap();
        assert_eq!(answer.status, 200, "{path}");
        assert_absent(path, &answer.body);
    }
    let mut stream = http.events(&Request::new("GET", "/api/v1/watch?from=0")).unwrap();
    for _ in 0..3 {
        assert_absent(
            "the watch stream",
            stream.next(Duration::from_secs(5)).unwrap().unwrap().data.as_bytes(),
        );
    }
    for args in
        [&["environment", "get", "prod", "-o", "yaml"][..], &["environment", "list"], &["export", "--stdout"]]
    {
        assert_absent(&format!("{args:?}"), stage.done(args).as_bytes());
    }
    assert_absent("the log", stage.daemon.stderr().as_bytes());
    for file in files_below(&stage.daemon.data_dir())
        .into_iter()
        .filter(|path| path.extension().is_none_or(|end| end != "sock"))
    {
        assert_absent(&file.display().to_string(), &std::fs::read(&file).unwrap());
    }
    let cmdline = std::fs::read(format!("/proc/{}/cmdline", stage.daemon.pid().unwrap())).unwrap();
    assert_absent("the command line", &cmdline);
}

#[test]
fn applying_without_a_value_keeps_it_an_empty_one_clears_it_and_the_same_is_no_change() {
    let stage = Stage::set();
    let apply = |value| stage.done_with(&["environment", "apply", "-f", "-"], &environment(value));
    assert!(apply(Some("one")).contains("created"));
    assert!(apply(Some("one")).contains("unchanged"));
    assert!(apply(None).contains("unchanged"));
    assert!(apply(Some("two")).contains("updated"));
    assert!(apply(Some("")).contains("updated"));
    assert!(apply(Some("")).contains("unchanged"));
    let shown = stage.done(&["environment", "get", "prod", "-o", "yaml"]);
    assert!(shown.contains("is_secret: true") && !shown.contains("value:"), "{shown}");
}

#[test]
fn a_new_secret_without_a_value_is_pointed_out() {
    let stage = Stage::set();
    let output = stage.run_with(&["apply", "-f", "-"], &environment(None));
    assert_eq!(output.code, Some(0));
    assert!(output.stderr.contains("spec.data.TOKEN: is a secret without a value"), "{}", output.stderr);
}

#[test]
fn a_variable_changes_between_plain_and_secret_without_losing_or_showing_its_value() {
    let stage = Stage::set();
    let apply = |variable: &str| {
        stage.run_with(
            &["apply", "-f", "-"],
            &manifest("Environment", "prod", &format!("data: {{TOKEN: {{{variable}}}}}")),
        )
    };
    assert_eq!(apply(&format!("value: {CANARY}")).code, Some(0));
    let dry = json!({"apiVersion": "agentic.stigmer.ai/v1", "kind": "Environment", "metadata": {"name": "prod"}, "spec": {"data": {"TOKEN": {"is_secret": true}}}});
    assert_absent(
        "a dry run",
        &stage.http().put("/api/v1/environments/prod?dry_run=true", &dry).unwrap().body,
    );
    assert_eq!(apply("is_secret: true").code, Some(0));
    assert!(apply(&format!("is_secret: true, value: {CANARY}")).stdout.contains("unchanged"), "it was kept");
    let refused = apply("is_secret: false");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("spec.data.TOKEN: was a secret"), "{}", refused.stderr);
    let number = apply("is_secret: true, value: 424242424242");
    assert_eq!(number.code, Some(1));
    assert!(!number.stderr.contains("424242"), "{}", number.stderr);
}

#[test]
fn an_empty_passphrase_is_refused() {
    let mut stage = Stage::set();
    let answer = stage.http().post("/api/v1/secrets/rotate-key", &json!({"new_passphrase": ""})).unwrap();
    assert_eq!(answer.status, 400, "{}", answer.text());
    stage.daemon.restart().unwrap();
}

#[test]
fn a_changed_key_seals_everything_again_and_survives_a_restart() {
    let mut stage = Stage::set();
    stage.done_with(&["apply", "-f", "-"], &environment(Some(CANARY)));
    let key_file = stage.daemon.data_dir().join("master.key");
    let before = std::fs::read_to_string(&key_file).unwrap();
    let output = stage.done(&["secrets", "rotate-key"]);
    assert!(output.contains('1'), "one secret was wrapped again: {output}");
    let after = std::fs::read_to_string(&key_file).unwrap();
    assert_ne!(before, after);
    stage.daemon.restart().unwrap();
    assert!(
        stage
            .done_with(&["environment", "apply", "-f", "-"], &environment(Some(CANARY)))
            .contains("unchanged")
    );

    stage.daemon.kill9();
    std::fs::write(&key_file, before).unwrap();
    let error = stage.daemon.restart().unwrap_err().to_string();
    assert!(error.contains("key"), "the old key opens nothing: {error}");
}

#[test]
fn a_missing_or_foreign_key_fails_closed_with_a_message() {
    let mut stage = Stage::set();
    stage.done_with(&["apply", "-f", "-"], &environment(Some(CANARY)));
    stage.daemon.kill9();
    let key_file = stage.daemon.data_dir().join("master.key");
    let key = std::fs::read(&key_file).unwrap();
    std::fs::remove_file(&key_file).unwrap();
    let error = stage.daemon.restart().unwrap_err().to_string();
    assert!(error.contains("the key file is gone"), "{error}");
    assert!(!key_file.exists(), "no new key is left behind");

    let other = Stage::set();
    std::fs::copy(other.daemon.data_dir().join("master.key"), &key_file).unwrap();
    let error = stage.daemon.restart().unwrap_err().to_string();
    assert!(error.contains("not this database's key file"), "{error}");

    std::fs::write(&key_file, key).unwrap();
    stage.daemon.restart().unwrap();
    assert!(
        stage
            .done_with(&["environment", "apply", "-f", "-"], &environment(Some(CANARY)))
            .contains("unchanged")
    );
}

#[test]
fn a_passphrase_protects_the_key_file() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let passphrase = home.path().join("passphrase");
    std::fs::write(&passphrase, "correct horse\n").unwrap();
    std::fs::set_permissions(&passphrase, std::fs::Permissions::from_mode(0o600)).unwrap();
    let builder = Daemon::builder().binary(BINARY).arg("--key-passphrase-file").arg(&passphrase);
    let mut stage = Stage::with(builder.patience(Duration::from_secs(20)));
    stage.done_with(&["apply", "-f", "-"], &environment(Some(CANARY)));
    stage.daemon.restart().unwrap();
    assert!(
        stage
            .done_with(&["environment", "apply", "-f", "-"], &environment(Some(CANARY)))
            .contains("unchanged")
    );
    std::fs::write(&passphrase, "wrong\n").unwrap();
    let error = stage.daemon.restart().unwrap_err().to_string();
    assert!(error.contains("passphrase"), "{error}");
}
