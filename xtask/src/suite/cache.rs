//! Directories that are filled once and kept until the lock file that describes them changes.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

/// Written last; without it the directory is half made.
const COMPLETE: &str = "complete";

/// Where the directories are kept.
pub(super) fn place() -> Result<PathBuf> {
    let base = match env::var_os("XDG_CACHE_HOME").filter(|value| !value.is_empty()) {
        Some(base) => PathBuf::from(base),
        None => PathBuf::from(env::var_os("HOME").context("HOME is not set")?).join(".cache"),
    };
    Ok(base.join("outfitter-tests"))
}

/// The directory for `lock` below `cache`; `fill` gets it empty unless it is complete already.
pub(super) fn kept(
    cache: &Path,
    kind: &str,
    lock: &Path,
    fill: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    let text = fs::read(lock).with_context(|| lock.display().to_string())?;
    let name = format!("{kind}-{}", digest(&text));
    let directory = cache.join(&name);
    fs::create_dir_all(cache)?;
    // Two runs at the same time must not fill the same directory.
    let guard = File::create(cache.join(format!("{name}.lock")))?;
    guard.lock()?;
    if directory.join(COMPLETE).exists() {
        return Ok(directory);
    }
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    fs::create_dir(&directory)?;
    fill(&directory)?;
    File::create(directory.join(COMPLETE))?;
    Ok(directory)
}

/// Runs a command whose output matters only when it fails.
pub(super) fn quietly(command: &mut Command) -> Result<()> {
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

fn digest(text: &[u8]) -> String {
    Sha256::digest(text).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABC: &str = "venv-ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn lock(cache: &Path) -> PathBuf {
        let lock = cache.join("requirements.lock");
        fs::write(&lock, "abc").unwrap();
        lock
    }

    #[test]
    fn a_complete_directory_is_used_again() {
        let cache = tempfile::tempdir().unwrap();
        let lock = lock(cache.path());
        let directory = kept(cache.path(), "venv", &lock, |_| Ok(())).unwrap();
        assert_eq!(directory, cache.path().join(ABC));
        assert_eq!(kept(cache.path(), "venv", &lock, |_| bail!("filled twice")).unwrap(), directory);
    }

    #[test]
    fn what_a_failed_run_left_is_thrown_away() {
        let cache = tempfile::tempdir().unwrap();
        let lock = lock(cache.path());
        let broken = |directory: &Path| {
            fs::write(directory.join("half"), "")?;
            bail!("no network")
        };
        kept(cache.path(), "venv", &lock, broken).unwrap_err();
        let directory = kept(cache.path(), "venv", &lock, |_| Ok(())).unwrap();
        assert!(!directory.join("half").exists());
    }

    #[test]
    fn another_lock_gets_another_directory() {
        let cache = tempfile::tempdir().unwrap();
        let lock = lock(cache.path());
        let first = kept(cache.path(), "venv", &lock, |_| Ok(())).unwrap();
        fs::write(&lock, "abd").unwrap();
        assert_ne!(kept(cache.path(), "venv", &lock, |_| Ok(())).unwrap(), first);
    }

    #[test]
    fn a_missing_lock_file_is_named() {
        let cache = tempfile::tempdir().unwrap();
        let error = kept(cache.path(), "venv", &cache.path().join("absent.lock"), |_| Ok(())).unwrap_err();
        assert!(format!("{error:#}").contains("absent.lock"), "{error:#}");
    }
}
