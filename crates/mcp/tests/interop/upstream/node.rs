//! The small reference servers on Node: files and a memory.

use std::fs;

use serde_json::{Value, json};
use testkit::peers;

use super::Upstream;
use crate::run::installed;

#[tokio::test]
async fn server_filesystem_reads_a_file_that_it_may_and_no_other() {
    let name = "server_filesystem_reads_a_file_that_it_may_and_no_other";
    let Some(mut command) = installed(name, peers::node(".bin/mcp-server-filesystem")) else { return };
    let (ours, others) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for directory in [&ours, &others] {
        fs::write(directory.path().join("note.txt"), "remember the milk\n").unwrap();
    }
    command.arg(ours.path());
    let server = Upstream::over_stdio(command, json!({})).await;
    assert_eq!(server.met(), ("2025-11-25".into(), json!("secure-filesystem-server")));
    assert_eq!(server.tools().await.len(), 14);
    let note = ours.path().join("note.txt");
    assert_eq!(server.use_tool("read_text_file", json!({ "path": note })).await, "remember the milk\n");
    let arguments = json!({ "path": others.path().join("note.txt") });
    let refused = server.ask("tools/call", json!({ "name": "read_text_file", "arguments": arguments })).await;
    assert_eq!(refused["isError"], true, "{refused}");
    server.end().await;
}

#[tokio::test]
async fn server_memory_reads_back_what_it_was_told() {
    let name = "server_memory_reads_back_what_it_was_told";
    let Some(mut command) = installed(name, peers::node(".bin/mcp-server-memory")) else { return };
    let directory = tempfile::tempdir().unwrap();
    command.env("MEMORY_FILE_PATH", directory.path().join("memory.json"));
    let server = Upstream::over_stdio(command, json!({})).await;
    assert_eq!(server.met(), ("2025-11-25".into(), json!("memory-server")));
    assert_eq!(server.tools().await.len(), 9);
    let ada = json!({ "name": "Ada", "entityType": "person", "observations": ["wrote the first program"] });
    server.use_tool("create_entities", json!({ "entities": [ada] })).await;
    let graph = server.use_tool("read_graph", json!({})).await;
    let graph: Value = serde_json::from_str(&graph).unwrap();
    assert_eq!(graph, json!({ "entities": [ada], "relations": [] }));
    server.end().await;
}
