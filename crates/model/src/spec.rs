//! What each kind's `spec` may say, and the one function per kind that checks it.

mod agent;
mod environment;
mod executor;
mod inline;
mod instance;
mod mcp_server;
pub mod placeholder;
mod sandbox;
mod transport;
mod url_check;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::tree::{DecodeError, Node};
use crate::{Kind, Mention, Metadata, Problem, ScopeName, SecretText, SecretWrite};

pub use agent::{
    AgentSpec, Client, Delivery, ExecutorOverride, McpServerUsage, ServerOverride, SubAgent, ToolSelection,
    ToolView,
};
pub use environment::{EnvValue, EnvironmentSpec};
pub use executor::{ExecutorConfig, ExecutorSpec, ExecutorType, McpPolicy};
pub use inline::{FlatServer, InlineServer, InlineServers};
pub use instance::AgentInstanceSpec;
pub use mcp_server::{McpServerSpec, Mode, Start};
pub use sandbox::{Limits, Network, Sandbox, SandboxLevel};
pub use transport::{Docker, Http, HttpFlavour, PortMapping, Protocol, Stdio, Transport, VolumeMount};

/// The daemon's settings that decide what is valid; offline checks use the defaults.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// Whether one stdio server may be shared through the gateway.
    pub stdio_proxy: bool,
}

/// A spec of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Spec {
    /// An MCP server's.
    McpServer(Box<McpServerSpec>),
    /// An agent's.
    Agent(Box<AgentSpec>),
    /// An agent instance's.
    AgentInstance(AgentInstanceSpec),
    /// An environment's.
    Environment(EnvironmentSpec),
    /// An executor's.
    Executor(ExecutorSpec),
}

impl Spec {
    /// Decodes a tree that passed the schema.
    pub(crate) fn decode(kind: Kind, node: &Node) -> Result<Self, DecodeError> {
        let mut spec = match kind {
            Kind::McpServer => Self::McpServer(Deserialize::deserialize(node)?),
            Kind::Agent => Self::Agent(Deserialize::deserialize(node)?),
            Kind::AgentInstance => Self::AgentInstance(Deserialize::deserialize(node)?),
            Kind::Environment => Self::Environment(Deserialize::deserialize(node)?),
            Kind::Executor => Self::Executor(Deserialize::deserialize(node)?),
        };
        match &mut spec {
            Self::McpServer(spec) => spec.settle(),
            Self::Agent(spec) => spec.settle(),
            Self::AgentInstance(spec) => spec.settle(),
            Self::Environment(_) | Self::Executor(_) => {}
        }
        Ok(spec)
    }

