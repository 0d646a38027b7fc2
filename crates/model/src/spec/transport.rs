//! How a server is reached: a program, a URL or a container.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::placeholder;
use crate::Problem;
use crate::tree::{child, item};

/// The one way a server is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// A program that speaks over its standard streams.
    Stdio(Stdio),
    /// A service behind a URL.
    Http(Http),
    /// A container that speaks over its standard streams.
    Docker(Docker),
}

impl Transport {
    /// Whether the daemon starts the server itself, rather than calling it where it runs.
    pub const fn starts_a_program(&self) -> bool {
        match self {
            Self::Stdio(_) | Self::Docker(_) => true,
            Self::Http(_) => false,
        }
    }

    /// `stdio`, `http` or `docker`.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Stdio(_) => "stdio",
            Self::Http(_) => "http",
            Self::Docker(_) => "docker",
        }
    }

    /// Whether it speaks over standard streams, and so serves one client only.
    pub const fn is_stdio(&self) -> bool {
        matches!(self, Self::Stdio(_) | Self::Docker(_))
    }

    /// The deprecated environment of a program or container, taken out.
    pub(super) fn take_env_placeholders(&mut self) -> BTreeMap<String, String> {
        match self {
            Self::Stdio(stdio) => std::mem::take(&mut stdio.env_placeholders),
            Self::Docker(docker) => std::mem::take(&mut docker.env_placeholders),
            Self::Http(_) => BTreeMap::new(),
        }
    }

    /// Checks placeholders of the transport written at `path`; `declared` says which variables the server may use.
    pub(super) fn problems(&self, path: &str, declared: &dyn Fn(&str) -> bool, problems: &mut Vec<Problem>) {
        let mut check = |path: String, text: &str| check_placeholders(path, text, declared, problems);
        match self {
            Self::Stdio(stdio) => {
                let args = format!("{path}.args");
                stdio.args.iter().enumerate().for_each(|(i, arg)| check(item(&args, i), arg));
            }
            Self::Docker(docker) => {
                let args = format!("{path}.args");
                docker.args.iter().enumerate().for_each(|(i, arg)| check(item(&args, i), arg));
            }
            Self::Http(http) => {
                check(format!("{path}.url"), &http.url);
                let headers = format!("{path}.headers");
                http.headers.iter().for_each(|(key, value)| check(child(&headers, key), value));
                let params = format!("{path}.query_params");
                http.query_params.iter().for_each(|(key, value)| check(child(&params, key), value));
                check_headers(http, &headers, problems);
            }
        }
    }
}

/// Header names are one name whatever their case, and a credential belongs into a secret.
fn check_headers(http: &Http, path: &str, problems: &mut Vec<Problem>) {
    let mut seen: Vec<String> = Vec::new();
    for (name, value) in &http.headers {
        let folded = name.to_ascii_lowercase();
        if seen.contains(&folded) {
            let problem = Problem::error(child(path, name), "is written twice, in another case");
            problems.push(problem.hint("keep one of them"));
        }
        let credential = ["authorization", "cookie", "x-api-key"].contains(&folded.as_str());
        if credential && !value.contains("${") {
            problems.push(
                Problem::warning(child(path, name), "holds a credential in the clear")
                    .hint("declare it in `env_spec` with `is_secret: true` and write `${NAME}` here"),
            );
        }
        seen.push(folded);
    }
}

pub(super) fn check_placeholders(
    path: String,
    text: &str,
    declared: &dyn Fn(&str) -> bool,
    problems: &mut Vec<Problem>,
) {
    match placeholder::names(text) {
        Err(message) => {
            problems.push(
                Problem::error(path, message).hint("write `${NAME}`, or `$${` for the characters themselves"),
            );
        }
        Ok(names) => problems.extend(names.into_iter().filter(|name| !declared(name)).map(|name| {
            Problem::warning(&path, format!("`${{{name}}}` is not declared by this server"))
                .hint(format!("add `{name}` to `env_spec.data`"))
        })),
    }
}

/// The three transports as fields, for the schema alone.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "stands for Transport in the schema")]
pub(super) struct TransportFields {
    /// A program that speaks over its standard streams.
    stdio: Option<Stdio>,
    /// A service behind a URL.
    http: Option<Http>,
    /// A container that speaks over its standard streams.
    docker: Option<Docker>,
}

