//! MCP programs made by others: where the run of the tests installed them, and how they are started.
//!
//! A command begun here has nothing in its environment but `PATH`, with the installed Node first.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

const NODE: &str = "OUTFITTER_TEST_NODE";
const PYTHON: &str = "OUTFITTER_TEST_PYTHON";
const PYTHON_OLD: &str = "OUTFITTER_TEST_PYTHON_OLD";

/// The programs were not installed for this run.
#[derive(Debug, thiserror::Error)]
#[error("{0} is not set; `make interop` installs the programs and sets it")]
pub struct Absent(&'static str);

/// The command that runs a script below `node_modules`, such as `.bin/mcp-remote`.
pub fn node(script: &str) -> Result<Command, Absent> {
    let directory = place(NODE)?;
    let mut command = bare(&directory.join("bin/node"), Some(&directory.join("bin")));
    command.arg(directory.join("node_modules").join(script));
    Ok(command)
}

/// The command that runs a program of the Python environment with today's SDK.
pub fn python(program: &str) -> Result<Command, Absent> {
    Ok(bare(&place(PYTHON)?.join("bin").join(program), None))
}

/// The command that runs a program of the Python environment with the SDK before 2.0.
pub fn python_old(program: &str) -> Result<Command, Absent> {
    Ok(bare(&place(PYTHON_OLD)?.join("bin").join(program), None))
}

fn place(variable: &'static str) -> Result<PathBuf, Absent> {
    named(variable, env::var_os(variable))
}

fn named(variable: &'static str, value: Option<OsString>) -> Result<PathBuf, Absent> {
    value.filter(|value| !value.is_empty()).map(PathBuf::from).ok_or(Absent(variable))
}

fn bare(program: &Path, first: Option<&Path>) -> Command {
    let path = env::var_os("PATH").unwrap_or_default();
    let places = first.map(Path::to_path_buf).into_iter().chain(env::split_paths(&path));
    let mut command = Command::new(program);
    command.env_clear().env("PATH", env::join_paths(places).unwrap_or(path.clone()));
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_is_absent_or_empty_is_named_in_the_reason() {
        for value in [None, Some(OsString::new())] {
            let absent = named(NODE, value).unwrap_err();
            assert!(absent.to_string().starts_with("OUTFITTER_TEST_NODE is not set"), "{absent}");
        }
    }

    #[test]
    fn a_command_sees_nothing_of_the_environment_but_a_path_that_begins_with_node() {
        let command = bare(Path::new("/peers/bin/node"), Some(Path::new("/peers/bin")));
        let seen: Vec<_> = command.get_envs().collect();
        let [(name, Some(path))] = seen.as_slice() else { panic!("{seen:?}") };
        assert_eq!(*name, "PATH");
        assert_eq!(env::split_paths(path).next(), Some(PathBuf::from("/peers/bin")));
    }
}
