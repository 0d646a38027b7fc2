//! `outfitter restore`: a backup into an empty store, while no daemon runs on it.

use anyhow::Context;
use cli::{InputFile, RestoreOptions, Surroundings};
use storage::{Options, Retention};
use tokio::io::{AsyncBufRead, BufReader};

use crate::daemon::{KEY_FILE, database};
use crate::data_dir::{DataDir, default_path};
use crate::telemetry;

/// Reads the backup and commits it only if it is whole.
pub(crate) async fn restore(options: RestoreOptions, surroundings: &Surroundings) -> anyhow::Result<()> {
    let path = options.data_dir.map_or_else(|| default_path(surroundings), Ok)?;
    let directory = DataDir::acquire(&path)?;
    let database = database(options.database.as_deref(), &directory)?;
    let source: Box<dyn AsyncBufRead + Send + Unpin> = match &options.file {
        InputFile::Stdin => Box::new(BufReader::new(tokio::io::stdin())),
        InputFile::Path(path) => {
            let file = tokio::fs::File::open(path).await;
            Box::new(BufReader::new(file.with_context(|| format!("cannot read {}", path.display()))?))
        }
    };
    let summary = storage::restore(Options { database, retention: Retention::default() }, source).await?;
    let rows = |table: &str| summary.rows.get(table).copied().unwrap_or_default();
    telemetry::announce(&format!(
        "✓ Restored {} resources and {} secrets, at revision {}",
        rows("resources"),
        rows("secrets"),
        summary.revision
    ));
    let key_file = directory.file(KEY_FILE);
    if !key_file.exists() {
        telemetry::complain(&format!(
            "A backup does not hold the key: put the key file at {} before starting the daemon.",
            key_file.display()
        ));
    }
    Ok(())
}
