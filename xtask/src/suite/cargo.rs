//! The stages that cargo does.

use std::env;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::console;

use super::tally::Tally;

/// The variable that hands the run's cluster to every test program.
pub(super) const CLUSTER: &str = "OUTFITTER_TEST_POSTGRES";

fn command(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// Runs cargo with its output shown.
pub(super) fn run(root: &Path, args: &[&str]) -> Result<()> {
    let status = command(root).args(args).status().context("cannot start cargo")?;
    if !status.success() {
        bail!("`cargo {}` ended with {status}", args.join(" "));
    }
    Ok(())
}

/// Runs the workspace's tests, all of them or those that `which` picks, shows the output as it comes and
/// counts it.
pub(super) fn test(
    root: &Path,
    which: &[&str],
    variables: Vec<(&str, OsString)>,
    tally: &mut Tally,
) -> Result<()> {
    let mut command = command(root);
    command.args(["test", "--profile", "ci", "--workspace", "--no-fail-fast"]).args(which);
    // Colours would hide the lines that are counted.
    command.env("CARGO_TERM_COLOR", "never").envs(variables).stdout(Stdio::piped());
    let failed_before = tally.failed;
    let mut child = command.spawn().context("cannot start cargo")?;
    let stdout = child.stdout.take().context("cargo has no stdout")?;
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        console::say(&line);
        tally.read(&line);
    }
    let status = child.wait()?;
    // With failures counted the status says nothing new; without, something died before it could report.
    if !status.success() && tally.failed == failed_before {
        bail!("`cargo test` ended with {status} and no failed test");
    }
    Ok(())
}
