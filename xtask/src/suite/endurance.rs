//! Torture, benchmarks and fuzzing in their short forms, by the programs built beside this one.

use std::env;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Runs a program such as `testkit` or `examples/fuzz` with its output shown.
pub(super) fn run(program: &str, args: &[&str]) -> Result<()> {
    let program = env::current_exe()?.with_file_name(program);
    let status = Command::new(&program).args(args).status().with_context(|| program.display().to_string())?;
    if !status.success() {
        bail!("`{} {}` ended with {status}", program.display(), args.join(" "));
    }
    Ok(())
}
