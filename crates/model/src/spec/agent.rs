//! Agent: a client, the servers it uses, and how its tools are shown.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::mcp_server::{check_mode, is_default};
use super::transport::check_placeholders;
use super::{EnvironmentSpec, InlineServers, Mode, Rules};
use crate::tree::{child, item};
use crate::{Kind, Mention, Problem, Reference};

/// The agent programs whose own formats are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    /// Any other.
    #[default]
    Generic,
    /// Codex.
    Codex,
    /// Claude Code.
    ClaudeCode,
    /// Cursor.
    Cursor,
    /// Gemini CLI.
    Gemini,
    /// Qwen Code.
    QwenCode,
    /// Opencode.
    #[serde(rename = "opencode")]
    OpenCode,
    /// Kilo.
    Kilo,
    /// Droid.
    Droid,
    /// GitHub Copilot.
    Copilot,
    /// VS Code.
    Vscode,
    /// Auggie.
    Auggie,
    /// Cline.
    Cline,
    /// Kimi.
    Kimi,
    /// Amp.
    Amp,
    /// Crush.
    Crush,
    /// Goose.
    Goose,
    /// Zed.
    Zed,
}

/// How an agent gets its servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// It starts and connects them itself.
    #[default]
    Direct,
    /// Through the gateway.
    Gateway,
}

/// An agent and what it uses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AgentSpec {
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 4096), extend("format" = "text"))]
    pub description: String,
    /// A picture to show.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 2048), extend("format" = "icon-url"))]
    pub icon_url: String,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend(
        "items" = {"type": "string", "format": "line", "minLength": 1, "maxLength": 63},
        "maxItems" = 50, "uniqueItems" = true
    ))]
    pub tags: Vec<String>,
    /// What the agent is told to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("format" = "text"))]
    pub instructions: String,
    /// The program that runs it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub client: Client,
    /// Whether it gets any MCP server at all.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub mcp_enabled: bool,
    /// The servers it uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub mcp_server_usages: Vec<McpServerUsage>,
    /// Servers of its own.
    #[serde(default, skip_serializing_if = "InlineServers::is_empty")]
    pub mcp_servers: InlineServers,
    /// The variables it declares.
    #[serde(default, skip_serializing_if = "EnvironmentSpec::is_empty")]
    pub env_spec: EnvironmentSpec,
    /// Agents it starts, each with a subset of its servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 200))]
    pub sub_agents: Vec<SubAgent>,
    /// What differs on an executor, by the executor's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("propertyNames" = {"format": "slug"}, "maxProperties" = 200))]
    pub executor_overrides: BTreeMap<String, ExecutorOverride>,
    /// How it gets its servers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub delivery: Delivery,
    /// How its tools are shown.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tools: ToolView,
}

const fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_true(value: &bool) -> bool {
    *value
}

/// A server the agent uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct McpServerUsage {
    /// The server.
    pub mcp_server_ref: Reference,
    /// Replaces the server's enabled tools unless empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend(
        "items" = {"type": "string", "format": "line", "minLength": 1, "maxLength": 256},
        "maxItems" = 1000, "uniqueItems" = true
    ))]
    pub enabled_tools_override: Vec<String>,
    /// Another name for it within this agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("format" = "alias"))]
    pub alias: String,
}

impl McpServerUsage {
    /// What the server is called within the agent.
    pub fn local_name(&self) -> &str {
        if self.alias.is_empty() { self.mcp_server_ref.name.as_str() } else { &self.alias }
    }
}

/// An agent started by this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SubAgent {
    /// Its name.
    #[schemars(length(min = 1, max = 200), extend("format" = "line"))]
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("format" = "text"))]
    pub description: String,
    /// What it is told to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(min = 10), extend("format" = "text"))]
    pub instructions: String,
    /// Which of the agent's servers it gets, by their name within the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = {"type": "string", "format": "line"}, "maxItems" = 1000, "uniqueItems" = true))]
    pub mcp_servers: Vec<String>,
    /// Which tools of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mcp_tool_selections: BTreeMap<String, ToolSelection>,
}

/// Tools chosen by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ToolSelection {
    /// The tools; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = {"type": "string", "format": "line"}, "maxItems" = 1000))]
    pub enabled_tools: Vec<String>,
}

/// What differs on one executor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ExecutorOverride {
    /// Whether the agent gets servers there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub enabled: Option<bool>,
    /// By the server's name within the agent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub servers: BTreeMap<String, ServerOverride>,
}

/// What differs for one server on one executor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ServerOverride {
    /// Whether it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub disabled: Option<bool>,
    /// Whether instances are shared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Mode")]
    pub mode: Option<Mode>,
    /// Where it is instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("format" = "http-url"))]
    pub url: Option<String>,
    /// Variables added or replaced.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend(
        "propertyNames" = {"format": "env-key"},
        "additionalProperties" = {"type": "string", "format": "text"}
    ))]
    pub env: BTreeMap<String, String>,
    /// Headers added or replaced.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend(
        "propertyNames" = {"format": "header-name"},
        "additionalProperties" = {"type": "string", "format": "header-value"}
    ))]
    pub headers: BTreeMap<String, String>,
}

