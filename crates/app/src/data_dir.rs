//! The data directory: private to its user, and used by one daemon at a time.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use cli::Surroundings;
use rustix::fs::{FlockOperation, flock};

/// A data directory that this process holds.
pub(crate) struct DataDir {
    path: PathBuf,
    _lock: File,
}

/// Where data lives unless told otherwise.
pub(crate) fn default_path(surroundings: &Surroundings) -> anyhow::Result<PathBuf> {
    let base = surroundings
        .data_home
        .clone()
        .or_else(|| surroundings.home.as_ref().map(|home| home.join(".local/share")))
        .context("neither HOME nor XDG_DATA_HOME is set; give --data-dir")?;
    Ok(base.join("outfitter"))
}

impl DataDir {
    /// Makes the directory if needed and takes its lock.
    pub(crate) fn acquire(path: &Path) -> anyhow::Result<Self> {
        let path = std::path::absolute(path).with_context(|| format!("data directory {}", path.display()))?;
        anyhow::ensure!(path.to_str().is_some(), "the data directory's path {} is not UTF-8", path.display());
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&path)
            .with_context(|| format!("cannot make the data directory {}", path.display()))?;
        let mode = std::fs::metadata(&path)?.permissions().mode();
        if mode & 0o077 != 0 {
            bail!("others can enter {0}; use a directory of your own, or run chmod 700 {0}", path.display());
        }
        let lock_path = path.join("lock");
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&lock_path)
            .with_context(|| format!("cannot open {}", lock_path.display()))?;
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            bail!(
                "another outfitter is running on {}; stop it first, or give this one another --data-dir",
                path.display()
            );
        }
        Ok(Self { path, _lock: lock })
    }

    /// A file inside.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Writes a file that only its user can read, whole or not at all.
pub(crate) fn write_private(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}", std::process::id()));
    let draft = PathBuf::from(draft);
    let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&draft, path)?;
    if let Some(parent) = path.parent() {
        File::open(parent)?.sync_all()?;
    }
    Ok(())
}
