//! Servers in Python: two on today's SDK, which are modern, and one on the SDK before.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use testkit::peers;

use super::Upstream;
use crate::run::installed;

fn git(repository: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(repository).env("HOME", repository).env("GIT_CONFIG_NOSYSTEM", "1");
    command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]).args(arguments);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test]
async fn mcp_server_git_is_modern_and_tells_the_log() {
    let name = "mcp_server_git_is_modern_and_tells_the_log";
    let Some(command) = installed(name, peers::python("mcp-server-git")) else { return };
    let repository = tempfile::tempdir().unwrap();
    git(repository.path(), &["init", "--quiet"]);
    git(repository.path(), &["commit", "--quiet", "--allow-empty", "--message", "the first of all"]);
    let server = Upstream::over_stdio(command, json!({})).await;
    assert_eq!(server.met(), ("2026-07-28".into(), json!("mcp-git")));
    assert_eq!(server.tools().await.len(), 12);
    let arguments = json!({ "repo_path": repository.path() });
    let status = server.use_tool("git_status", arguments.clone()).await;
    assert!(status.contains("nothing to commit"), "{status}");
    let log = server.use_tool("git_log", arguments).await;
    assert!(log.contains("the first of all") && log.contains("Ada"), "{log}");
    server.end().await;
}

#[tokio::test]
async fn mcp_server_time_is_modern_and_converts() {
    let name = "mcp_server_time_is_modern_and_converts";
    let Some(mut command) = installed(name, peers::python("mcp-server-time")) else { return };
    command.args(["--local-timezone", "UTC"]);
    let server = Upstream::over_stdio(command, json!({})).await;
    assert_eq!(server.met(), ("2026-07-28".into(), json!("mcp-time")));
    assert_eq!(server.tools().await, ["get_current_time", "convert_time"]);
    let arguments = json!({ "source_timezone": "UTC", "time": "12:30", "target_timezone": "Asia/Kathmandu" });
    let converted = server.use_tool("convert_time", arguments).await;
    assert!(converted.contains("T18:15:00+05:45"), "{converted}");
    server.end().await;
}

#[tokio::test]
async fn mcp_server_sqlite_shakes_hands_and_keeps_rows() {
    let name = "mcp_server_sqlite_shakes_hands_and_keeps_rows";
    let Some(mut command) = installed(name, peers::python_old("mcp-server-sqlite")) else { return };
    let directory = tempfile::tempdir().unwrap();
    command.arg("--db-path").arg(directory.path().join("rows.db"));
    let server = Upstream::over_stdio(command, json!({})).await;
    assert_eq!(server.met(), ("2025-11-25".into(), json!("sqlite")));
    assert_eq!(server.tools().await.len(), 6);
    let query = |text: &str| json!({ "query": text });
    server.use_tool("create_table", query("CREATE TABLE people (name TEXT)")).await;
    server.use_tool("write_query", query("INSERT INTO people VALUES ('Ada'), ('Grace')")).await;
    let rows = server.use_tool("read_query", query("SELECT name FROM people ORDER BY name")).await;
    assert_eq!(rows, "[{'name': 'Ada'}, {'name': 'Grace'}]");
    server.end().await;
}