/// How the agent's tools are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ToolView {
    /// The template of tool names, holding `{server}` and `{tool}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1, max = 128), extend("format" = "line"))]
    pub names: Option<String>,
    /// Most characters of a tool's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 16, max = 256))]
    pub limit: Option<u32>,
    /// Tools that stay listed beside search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = {"type": "string", "format": "line"}, "maxItems" = 1000))]
    pub pinned: Vec<String>,
    /// Whether long lists are replaced by a search tool.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub search: bool,
}

impl AgentSpec {
    /// Moves what was written in deprecated fields to its place.
    pub(super) fn settle(&mut self) {
        for server in &mut self.mcp_servers.servers {
            for (key, value) in server.transport.take_env_placeholders() {
                server.env.entry(key).or_insert(value);
            }
        }
    }

    pub(super) fn mentions(&self) -> Vec<Mention> {
        let mention = |(index, usage): (usize, &McpServerUsage)| Mention {
            path: format!("{}.mcp_server_ref", item("spec.mcp_server_usages", index)),
            kind: Kind::McpServer,
            reference: usage.mcp_server_ref.clone(),
        };
        self.mcp_server_usages.iter().enumerate().map(mention).collect()
    }

    pub(super) fn problems(&self, rules: Rules, problems: &mut Vec<Problem>) {
        self.env_spec.problems("spec.env_spec.data", problems);
        let names = self.local_names(problems);
        problems.extend(self.mcp_servers.problems());
        for (index, server) in self.mcp_servers.servers.iter().enumerate() {
            let (path, transport) = self.mcp_servers.place(index);
            let declared = |key: &str| server.env.contains_key(key) || self.env_spec.data.contains_key(key);
            server.transport.problems(&transport, &declared, problems);
            for (key, value) in &server.env {
                check_placeholders(format!("{path}.env.{key}"), value, &|_| true, problems);
            }
            check_mode(
                &server.name,
                &format!("{path}.mode"),
                server.mode,
                &server.transport,
                rules,
                problems,
            );
        }
        self.check_sub_agents(&names, problems);
        self.check_overrides(&names, problems);
        if self.tools.names.as_ref().is_some_and(|template| !template.contains("{tool}")) {
            problems.push(
                Problem::error("spec.tools.names", "must hold `{tool}`")
                    .hint("for example `{server}_{tool}`"),
            );
        }
    }

    /// The servers' names within the agent, each of which must be its only one.
    fn local_names(&self, problems: &mut Vec<Problem>) -> Vec<&str> {
        let usages = self.mcp_server_usages.iter().enumerate().map(|(index, usage)| {
            let field = if usage.alias.is_empty() { "mcp_server_ref" } else { "alias" };
            (format!("{}.{field}", item("spec.mcp_server_usages", index)), usage.local_name())
        });
        let own = self.mcp_servers.servers.iter().enumerate();
        let own = own.map(|(index, server)| (self.mcp_servers.place(index).0, server.name.as_str()));
        let mut names: Vec<&str> = Vec::new();
        for (path, name) in usages.chain(own) {
            if names.contains(&name) {
                let message = format!("`{name}` names another server of this agent already");
                problems.push(Problem::error(path, message).hint("give one of them an `alias`"));
            }
            names.push(name);
        }
        names
    }

    fn check_sub_agents(&self, names: &[&str], problems: &mut Vec<Problem>) {
        for (index, sub_agent) in self.sub_agents.iter().enumerate() {
            let path = item("spec.sub_agents", index);
            if self.sub_agents[..index].iter().any(|earlier| earlier.name == sub_agent.name) {
                problems.push(
                    Problem::error(format!("{path}.name"), "names another sub-agent already")
                        .hint("choose another name"),
                );
            }
            for (at, server) in sub_agent.mcp_servers.iter().enumerate() {
                unknown_server(&item(&format!("{path}.mcp_servers"), at), server, names, problems);
            }
            for server in sub_agent.mcp_tool_selections.keys() {
                if !sub_agent.mcp_servers.contains(server) {
                    let path = child(&format!("{path}.mcp_tool_selections"), server);
                    let message = format!("`{server}` is not among this sub-agent's `mcp_servers`");
                    problems
                        .push(Problem::error(path, message).hint("add it there, or remove the selection"));
                }
            }
        }
    }

    fn check_overrides(&self, names: &[&str], problems: &mut Vec<Problem>) {
        for (executor, changes) in &self.executor_overrides {
            let path = format!("spec.executor_overrides.{executor}.servers");
            for server in changes.servers.keys() {
                unknown_server(&child(&path, server), server, names, problems);
            }
        }
    }
}

fn unknown_server(path: &str, server: &str, names: &[&str], problems: &mut Vec<Problem>) {
    if names.contains(&server) {
        return;
    }
    let problem = Problem::error(path, format!("`{server}` is not a server of this agent"));
    problems.push(match crate::nearest(server, names.iter().copied()) {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None if names.is_empty() => problem.hint("the agent has no servers"),
        None => problem.hint(format!("its servers are {}", names.join(", "))),
    });
}
