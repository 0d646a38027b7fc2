//! McpServer: a reusable definition of one MCP server.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::environment::looks_secret;
use super::transport::{TransportFields, check_placeholders};
use super::{EnvironmentSpec, Limits, Rules, Sandbox, Transport};
use crate::{Name, Problem};

/// Whether one instance serves all runs, or each run has its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Programs and containers per session, URLs shared.
    #[default]
    Auto,
    /// One for all.
    Shared,
    /// One for each.
    PerSession,
}

/// When a server starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// When first needed.
    #[default]
    OnDemand,
    /// With the daemon.
    Eager,
}

/// An MCP server's definition. Values of declared variables come from environments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, extend(
    "x-exactly-one" = ["stdio", "http", "docker"],
    "x-none-of" = "server_type is required: must specify stdio, http, or docker",
    "x-none-hint" = "add `stdio:` with `command`, `http:` with `url`, or `docker:` with `image`"
))]
pub struct McpServerSpec {
    /// For people who look for a server.
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
    /// How it is reached.
    #[serde(flatten)]
    #[schemars(with = "TransportFields")]
    pub transport: Transport,
    /// The tools that are enabled; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend(
        "items" = {"type": "string", "format": "line", "minLength": 1, "maxLength": 256},
        "maxItems" = 1000, "uniqueItems" = true
    ))]
    pub default_enabled_tools: Vec<String>,
    /// The variables it needs.
    #[serde(default, skip_serializing_if = "EnvironmentSpec::is_empty")]
    pub env_spec: EnvironmentSpec,
    /// Variables with fixed values; `${VAR}` is filled in.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend(
        "propertyNames" = {"format": "env-key"},
        "additionalProperties" = {"type": "string", "format": "text"},
        "maxProperties" = 1000
    ))]
    pub env: BTreeMap<String, String>,
    /// Whether instances are shared.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: Mode,
    /// When it starts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub start: Start,
    /// What it may touch.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sandbox: Sandbox,
    /// How much of the machine it may use.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limits: Limits,
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl McpServerSpec {
    /// Moves what was written in deprecated fields to its place.
    pub(super) fn settle(&mut self) {
        for (key, value) in self.transport.take_env_placeholders() {
            self.env.entry(key).or_insert(value);
        }
    }

    pub(super) fn problems(&self, name: &Name, rules: Rules, problems: &mut Vec<Problem>) {
        let declared = |key: &str| self.env_spec.data.contains_key(key) || self.env.contains_key(key);
        let path = format!("spec.{}", self.transport.type_name());
        self.transport.problems(&path, &declared, problems);
        self.env_spec.problems("spec.env_spec.data", problems);
        for (key, value) in &self.env {
            check_placeholders(format!("spec.env.{key}"), value, &declared, problems);
            if looks_secret(key, value) {
                problems.push(
                    Problem::warning(format!("spec.env.{key}"), "looks like a secret but is stored in the clear")
                        .hint("declare it in `env_spec` with `is_secret: true`, and put the value into an Environment"),
                );
            }
        }
        check_mode(name.as_str(), "spec.mode", self.mode, &self.transport, rules, problems);
    }
}

/// A program serves one client, so it cannot be shared without the gateway in between.
pub(super) fn check_mode(
    name: &str,
    path: &str,
    mode: Mode,
    transport: &Transport,
    rules: Rules,
    problems: &mut Vec<Problem>,
) {
    if mode == Mode::Shared && transport.is_stdio() && !rules.stdio_proxy {
        let message = format!(
            "mcp server \"{name}\": shared mode requires HTTP/SSE/streamable HTTP transport (stdio is per-session only)"
        );
        problems.push(Problem::error(path, message).hint("use `mode: per_session`, or leave `mode` out"));
    }
}
