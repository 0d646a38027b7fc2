//! Servers declared inside an agent: a list of resources' specs, or a map of flat definitions.
//!
//! Both spellings become one form; flat and full form convert both ways without loss.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

use super::mcp_server::is_default;
use super::transport::TransportFields;
use crate::Problem;
use crate::tree::{child, item};

use super::{Docker, Http, HttpFlavour, Mode, PortMapping, Stdio, Transport, VolumeMount};

/// A server that only its agent knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, extend(
    "x-exactly-one" = ["stdio", "http", "docker"],
    "x-none-of" = "server_type is required: must specify stdio, http, or docker"
))]
pub struct InlineServer {
    /// Its name, unique within the agent.
    #[schemars(extend("format" = "server-name"))]
    pub name: String,
    /// How it is reached.
    #[serde(flatten)]
    #[schemars(with = "TransportFields")]
    pub transport: Transport,
    /// Whether instances are shared.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: Mode,
    /// Variables with fixed values; `${VAR}` is filled in.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend(
        "propertyNames" = {"format": "env-key"},
        "additionalProperties" = {"type": "string", "format": "text"}
    ))]
    pub env: BTreeMap<String, String>,
    /// The tools that are enabled; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = {"type": "string", "format": "line"}))]
    pub enabled_tools: Vec<String>,
    /// Anything else a tool wants to keep with it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub meta: BTreeMap<String, Json>,
}

/// An agent's own servers, by whichever spelling they were written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InlineServers {
    /// The servers.
    pub servers: Vec<InlineServer>,
    /// Whether they were written as a map of flat definitions, which is how problems must name them.
    by_name: bool,
    /// Flat definitions that mean no server, and why.
    faults: Vec<(String, String)>,
}

impl InlineServers {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    /// Where a server was written, and where its transport's fields were.
    pub(super) fn place(&self, index: usize) -> (String, String) {
        let server = &self.servers[index];
        if self.by_name {
            let path = child("spec.mcp_servers", &server.name);
            return (path.clone(), path);
        }
        let path = item("spec.mcp_servers", index);
        let transport = format!("{path}.{}", server.transport.type_name());
        (path, transport)
    }

    /// Problems of definitions that mean no server.
    pub(super) fn problems(&self) -> impl Iterator<Item = Problem> {
        self.faults.iter().map(|(name, fault)| {
            Problem::error(child("spec.mcp_servers", name), fault).hint(
                "a program has `command` and `args`, a service `url` and `headers`, a container `image`",
            )
        })
    }
}

impl Serialize for InlineServers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.servers.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for InlineServers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            List(Vec<InlineServer>),
            Map(BTreeMap<String, FlatServer>),
        }
        match Either::deserialize(deserializer)? {
            Either::List(servers) => Ok(Self { servers, ..Self::default() }),
            Either::Map(flat) => {
                let mut inline = Self { by_name: true, ..Self::default() };
                for (name, server) in flat {
                    match server.into_inline(name.clone()) {
                        Ok(server) => inline.servers.push(server),
                        Err(fault) => inline.faults.push((name, fault)),
                    }
                }
                Ok(inline)
            }
        }
    }
}

impl JsonSchema for InlineServers {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "InlineServers".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let inline = generator.subschema_for::<InlineServer>();
        let flat = generator.subschema_for::<FlatServer>();
        json_schema!({
            "description": "A list of servers, or a map of flat definitions by name",
            "anyOf": [
                {"type": "array", "items": inline, "maxItems": 1000},
                {
                    "type": "object",
                    "propertyNames": {"format": "server-name"},
                    "additionalProperties": flat,
                    "maxProperties": 1000,
                },
            ],
        })
    }
}

/// The transport word of a flat definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlatType {
    /// A program.
    Stdio,
    /// A URL, flavour found out when connecting.
    Http,
    /// A URL with server-sent events.
    Sse,
    /// A URL with streamable HTTP.
    StreamableHttp,
    /// A container.
    Docker,
}

impl FlatType {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Sse => "sse",
            Self::StreamableHttp => "streamable_http",
            Self::Docker => "docker",
        }
    }
}

