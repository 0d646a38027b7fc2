//! What a server may touch, and how much of the machine it may use.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a local server is confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SandboxLevel {
    /// Not at all.
    None,
    /// Limits, a clean environment and no new privileges.
    Baseline,
    /// Also Landlock and seccomp.
    Landlock,
    /// Namespaces of its own.
    Bubblewrap,
}

/// What a server may touch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Sandbox {
    /// How it is confined; the daemon's default if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SandboxLevel")]
    pub level: Option<SandboxLevel>,
    /// Paths it may read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = {"type": "string", "format": "absolute-path"}, "maxItems" = 100))]
    pub read: Vec<String>,
    /// Paths it may write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = {"type": "string", "format": "absolute-path"}, "maxItems" = 100))]
    pub write: Vec<String>,
    /// Which network it reaches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Network")]
    pub network: Option<Network>,
    /// Paths it may not see, whatever else is allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = {"type": "string", "format": "absolute-path"}, "maxItems" = 100))]
    pub deny: Vec<String>,
}

/// Which network a server reaches: `none`, `loopback`, or `{hosts: […]}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Network {
    /// A word.
    Plain(PlainNetwork),
    /// Named hosts only.
    Hosts(HostList),
}

/// A network by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlainNetwork {
    /// Nothing.
    None,
    /// This machine only.
    Loopback,
}

/// Hosts by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HostList {
    /// Host names, `*.domain`, or host and port.
    #[schemars(extend("items" = {"type": "string", "format": "host"}, "maxItems" = 100))]
    pub hosts: Vec<String>,
}

/// How much of the machine a local server may use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Limits {
    /// Memory of the whole process tree, in MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 8, max = 1_048_576))]
    pub memory_mib: Option<u32>,
    /// Open files per process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 16, max = 1_048_576))]
    pub open_files: Option<u32>,
    /// Processes of the whole tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 65_536))]
    pub processes: Option<u32>,
    /// Processor time, in percent of one core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 100_000))]
    pub cpu_percent: Option<u32>,
}