/// A program and its arguments; never a shell line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Stdio {
    /// The program: a name looked up in PATH, or a path.
    #[schemars(length(min = 1, max = 4096), extend("format" = "line"))]
    pub command: String,
    /// Its arguments, passed as they are; `${VAR}` is filled in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = {"type": "string", "format": "text"}, "maxItems" = 1000))]
    pub args: Vec<String>,
    /// Where it starts; an absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("format" = "absolute-path"))]
    pub working_dir: Option<String>,
    /// Deprecated: read into the server's `env`.
    #[serde(default, skip_serializing)]
    #[schemars(extend("propertyNames" = {"format": "env-key"}, "deprecated" = true))]
    pub(super) env_placeholders: BTreeMap<String, String>,
}

impl Stdio {
    /// A program with arguments.
    pub const fn new(command: String, args: Vec<String>) -> Self {
        Self { command, args, working_dir: None, env_placeholders: BTreeMap::new() }
    }
}

/// Which of the HTTP transports a URL speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HttpFlavour {
    /// Found out when connecting.
    #[default]
    Auto,
    /// Streamable HTTP.
    StreamableHttp,
    /// HTTP with server-sent events.
    Sse,
}

/// A service behind a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Http {
    /// Where it is; `${VAR}` is filled in.
    #[schemars(length(min = 1, max = 8192), extend("format" = "http-url"))]
    pub url: String,
    /// Headers sent with each request; `${VAR}` is filled in.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend(
        "propertyNames" = {"format": "header-name"},
        "additionalProperties" = {"type": "string", "format": "header-value", "maxLength": 16384},
        "maxProperties" = 100
    ))]
    pub headers: BTreeMap<String, String>,
    /// Parameters appended to the URL; `${VAR}` is filled in.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend(
        "propertyNames" = {"format": "line"},
        "additionalProperties" = {"type": "string", "format": "line"},
        "maxProperties" = 100
    ))]
    pub query_params: BTreeMap<String, String>,
    /// Seconds for a connection or call; 0 means 30.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 0, max = 300))]
    pub timeout_seconds: Option<u32>,
    /// Which HTTP transport it speaks.
    #[serde(default, skip_serializing_if = "super::mcp_server::is_default")]
    pub transport: HttpFlavour,
}

/// A container image and how it runs. A typed spec: no free `docker run` flags.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Docker {
    /// The image.
    #[schemars(length(min = 1, max = 512), extend("format" = "image"))]
    pub image: String,
    /// Replaces the image's command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = {"type": "string", "format": "text"}, "maxItems" = 1000))]
    pub args: Vec<String>,
    /// What is mounted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub volumes: Vec<VolumeMount>,
    /// The container network; `bridge` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1, max = 128), extend("format" = "container-name"))]
    pub network: Option<String>,
    /// Which ports are published.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub ports: Vec<PortMapping>,
    /// The container's name; random if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1, max = 128), extend("format" = "container-name"))]
    pub container_name: Option<String>,
    /// Deprecated: read into the server's `env`.
    #[serde(default, skip_serializing)]
    #[schemars(extend("propertyNames" = {"format": "env-key"}, "deprecated" = true))]
    pub(super) env_placeholders: BTreeMap<String, String>,
}

/// A mounted path or volume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct VolumeMount {
    /// An absolute path on the host, or a volume's name.
    #[schemars(length(min = 1, max = 4096), extend("format" = "volume-source"))]
    pub host_path: String,
    /// An absolute path in the container.
    #[schemars(length(min = 1, max = 4096), extend("format" = "container-path"))]
    pub container_path: String,
    /// Whether it cannot be written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

/// A published port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PortMapping {
    /// On the host.
    #[schemars(range(min = 1, max = 65535))]
    pub host_port: u16,
    /// In the container.
    #[schemars(range(min = 1, max = 65535))]
    pub container_port: u16,
    /// `tcp` if left out.
    #[serde(default, skip_serializing_if = "super::mcp_server::is_default")]
    pub protocol: Protocol,
}

/// A port's protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Protocol {
    /// Left empty: TCP.
    #[default]
    #[serde(rename = "")]
    Unset,
    /// TCP.
    #[serde(rename = "tcp")]
    Tcp,
    /// UDP.
    #[serde(rename = "udp")]
    Udp,
}

impl Docker {
    /// An image with arguments.
    pub const fn new(image: String, args: Vec<String>) -> Self {
        Self {
            image,
            args,
            volumes: Vec::new(),
            network: None,
            ports: Vec::new(),
            container_name: None,
            env_placeholders: BTreeMap::new(),
        }
    }
}
