//! The five kinds a person declares, and each one's spelling in manifests, routes and commands.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::nearest;
use crate::scope::ScopeName;

/// A kind of declared resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// An MCP server definition.
    McpServer,
    /// An agent and the servers it uses.
    Agent,
    /// An agent with the environments that hold its values.
    AgentInstance,
    /// Named values and secrets.
    Environment,
    /// A place where agents run, with its policy.
    Executor,
}

impl Kind {
    /// Every kind, in the order in which documents of one apply depend on each other.
    pub const ALL: [Self; 5] =
        [Self::McpServer, Self::Environment, Self::Executor, Self::Agent, Self::AgentInstance];

    /// The spelling in a manifest's `kind`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::McpServer => "McpServer",
            Self::Agent => "Agent",
            Self::AgentInstance => "AgentInstance",
            Self::Environment => "Environment",
            Self::Executor => "Executor",
        }
    }

    /// The path segment of the REST collection.
    pub const fn collection(self) -> &'static str {
        match self {
            Self::McpServer => "mcpservers",
            Self::Agent => "agents",
            Self::AgentInstance => "agentinstances",
            Self::Environment => "environments",
            Self::Executor => "executors",
        }
    }

    /// The noun of the command line.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::McpServer => "mcpserver",
            Self::Agent => "agent",
            Self::AgentInstance => "instance",
            Self::Environment => "environment",
            Self::Executor => "executor",
        }
    }

    /// The words for people: `MCP server`, `agent`, ….
    pub const fn title(self) -> &'static str {
        match self {
            Self::McpServer => "MCP server",
            Self::Agent => "agent",
            Self::AgentInstance => "agent instance",
            Self::Environment => "environment",
            Self::Executor => "executor",
        }
    }

    /// The prefix of ids, which is also the type name in references (`mcp_server`).
    pub const fn id_prefix(self) -> &'static str {
        match self {
            Self::McpServer => "mcp",
            Self::Agent => "agt",
            Self::AgentInstance => "ain",
            Self::Environment => "env",
            Self::Executor => "exe",
        }
    }

    /// The relationship type name, also accepted as a reference's `kind`.
    pub const fn type_name(self) -> &'static str {
        match self {
            Self::McpServer => "mcp_server",
            Self::Agent => "agent",
            Self::AgentInstance => "agent_instance",
            Self::Environment => "environment",
            Self::Executor => "executor",
        }
    }

    /// Whether resources of this kind may live in `scope`.
    pub const fn allows(self, scope: ScopeName) -> bool {
        match self {
            Self::Environment | Self::AgentInstance => !matches!(scope, ScopeName::Platform),
            Self::McpServer | Self::Agent | Self::Executor => true,
        }
    }

    /// The kind whose REST collection is `segment`.
    pub fn from_collection(segment: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.collection() == segment)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A `kind` that names nothing known.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{given}` is not a kind; known are McpServer, Agent, AgentInstance, Environment, Executor")]
pub struct UnknownKind {
    given: String,
    /// The known kind closest to what was given.
    pub nearest: Option<&'static str>,
}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or_else(|| UnknownKind {
            given: text.escape_debug().take(80).collect(),
            nearest: nearest(text, Self::ALL.into_iter().map(Self::as_str)),
        })
    }
}
