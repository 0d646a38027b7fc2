//! `outfitter doctor`: looks at a store that no daemon is using, and says whether it is sound.

use cli::{DoctorOptions, Surroundings};

use storage::Database;

use crate::daemon::database;
use crate::data_dir::{DataDir, default_path};
use crate::telemetry;

/// Checks the store and reports.
pub(crate) async fn examine(options: DoctorOptions, surroundings: &Surroundings) -> anyhow::Result<()> {
    let path = options.data_dir.map_or_else(|| default_path(surroundings), Ok)?;
    anyhow::ensure!(path.is_dir(), "there is no data directory {}; name one with --data-dir", path.display());
    let directory = DataDir::acquire(&path)?;
    let database = database(options.database.as_deref(), &directory)?;
    if let Database::Sqlite(file) = &database {
        anyhow::ensure!(file.exists(), "there is no store at {}; nothing was made", file.display());
    }
    let health = storage::examine(database).await?;
    telemetry::announce(&format!(
        "✓ The store is sound: {} resources, revision {}, schema {}",
        health.resources, health.revision, health.schema
    ));
    Ok(())
}
