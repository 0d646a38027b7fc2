//! MCP clients and servers made by others, installed for the tests that talk to them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use anyhow::{Result, bail};

use super::{npm, venv};

/// The variable that names the directory with `node_modules` and `bin/node`.
pub(super) const NODE: &str = "OUTFITTER_TEST_NODE";
const PYTHON: &str = "OUTFITTER_TEST_PYTHON";
const PYTHON_OLD: &str = "OUTFITTER_TEST_PYTHON_OLD";

/// Installations under way.
pub(super) struct Pending(Vec<(&'static str, JoinHandle<Result<PathBuf>>)>);

/// What is installed, by the variable that tells the tests of it; a test without its variable skips.
#[derive(Debug, Default)]
pub(super) struct Peers(Vec<(&'static str, PathBuf)>);

/// Begins all installations in the background, beside cargo's work.
pub(super) fn prepare(root: &Path) -> Pending {
    Pending(vec![
        (NODE, npm::prepare(root, "tests/peers/node")),
        (PYTHON, venv::prepare(root, "tests/peers/python.lock")),
        (PYTHON_OLD, venv::prepare(root, "tests/peers/python-old.lock")),
    ])
}

impl Pending {
    /// Waits, and adds to `peers` what came; the error names everything that did not.
    pub(super) fn collect(self, peers: &mut Peers) -> Result<()> {
        let mut problems = Vec::new();
        for (variable, work) in self.0 {
            match work.join() {
                Ok(Ok(directory)) => peers.0.push((variable, directory)),
                Ok(Err(error)) => problems.push(format!("{variable}: {error:#}")),
                Err(_) => problems.push(format!("{variable}: the thread that installs it panicked")),
            }
        }
        if !problems.is_empty() {
            bail!("not installed:\n{}", problems.join("\n"));
        }
        Ok(())
    }
}

impl Peers {
    /// What the test programs get in their environment.
    pub(super) fn variables(&self) -> Vec<(&'static str, OsString)> {
        self.0.iter().map(|(variable, directory)| (*variable, directory.clone().into_os_string())).collect()
    }

    /// The directory with `node_modules` and `bin/node`, if that came.
    pub(super) fn node(&self) -> Option<&Path> {
        self.0.iter().find(|(variable, _)| *variable == NODE).map(|(_, directory)| directory.as_path())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn what_is_installed_is_told_although_another_installation_failed() {
        let pending = Pending(vec![
            (NODE, thread::spawn(|| Ok("somewhere".into()))),
            (PYTHON, thread::spawn(|| bail!("no network"))),
        ]);
        let mut peers = Peers::default();
        let error = pending.collect(&mut peers).unwrap_err();
        assert_eq!(error.to_string(), "not installed:\nOUTFITTER_TEST_PYTHON: no network");
        assert_eq!(peers.variables(), [("OUTFITTER_TEST_NODE", "somewhere".into())]);
        assert_eq!(peers.node(), Some(Path::new("somewhere")));
    }
}
