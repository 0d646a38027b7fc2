//! The client of the Python SDK and that of `fastmcp`, both left to choose the era.

use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::peers;

use crate::fixture::{self, Fixture};
use crate::run::{installed, printed};
use crate::tour;

/// A script of `tests/interop`.
pub fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/interop").join(name)
}

fn python(test: &str, name: &str) -> Option<Command> {
    let mut command = installed(test, peers::python("python"))?;
    command.arg(script(name));
    Some(command)
}

#[tokio::test]
async fn the_python_sdk_is_modern_over_streamable_http() {
    let name = "the_python_sdk_is_modern_over_streamable_http";
    let Some(mut command) = python(name, "sdk.py") else { return };
    let server = Fixture::start().await;
    command.arg("http").arg(server.mcp());
    tour::check_with_news(printed(command).await, "2026-07-28");
}

#[tokio::test]
async fn the_python_sdk_falls_back_to_a_handshake_over_sse() {
    let name = "the_python_sdk_falls_back_to_a_handshake_over_sse";
    let Some(mut command) = python(name, "sdk.py") else { return };
    let server = Fixture::start().await;
    command.arg("sse").arg(server.sse());
    tour::check_with_news(printed(command).await, "2025-11-25");
}

#[tokio::test]
async fn the_python_sdk_is_modern_over_stdio() {
    let Some(mut command) = python("the_python_sdk_is_modern_over_stdio", "sdk.py") else { return };
    command.arg("stdio").arg(fixture::program()).arg("stdio");
    tour::check_with_news(printed(command).await, "2026-07-28");
}

#[tokio::test]
async fn the_python_sdk_told_to_be_legacy_shakes_hands_over_streamable_http() {
    let name = "the_python_sdk_told_to_be_legacy_shakes_hands_over_streamable_http";
    let Some(mut command) = python(name, "sdk.py") else { return };
    let server = Fixture::start().await;
    command.args(["--legacy", "http"]).arg(server.mcp());
    tour::check_with_news(printed(command).await, "2025-11-25");
}

#[tokio::test]
async fn fastmcp_is_modern_over_streamable_http() {
    let Some(mut command) = python("fastmcp_is_modern_over_streamable_http", "fast.py") else { return };
    let server = Fixture::start().await;
    command.arg("http").arg(server.mcp());
    tour::check(printed(command).await, "2026-07-28");
}

#[tokio::test]
async fn fastmcp_falls_back_to_a_handshake_over_sse() {
    let Some(mut command) = python("fastmcp_falls_back_to_a_handshake_over_sse", "fast.py") else { return };
    let server = Fixture::start().await;
    command.arg("sse").arg(server.sse());
    tour::check(printed(command).await, "2025-11-25");
}
