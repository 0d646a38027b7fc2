//! Executor: a place where agents run, with the policy for MCP servers there.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::url_check;
use crate::Problem;
use crate::tree::child;

/// The kind of place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecutorType {
    /// This machine.
    LocalPc,
    /// A container on this machine.
    LocalDocker,
    /// A container on another machine.
    RemoteDocker,
    /// Another machine, over SSH.
    RemoteVps,
    /// A pod.
    K8s,
}

/// A place where agents run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ExecutorSpec {
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 4096), extend("format" = "text"))]
    pub description: String,
    /// The kind of place.
    #[serde(rename = "type")]
    pub executor_type: ExecutorType,
    /// Settings of that kind, and the policy.
    #[serde(default, skip_serializing_if = "ExecutorConfig::is_empty")]
    pub config: ExecutorConfig,
}

/// An executor's settings. Other keys than `mcp_policy` belong to the executor and are kept as they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutorConfig {
    /// Which servers may run there: a map, or the same as a JSON string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "McpPolicy")]
    pub mcp_policy: Option<McpPolicy>,
    /// Everything else.
    #[serde(flatten)]
    pub rest: BTreeMap<String, Json>,
}

impl ExecutorConfig {
    fn is_empty(&self) -> bool {
        self.mcp_policy.is_none() && self.rest.is_empty()
    }
}

/// Which MCP servers an executor admits, and how their definitions are adapted to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct McpPolicy {
    /// Whether programs and containers are admitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub allow_stdio: Option<bool>,
    /// Whether HTTP is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub allow_http: Option<bool>,
    /// Whether HTTP with server-sent events is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub allow_sse: Option<bool>,
    /// Whether streamable HTTP is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub allow_streamable_http: Option<bool>,
    /// URLs, or prefixes of them, and what replaces them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeMap<String, String>", extend("maxProperties" = 1000))]
    pub url_rewrite: Option<BTreeMap<String, String>>,
    /// Variables added to every server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeMap<String, String>", extend(
        "propertyNames" = {"format": "env-key"},
        "additionalProperties" = {"type": "string", "format": "text"},
        "maxProperties" = 1000
    ))]
    pub env_injection: Option<BTreeMap<String, String>>,
    /// Only these servers, by their own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", extend("maxItems" = 1000, "items" = {"type": "string", "format": "line"}))]
    pub allowlist_servers: Option<Vec<String>>,
    /// Not these servers, by name or alias.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", extend("maxItems" = 1000, "items" = {"type": "string", "format": "line"}))]
    pub denylist_servers: Option<Vec<String>>,
    /// Variables whose other values win over the injected ones; `*` for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("maxItems" = 1000, "items" = {"type": "string", "format": "env-key-or-star"}))]
    pub allow_env_override: Vec<String>,
}

impl ExecutorSpec {
    pub(super) fn problems(&self, problems: &mut Vec<Problem>) {
        let Some(policy) = &self.config.mcp_policy else { return };
        let path = "spec.config.mcp_policy";
        let set = |list: &Option<Vec<String>>| list.as_ref().is_some_and(|list| !list.is_empty());
        if set(&policy.allowlist_servers) && set(&policy.denylist_servers) {
            problems.push(
                Problem::error(
                    format!("{path}.denylist_servers"),
                    "allowlist_servers and denylist_servers exclude each other",
                )
                .hint("keep the allowlist: what is not in it is denied anyway"),
            );
        }
        for (key, value) in policy.url_rewrite.iter().flatten() {
            for text in [key, value] {
                if let Err(message) = url_check::http(text) {
                    let shown = text.escape_debug();
                    let problem = Problem::error(
                        child(&format!("{path}.url_rewrite"), key),
                        format!("`{shown}` is not an absolute http(s) URL: {message}"),
                    );
                    problems.push(problem.hint(format!("write `http://{shown}`")));
                }
            }
        }
    }
}
