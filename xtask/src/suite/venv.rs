//! The Python tools, in a virtual environment that is kept until the lock file changes.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

const LOCK: &str = "tests/requirements.lock";
/// Written last; without it the directory is half made.
const COMPLETE: &str = "complete";

/// Begins to make the environment in the background, beside cargo's work.
pub(super) fn prepare(root: &Path) -> JoinHandle<Result<PathBuf>> {
    let lock = root.join(LOCK);
    thread::spawn(move || make(&lock, &cache()?))
}

fn cache() -> Result<PathBuf> {
    let base = match env::var_os("XDG_CACHE_HOME").filter(|value| !value.is_empty()) {
        Some(base) => PathBuf::from(base),
        None => PathBuf::from(env::var_os("HOME").context("HOME is not set")?).join(".cache"),
    };
    Ok(base.join("outfitter-tests"))
}

/// Makes the environment for `lock` below `cache` unless it is there, and returns it.
fn make(lock: &Path, cache: &Path) -> Result<PathBuf> {
    let text = fs::read(lock).with_context(|| lock.display().to_string())?;
    let directory = cache.join(format!("venv-{}", digest(&text)));
    fs::create_dir_all(cache)?;
    // Two runs at the same time must not build the same directory.
    let guard = File::create(cache.join("lock"))?;
    guard.lock()?;
    if directory.join(COMPLETE).exists() {
        return Ok(directory);
    }
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    quietly(Command::new("python3").args(["-m", "venv"]).arg(&directory))?;
    let mut pip = Command::new(directory.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r"]).arg(lock);
    quietly(&mut pip)?;
    File::create(directory.join(COMPLETE))?;
    Ok(directory)
}

fn digest(text: &[u8]) -> String {
    Sha256::digest(text).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
}

fn quietly(command: &mut Command) -> Result<()> {
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complete_environment_is_used_again() {
        let cache = tempfile::tempdir().unwrap();
        let lock = cache.path().join("requirements.lock");
        fs::write(&lock, "abc").unwrap();
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let directory = cache.path().join(format!("venv-{known}"));
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join(COMPLETE), "").unwrap();
        assert_eq!(make(&lock, cache.path()).unwrap(), directory);
    }

    #[test]
    fn a_missing_lock_file_is_named() {
        let cache = tempfile::tempdir().unwrap();
        let error = make(&cache.path().join("absent.lock"), cache.path()).unwrap_err();
        assert!(format!("{error:#}").contains("absent.lock"), "{error:#}");
    }
}
