//! Manifests to start from: complete, commented, and valid as they are.

use crate::{API_VERSION, Kind, Name};

/// Which manifest to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Template {
    /// A server that is a program.
    Stdio,
    /// A server behind a URL.
    Http,
    /// A server in a container.
    Docker,
    /// Any other kind.
    Other(Kind),
}

const STDIO: &str = r#"  description: "What this server does"
  # icon_url: "https://example.com/icon.svg"
  tags: []                     # words to find it by, for example [git, vcs]

  stdio:
    command: npx               # a program, never a shell line
    args:
      - "-y"
      - "@modelcontextprotocol/server-everything"
    # working_dir: /absolute/path

  default_enabled_tools: []    # empty = all tools

  env_spec:                    # the variables it needs; values come from an Environment
    data: {}
    # data:
    #   API_TOKEN:
    #     is_secret: true
    #     description: "Where to get it"
"#;

const HTTP: &str = r#"  description: "What this server does"
  tags: []                     # words to find it by

  http:
    url: "https://example.com/mcp"
    # headers:
    #   Authorization: "Bearer ${API_TOKEN}"
    # query_params: {}
    timeout_seconds: 30        # 0 to 300
    # transport: auto          # auto | streamable_http | sse

  default_enabled_tools: []    # empty = all tools

  env_spec:                    # the variables that ${...} above may use
    data: {}
    # data:
    #   API_TOKEN:
    #     is_secret: true
    #     description: "Where to get it"
"#;

const DOCKER: &str = r#"  description: "What this server does"
  tags: []                     # words to find it by

  docker:
    image: "mcp/everything:latest"
    args: []                   # replaces the image's command
    # volumes:
    #   - host_path: /absolute/path
    #     container_path: /data
    #     read_only: true
    # network: bridge
    # ports:
    #   - host_port: 8080
    #     container_port: 8080
    #     protocol: tcp        # tcp | udp

  default_enabled_tools: []    # empty = all tools

  env_spec:                    # the variables it needs; values come from an Environment
    data: {}
"#;

const AGENT: &str = r#"  description: "What this agent is for"
  client: generic              # codex | claude-code | cursor | gemini | qwen-code | opencode | generic | ...
  mcp_server_usages: []
  # mcp_server_usages:
  #   - mcp_server_ref: github           # or {scope: platform, name: github}
  #     enabled_tools_override: []       # empty = the server's default
  #     alias: gh
"#;

const INSTANCE: &str = r#"  description: "Who runs the agent, and with which values"
  agent_ref: my-agent
  environment_refs: []         # in order; later ones win
  # runtime_env:
  #   LOG_LEVEL: debug
"#;

const ENVIRONMENT: &str = r#"  description: "What these values are for"
  data:
    LOG_LEVEL:
      value: info
    # GITHUB_TOKEN:
    #   is_secret: true        # sealed at rest, never shown again
    #   value: "..."
"#;

const EXECUTOR: &str = r#"  description: "Where agents run"
  type: local_pc               # local_pc | local_docker | remote_docker | remote_vps | k8s
  config: {}
  # config:
  #   mcp_policy:
  #     allow_stdio: true
  #     url_rewrite:
  #       "http://localhost:3000": "http://host.docker.internal:3000"
"#;

/// A manifest of that template, named `name` or with a name to change.
pub fn template(template: Template, name: Option<&Name>) -> String {
    let (kind, body, fallback) = match template {
        Template::Stdio | Template::Other(Kind::McpServer) => (Kind::McpServer, STDIO, "my-mcp-server"),
        Template::Http => (Kind::McpServer, HTTP, "my-mcp-server"),
        Template::Docker => (Kind::McpServer, DOCKER, "my-mcp-server"),
        Template::Other(Kind::Agent) => (Kind::Agent, AGENT, "my-agent"),
        Template::Other(Kind::AgentInstance) => (Kind::AgentInstance, INSTANCE, "my-instance"),
        Template::Other(Kind::Environment) => (Kind::Environment, ENVIRONMENT, "my-environment"),
        Template::Other(Kind::Executor) => (Kind::Executor, EXECUTOR, "my-executor"),
    };
    let name = name.map_or(fallback, Name::as_str);
    let scopes = if kind.allows(crate::ScopeName::Platform) {
        "platform | organization | identity_account"
    } else {
        "organization | identity_account"
    };
    format!(
        "apiVersion: {API_VERSION}\nkind: {kind}\nmetadata:\n  name: {name}\n  \
         # scope: identity_account    # {scopes}\n  # org: my-org               # required if scope=organization\nspec:\n{body}"
    )
}
