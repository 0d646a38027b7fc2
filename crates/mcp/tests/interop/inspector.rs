//! The inspector of today and that of the days before the modern era, both on the command line.

use std::ffi::OsString;
use std::process::Command;

use serde_json::{Value, json};
use testkit::peers;

use crate::fixture::{self, Fixture};
use crate::run::{installed, printed};
use crate::tour::{self, PROMPT, RESOURCE, SLOW, TEXT};

/// One way to call a server: each question is a program run of its own.
struct Inspector {
    script: &'static str,
    target: Vec<OsString>,
}

impl Inspector {
    fn now(target: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self { script: ".bin/mcp-inspector", target: target.into_iter().map(Into::into).collect() }
    }

    fn old(url: String, transport: &str) -> Self {
        let target = vec![url.into(), "--transport".into(), transport.into()];
        Self { script: "inspector-old/cli/build/cli.js", target }
    }

    async fn ask(&self, method: &str, more: &[&str]) -> Value {
        let mut command = peers::node(self.script).unwrap();
        command.arg("--cli").args(&self.target).args(["--method", method]).args(more);
        printed(command).await
    }

    async fn tour(&self) {
        let listed = self.ask("tools/list", &[]).await;
        tour::check_names(listed["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]));
        for (tool, text) in [("test_simple_text", TEXT), ("test_tool_with_progress", SLOW)] {
            let called = self.ask("tools/call", &["--tool-name", tool]).await;
            assert_eq!(called["content"], json!([{ "type": "text", "text": text }]));
        }
        let read = self.ask("resources/read", &["--uri", "test://static-text"]).await;
        assert_eq!(read["contents"][0]["text"], RESOURCE);
        let arguments =
            ["--prompt-name", "test_prompt_with_arguments", "--prompt-args", "arg1=one", "arg2=two"];
        let prompt = self.ask("prompts/get", &arguments).await;
        assert_eq!(prompt["messages"][0]["content"]["text"], PROMPT);
    }

    async fn tour_at(&self, version: &str) {
        let met = self.ask("initialize", &[]).await;
        assert_eq!(met["protocolVersion"], version);
        assert_eq!(met["serverInfo"]["name"], "outfitter-fixture");
        self.tour().await;
    }
}

fn node(test: &str) -> Option<Command> {
    installed(test, peers::node(".bin/mcp-inspector"))
}

#[tokio::test]
async fn the_inspector_is_modern_over_streamable_http() {
    let Some(_) = node("the_inspector_is_modern_over_streamable_http") else { return };
    let server = Fixture::start().await;
    Inspector::now([&server.mcp(), "--protocol-era", "auto"]).tour_at("2026-07-28").await;
}

#[tokio::test]
async fn the_inspector_shakes_hands_over_streamable_http() {
    let Some(_) = node("the_inspector_shakes_hands_over_streamable_http") else { return };
    let server = Fixture::start().await;
    Inspector::now([&server.mcp(), "--protocol-era", "legacy"]).tour_at("2025-11-25").await;
}

#[tokio::test]
async fn the_inspector_shakes_hands_over_sse() {
    let Some(_) = node("the_inspector_shakes_hands_over_sse") else { return };
    let server = Fixture::start().await;
    Inspector::now([server.sse()]).tour_at("2025-11-25").await;
}

#[tokio::test]
async fn the_inspector_is_modern_over_stdio() {
    let Some(_) = node("the_inspector_is_modern_over_stdio") else { return };
    let target: [OsString; 4] =
        [fixture::program().into(), "stdio".into(), "--protocol-era".into(), "auto".into()];
    Inspector::now(target).tour_at("2026-07-28").await;
}

#[tokio::test]
async fn the_old_inspector_tours_streamable_http() {
    let Some(_) = node("the_old_inspector_tours_streamable_http") else { return };
    let server = Fixture::start().await;
    Inspector::old(server.mcp(), "http").tour().await;
}

#[tokio::test]
async fn the_old_inspector_tours_sse() {
    let Some(_) = node("the_old_inspector_tours_sse") else { return };
    let server = Fixture::start().await;
    Inspector::old(server.sse(), "sse").tour().await;
}