    /// The kind it belongs to.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::McpServer(_) => Kind::McpServer,
            Self::Agent(_) => Kind::Agent,
            Self::AgentInstance(_) => Kind::AgentInstance,
            Self::Environment(_) => Kind::Environment,
            Self::Executor(_) => Kind::Executor,
        }
    }

    /// Everything the schema cannot say: what fields mean together.
    pub(crate) fn problems(&self, metadata: &Metadata, rules: Rules) -> Vec<Problem> {
        let mut problems = metadata.problems(self.kind());
        match self {
            Self::McpServer(spec) => spec.problems(&metadata.name, rules, &mut problems),
            Self::Agent(spec) => spec.problems(rules, &mut problems),
            Self::AgentInstance(spec) => spec.problems(&mut problems),
            Self::Environment(spec) => spec.problems("spec.data", &mut problems),
            Self::Executor(spec) => spec.problems(&mut problems),
        }
        for mention in self.mentions() {
            check_reference(&mention, metadata, &mut problems);
        }
        problems
    }

    /// Whether the daemon would start a program for it.
    pub fn starts_programs(&self) -> bool {
        match self {
            Self::McpServer(spec) => spec.transport.starts_a_program(),
            Self::Agent(spec) => {
                spec.mcp_servers.servers.iter().any(|server| server.transport.starts_a_program())
            }
            Self::AgentInstance(_) | Self::Environment(_) | Self::Executor(_) => false,
        }
    }

    /// The references it holds.
    pub fn mentions(&self) -> Vec<Mention> {
        match self {
            Self::Agent(spec) => spec.mentions(),
            Self::AgentInstance(spec) => spec.mentions(),
            Self::McpServer(_) | Self::Environment(_) | Self::Executor(_) => Vec::new(),
        }
    }

    /// Its tags.
    pub fn tags(&self) -> &[String] {
        match self {
            Self::McpServer(spec) => &spec.tags,
            Self::Agent(spec) => &spec.tags,
            _ => &[],
        }
    }

    /// Its description.
    pub fn description(&self) -> &str {
        match self {
            Self::McpServer(spec) => &spec.description,
            Self::Agent(spec) => &spec.description,
            Self::AgentInstance(spec) => &spec.description,
            Self::Environment(spec) => &spec.description,
            Self::Executor(spec) => &spec.description,
        }
    }

    /// The values that may be secret, each with its path from the document's root.
    fn values_mut(&mut self) -> Vec<(String, &mut EnvValue)> {
        let (prefix, values) = match self {
            Self::McpServer(spec) => ("spec.env_spec.data", &mut spec.env_spec.data),
            Self::Agent(spec) => ("spec.env_spec.data", &mut spec.env_spec.data),
            Self::AgentInstance(spec) => ("spec.runtime_env", &mut spec.runtime_env),
            Self::Environment(spec) => ("spec.data", &mut spec.data),
            Self::Executor(_) => return Vec::new(),
        };
        values.iter_mut().map(|(key, value)| (format!("{prefix}.{key}"), value)).collect()
    }

    /// Takes every secret's value out; what is left can be stored, logged and shown.
    pub fn take_secrets(&mut self) -> Vec<(String, SecretWrite)> {
        self.values_mut()
            .into_iter()
            .filter(|(_, value)| value.is_secret)
            .map(|(path, value)| {
                let write = match value.value.take() {
                    None => SecretWrite::Keep,
                    Some(text) if text.is_empty() => SecretWrite::Clear,
                    Some(text) => SecretWrite::Set(SecretText::new(text)),
                };
                (path, write)
            })
            .collect()
    }

    /// The spec as JSON, fields at their default left out.
    pub fn to_json(&self) -> Json {
        let json = match self {
            Self::McpServer(spec) => serde_json::to_value(spec),
            Self::Agent(spec) => serde_json::to_value(spec),
            Self::AgentInstance(spec) => serde_json::to_value(spec),
            Self::Environment(spec) => serde_json::to_value(spec),
            Self::Executor(spec) => serde_json::to_value(spec),
        };
        json.expect("a spec has text keys and finite numbers")
    }
}

/// A reference must name the right kind, be complete, and never point to a narrower scope.
fn check_reference(mention: &Mention, metadata: &Metadata, problems: &mut Vec<Problem>) {
    let Mention { path, kind, reference } = mention;
    let holder = metadata.scope.unwrap_or_default();
    if let Some(written) = &reference.kind {
        let known = [kind.as_str(), kind.type_name(), kind.noun()];
        if !known.contains(&written.as_str()) {
            let message = format!("must refer to a {kind}, not to `{}`", written.escape_debug());
            problems
                .push(Problem::error(path, message).hint(format!("write `kind: {kind}` or leave it out")));
        }
    }
    let target = match (reference.scope, &reference.org) {
        (Some(scope), _) => scope,
        (None, Some(_)) => ScopeName::Organization,
        (None, None) => return,
    };
    if target == ScopeName::Organization && reference.org.is_none() && holder != ScopeName::Organization {
        problems.push(
            Problem::error(path, "scope `organization` needs `org`").hint("write organization/ORG/NAME"),
        );
    }
    if target != ScopeName::Organization && reference.org.is_some() {
        let problem = Problem::error(path, format!("`org` does not go with scope `{target}`"));
        problems.push(problem.hint("remove `org`, or use scope `organization`"));
    }
    if let (Some(own), Some(other)) = (&metadata.org, &reference.org)
        && own != other
    {
        let message = format!("a resource of organization `{own}` may not refer to organization `{other}`");
        problems.push(Problem::error(path, message).hint("its members could not see the target"));
    }
    if target > holder {
        let message =
            format!("a resource of scope `{holder}` may not refer to the narrower scope `{target}`");
        problems.push(
            Problem::error(path, message).hint("move the target to a wider scope, or this to a narrower one"),
        );
    }
    if !kind.allows(target) {
        let problem = Problem::error(path, format!("{kind} does not exist in scope `{target}`"));
        problems.push(problem.hint("use `organization` or `identity_account`"));
    }
}
