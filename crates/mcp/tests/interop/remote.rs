//! mcp-remote, which the client of the Python SDK starts as if it were the server.

use std::process::Command;

use testkit::peers;

use crate::fixture::Fixture;
use crate::python::script;
use crate::run::{installed, printed};
use crate::tour;

fn bridge(test: &str) -> Option<Command> {
    let remote = installed(test, peers::node(".bin/mcp-remote"))?;
    let mut command = installed(test, peers::python("python"))?;
    command.arg(script("sdk.py")).arg("stdio").arg(remote.get_program()).args(remote.get_args());
    Some(command)
}

#[tokio::test]
async fn mcp_remote_bridges_a_modern_client_to_streamable_http() {
    let name = "mcp_remote_bridges_a_modern_client_to_streamable_http";
    let Some(mut command) = bridge(name) else { return };
    let server = Fixture::start().await;
    command.args([&server.mcp(), "--allow-http"]);
    tour::check_with_news(printed(command).await, "2026-07-28");
}

#[tokio::test]
async fn mcp_remote_bridges_a_client_to_sse() {
    let Some(mut command) = bridge("mcp_remote_bridges_a_client_to_sse") else { return };
    let server = Fixture::start().await;
    command.args([&server.sse(), "--allow-http", "--transport", "sse-only"]);
    tour::check_with_news(printed(command).await, "2025-11-25");
}
