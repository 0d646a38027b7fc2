//! Python packages in virtual environments, one for each lock file.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::{self, JoinHandle};

use anyhow::Result;

use super::cache;

/// The tools of the run itself.
pub(super) const TOOLS: &str = "tests/requirements.lock";

/// Begins to make the environment of a lock file in the background, beside cargo's work.
pub(super) fn prepare(root: &Path, lock: &str) -> JoinHandle<Result<PathBuf>> {
    let lock = root.join(lock);
    thread::spawn(move || cache::kept(&cache::place()?, "venv", &lock, |directory| fill(directory, &lock)))
}

fn fill(directory: &Path, lock: &Path) -> Result<()> {
    cache::quietly(Command::new("python3").args(["-m", "venv"]).arg(directory))?;
    let mut pip = Command::new(directory.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r"]).arg(lock);
    cache::quietly(&mut pip)
}
