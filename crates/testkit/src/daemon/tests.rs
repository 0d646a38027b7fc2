//! The driver against shell scripts that behave like daemons.

use std::time::Instant;

use super::*;

/// A daemon whose binary is the shell, which finds the script under the name `serve` where it starts.
fn scripted(script: &str, builder: Builder) -> Daemon {
    let daemon = builder.binary("/bin/sh").prepare().unwrap();
    fs::write(daemon.directory.path().join("home/serve"), script).unwrap();
    daemon
}

fn started(script: &str) -> Result<Daemon, Error> {
    let mut daemon = scripted(script, Daemon::builder().patience(Duration::from_secs(10)));
    daemon.restart().map(|_| daemon)
}

const OBEDIENT: &str = r#"
trap 'exit 7' TERM
echo "$0 $@" >> "$2/args"; env > "$2/env"; echo token > "$2/operator.token"; echo a line >&2
echo "listening on http://127.0.0.1:4711"
while :; do sleep 0.01; done"#;

#[test]
fn a_daemon_starts_with_a_clean_environment_and_says_where_it_listens() {
    let builder = Daemon::builder().database("postgres://x").arg("--flag").env("EXTRA", "1");
    let mut daemon = scripted(OBEDIENT, builder);
    daemon.restart().unwrap();
    assert_eq!(daemon.url(), "http://127.0.0.1:4711");
    assert_eq!(daemon.token().unwrap(), "token");
    let data = daemon.data_dir();
    let args = fs::read_to_string(data.join("args")).unwrap();
    let expected =
        format!("serve --data-dir {} --listen 127.0.0.1:0 --database postgres://x --flag\n", data.display());
    assert_eq!(args, expected);
    let env = fs::read_to_string(data.join("env")).unwrap();
    let names: Vec<_> = env.lines().filter_map(|line| line.split('=').next()).collect();
    assert!(names.contains(&"HOME") && names.contains(&"EXTRA"), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with("XDG_") || name.starts_with("CARGO")), "{names:?}");
}

#[test]
fn a_killed_daemon_restarts_on_the_same_directory() {
    let mut daemon = started(OBEDIENT).unwrap();
    let first = daemon.pid().unwrap();
    daemon.kill9();
    assert_eq!(daemon.pid(), None);
    daemon.restart().unwrap();
    assert_ne!(daemon.pid().unwrap(), first);
    assert_eq!(fs::read_to_string(daemon.data_dir().join("args")).unwrap().lines().count(), 2);
    assert_eq!(daemon.stderr(), "a line\na line\n");
}

#[test]
fn a_terminated_daemon_reports_its_exit_status() {
    let mut daemon = started(OBEDIENT).unwrap();
    let (status, _) = daemon.terminate().unwrap();
    assert_eq!(status.code(), Some(7));
    assert!(matches!(daemon.terminate(), Err(Error::NotRunning)));
}

#[test]
fn a_daemon_that_ends_early_is_reported_with_what_it_wrote() {
    let message = started("echo no such directory >&2; exit 3").unwrap_err().to_string();
    assert!(message.contains("exit status: 3") && message.contains("no such directory"), "{message}");
}

#[test]
fn a_silent_daemon_is_given_up() {
    let patience = Duration::from_millis(100);
    let mut daemon = scripted("while :; do sleep 0.01; done", Daemon::builder().patience(patience));
    let began = Instant::now();
    let message = daemon.restart().unwrap_err().to_string();
    assert!(message.contains("within 100ms"), "{message}");
    assert!(began.elapsed() < Duration::from_secs(5));
}
