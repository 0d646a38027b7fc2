//! Programs made by others, run to their end.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use testkit::peers::Absent;

/// Programs in Python need seconds to start where the machine is busy.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// The command, or nothing after saying why the test `name` skips.
pub fn installed(name: &str, command: Result<Command, Absent>) -> Option<Command> {
    command.map_err(|absent| testkit::skip(name, &absent.to_string())).ok()
}

/// Gives the command an empty home that lasts as long as what is returned.
pub fn at_home(command: &mut Command) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    command.env("HOME", home.path()).current_dir(home.path());
    home
}

/// Runs the command in a home of its own; what it printed, which has to be JSON.
pub async fn printed(mut command: Command) -> Value {
    let _home = at_home(&mut command);
    command.stdin(Stdio::null());
    let shown = format!("{command:?}");
    let ending = tokio::process::Command::from(command).kill_on_drop(true).output();
    let ended = tokio::time::timeout(PATIENCE, ending).await;
    let output = ended.unwrap_or_else(|_| panic!("no end within {PATIENCE:?}: {shown}")).unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {shown}\n{complaints}", output.status);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {shown}\n{}\n{complaints}", String::from_utf8_lossy(&output.stdout))
    })
}
