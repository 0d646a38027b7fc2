//! Torture and benchmarks in their short forms, by the program built beside this one.

use std::env;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Runs `testkit ARGS…` with its output shown.
pub(super) fn run(args: &[&str]) -> Result<()> {
    let program = env::current_exe()?.with_file_name("testkit");
    let status = Command::new(&program).args(args).status().with_context(|| program.display().to_string())?;
    if !status.success() {
        bail!("`testkit {}` ended with {status}", args.join(" "));
    }
    Ok(())
}
