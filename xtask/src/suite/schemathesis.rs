//! The API against its own description: generated requests must get the answers that OpenAPI promises.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use testkit::Daemon;

use super::deadline;

const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_headers_conformance,response_schema_conformance";
const PATIENCE: Duration = Duration::from_mins(3);

/// Runs schemathesis from the virtual environment against a daemon of its own.
pub(super) fn run(venv: &Path) -> Result<()> {
    let daemon = Daemon::builder().start()?;
    let scratch = daemon.data_dir().join("..");
    let child = Command::new(venv.join("bin/schemathesis"))
        .args(["run", &format!("{}/api/openapi.json", daemon.url())])
        .args(["--header", &format!("Authorization: Bearer {}", daemon.token()?)])
        .args(["--checks", CHECKS, "--exclude-operation-id", "watch"])
        .args(["--phases", "examples,coverage,fuzzing", "--max-examples", "25", "--seed", "1"])
        .args(["--workers", "1", "--request-timeout", "20"])
        .args(["--generation-database", "none", "--no-color"])
        .current_dir(scratch)
        .stdin(Stdio::null())
        .spawn()
        .context("cannot start schemathesis")?;
    let status = deadline::wait(child, "schemathesis", PATIENCE)?;
    if !status.success() {
        bail!("schemathesis ended with {status}; the daemon wrote:\n{}", daemon.stderr());
    }
    Ok(())
}
