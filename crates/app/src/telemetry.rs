//! Logs to standard error, and metrics. Standard output is for the one line that says where the daemon listens.

use std::io::Write;
use std::time::Duration;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

const UPKEEP_EVERY: Duration = Duration::from_secs(5);

/// Starts logging. A filter that cannot be read is an error.
pub(crate) fn start(filter: &str, json: bool, colour: bool) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(filter)
        .map_err(|error| anyhow::anyhow!("--log {filter:?}: {error}; try `info` or `storage=debug,info`"))?;
    // The OAuth client writes authorization codes into its debug log; those are nobody's business.
    let filter = filter.add_directive("rmcp=info".parse()?);
    let builder =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colour);
    let started = if json { builder.json().try_init() } else { builder.try_init() };
    started.map_err(|error| anyhow::anyhow!("logging cannot start: {error}"))
}

/// Starts collecting metrics.
pub(crate) fn collect() -> anyhow::Result<PrometheusHandle> {
    let seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];
    Ok(PrometheusBuilder::new().set_buckets(&seconds)?.install_recorder()?)
}

/// Folds what was measured into its sums now and then; otherwise it would pile up until somebody asks.
pub(crate) async fn keep_up(metrics: PrometheusHandle, shutdown: CancellationToken) {
    let mut every = tokio::time::interval(UPKEEP_EVERY);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = every.tick() => metrics.run_upkeep(),
        }
    }
}

/// Says something to the person at standard output.
pub(crate) fn announce(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
    let _ = std::io::stdout().flush();
}

/// Says something to the person at standard error.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