/// A server as one flat map, the form of the clients' own files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FlatServer {
    /// How it is reached; `command` means stdio and `url` http if left out.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "FlatType")]
    pub flat_type: Option<FlatType>,
    /// The program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1), extend("format" = "line"))]
    pub command: Option<String>,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = {"type": "string", "format": "text"}))]
    pub args: Vec<String>,
    /// Where the program starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("format" = "absolute-path"))]
    pub working_dir: Option<String>,
    /// Variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend(
        "propertyNames" = {"format": "env-key"},
        "additionalProperties" = {"type": "string", "format": "text"}
    ))]
    pub env: BTreeMap<String, String>,
    /// Where the service is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1), extend("format" = "http-url"))]
    pub url: Option<String>,
    /// Headers sent to it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend(
        "propertyNames" = {"format": "header-name"},
        "additionalProperties" = {"type": "string", "format": "header-value"}
    ))]
    pub headers: BTreeMap<String, String>,
    /// Parameters appended to the URL.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("additionalProperties" = {"type": "string", "format": "line"}))]
    pub query_params: BTreeMap<String, String>,
    /// Seconds for a connection or call; 0 means 30.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 0, max = 300))]
    pub timeout_seconds: Option<u32>,
    /// The image, for `type: docker`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1), extend("format" = "image"))]
    pub image: Option<String>,
    /// What the container mounts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<VolumeMount>,
    /// The container's network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1), extend("format" = "container-name"))]
    pub network: Option<String>,
    /// Which ports the container publishes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<PortMapping>,
    /// The container's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1), extend("format" = "container-name"))]
    pub container_name: Option<String>,
    /// Whether instances are shared.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: Mode,
    /// The tools that are enabled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = {"type": "string", "format": "line"}))]
    pub enabled_tools: Vec<String>,
    /// Anything else a tool wants to keep with it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub meta: BTreeMap<String, Json>,
}

impl FlatServer {
    /// The transport it means: as written, else by what it has.
    fn meant(&self) -> Result<FlatType, String> {
        match (self.flat_type, &self.command, &self.url, &self.image) {
            (Some(written), ..) => Ok(written),
            (None, Some(_), None, None) => Ok(FlatType::Stdio),
            (None, None, Some(_), None) => Ok(FlatType::Http),
            (None, None, None, Some(_)) => Ok(FlatType::Docker),
            (None, None, None, None) => Err("needs `command`, `url` or `type`".to_owned()),
            _ => Err("has more than one of `command`, `url` and `image`; say which with `type`".to_owned()),
        }
    }

    /// The full form. Fields of another transport than the one meant are an error.
    pub fn into_inline(self, name: String) -> Result<InlineServer, String> {
        let meant = self.meant()?;
        let missing = |field: &str| format!("type {} needs `{field}`", meant.as_str());
        let foreign = |present: bool, field: &str| {
            if present { Err(format!("`{field}` does not go with type {}", meant.as_str())) } else { Ok(()) }
        };
        let is_url = !matches!(meant, FlatType::Stdio | FlatType::Docker);
        foreign(self.command.is_some() && meant != FlatType::Stdio, "command")?;
        foreign(self.url.is_some() && !is_url, "url")?;
        foreign(self.image.is_some() && meant != FlatType::Docker, "image")?;
        foreign(!self.headers.is_empty() && !is_url, "headers")?;
        foreign(!self.args.is_empty() && is_url, "args")?;
        let http = |transport| -> Result<Transport, String> {
            Ok(Transport::Http(Http {
                url: self.url.clone().ok_or_else(|| missing("url"))?,
                headers: self.headers.clone(),
                query_params: self.query_params.clone(),
                timeout_seconds: self.timeout_seconds,
                transport,
            }))
        };
        let transport = match meant {
            FlatType::Http => http(HttpFlavour::Auto)?,
            FlatType::Sse => http(HttpFlavour::Sse)?,
            FlatType::StreamableHttp => http(HttpFlavour::StreamableHttp)?,
            FlatType::Stdio => {
                let command = self.command.clone().ok_or_else(|| missing("command"))?;
                let stdio = Stdio::new(command, self.args);
                Transport::Stdio(Stdio { working_dir: self.working_dir, ..stdio })
            }
            FlatType::Docker => Transport::Docker(Docker {
                volumes: self.volumes,
                network: self.network,
                ports: self.ports,
                container_name: self.container_name,
                ..Docker::new(self.image.clone().ok_or_else(|| missing("image"))?, self.args)
            }),
        };
        let Self { mode, env, enabled_tools, meta, .. } = self;
        Ok(InlineServer { name, transport, mode, env, enabled_tools, meta })
    }
}

impl From<InlineServer> for FlatServer {
    fn from(server: InlineServer) -> Self {
        let InlineServer { name: _, transport, mode, env, enabled_tools, meta } = server;
        let flat = Self { env, mode, enabled_tools, meta, ..Self::default() };
        match transport {
            Transport::Stdio(stdio) => Self {
                flat_type: Some(FlatType::Stdio),
                command: Some(stdio.command),
                args: stdio.args,
                working_dir: stdio.working_dir,
                ..flat
            },
            Transport::Http(http) => Self {
                flat_type: Some(match http.transport {
                    HttpFlavour::Auto => FlatType::Http,
                    HttpFlavour::Sse => FlatType::Sse,
                    HttpFlavour::StreamableHttp => FlatType::StreamableHttp,
                }),
                url: Some(http.url),
                headers: http.headers,
                query_params: http.query_params,
                timeout_seconds: http.timeout_seconds,
                ..flat
            },
            Transport::Docker(docker) => Self {
                flat_type: Some(FlatType::Docker),
                image: Some(docker.image),
                args: docker.args,
                volumes: docker.volumes,
                network: docker.network,
                ports: docker.ports,
                container_name: docker.container_name,
                ..flat
            },
        }
    }
}
