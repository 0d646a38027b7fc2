//! Repository chores: `cargo xtask test` and its parts, `tidy` and `docs`.

mod console;
mod docs;
mod suite;
mod tidy;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

const USAGE: &str = "\
usage: cargo xtask test          everything CI runs, stage by stage
       cargo xtask conformance   the official MCP suite against target/ci/examples/conformance
       cargo xtask interop       the tests against other people's clients and servers
       cargo xtask tidy          the tree's invariants
       cargo xtask docs          writes docs/reference from the built binary";

fn main() -> ExitCode {
    let command = env::args().nth(1).unwrap_or_default();
    let outcome = match command.as_str() {
        "test" => root().map(|root| suite::run(&root)),
        "conformance" => root().map(|root| suite::conformance(&root)),
        "interop" => root().map(|root| suite::interop(&root)),
        "tidy" => root().and_then(|root| tidy(&root)),
        "docs" => root().and_then(|root| docs::write(&root)).map(|()| true),
        _ => {
            console::complain(USAGE);
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            console::complain(format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// The workspace, wherever below it the command was given.
fn root() -> Result<PathBuf> {
    let here = env::current_dir()?;
    let root = here.ancestors().find(|directory| directory.join("Cargo.lock").is_file());
    Ok(root.context("not inside the workspace: no Cargo.lock above")?.to_owned())
}

fn tidy(root: &Path) -> Result<bool> {
    let found = tidy::check(root)?;
    for violation in &found {
        console::say(violation);
    }
    console::say(format!("{} violations", found.len()));
    Ok(found.is_empty())
}
