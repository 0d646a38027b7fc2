//! PostgreSQL: a writing connection of its own, up to eight reading ones, and wake-ups from other replicas.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, PgPool};

use super::classify;
use crate::{Reason, Unavailable};

const OLDEST: i32 = 150_000;
const READERS: u32 = 8;
const WAIT: Duration = Duration::from_secs(5);
/// The channel on which replicas tell each other of commits.
pub(super) const CHANNEL: &str = "outfitter_commits";

pub(super) async fn open(url: &str) -> Result<(PgPool, PgPool), Unavailable> {
    let options = PgConnectOptions::from_str(url).map_err(|error| classify(&error))?;
    let options =
        options.application_name("outfitter").statement_cache_capacity(256).disable_statement_logging();
    // Asked without a pool first: a pool would only say that it waited in vain.
    let probe = tokio::time::timeout(WAIT, options.connect()).await;
    probe
        .map_err(|_| Unavailable::new(Reason::Disconnected, "no answer within 5 s"))?
        .map_err(|error| classify(&error))?
        .close()
        .await
        .map_err(|error| classify(&error))?;
    let writer = pool(1).connect_lazy_with(options.clone());
    let readers = pool(READERS).connect_lazy_with(options);
    let version: i32 = sqlx::query_scalar("SELECT current_setting('server_version_num')::int")
        .fetch_one(&readers)
        .await
        .map_err(|error| classify(&error))?;
    if version < OLDEST {
        let found = version / 10_000;
        return Err(Unavailable::new(
            Reason::Other,
            format!("PostgreSQL {found} is too old; 15 or newer is needed"),
        ));
    }
    Ok((writer, readers))
}

fn pool(connections: u32) -> PgPoolOptions {
    PgPoolOptions::new().max_connections(connections).acquire_timeout(WAIT)
}

/// Wake-ups from other replicas: hints only, whoever is woken reads what is committed.
pub(crate) struct Wakeups(PgListener);

impl Wakeups {
    pub(super) async fn listen(pool: &PgPool) -> Result<Self, Unavailable> {
        let mut listener = PgListener::connect_with(pool).await.map_err(|error| classify(&error))?;
        listener.ignore_pool_close_event(true);
        listener.listen(CHANNEL).await.map_err(|error| classify(&error))?;
        Ok(Self(listener))
    }

    /// Waits for the next hint; an error means listening has to start over.
    pub async fn next(&mut self) -> Result<(), Unavailable> {
        self.0.recv().await.map(drop).map_err(|error| classify(&error))
    }
}
