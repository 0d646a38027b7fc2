//! The verbs that every kind has: apply, get, list, delete, init.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use model::{Account, Name, Organization, ScopeName};

use super::manifests::ApplyArgs;

/// A verb on one kind.
#[derive(Debug, Subcommand)]
pub(super) enum Verb<I: Args> {
    /// Create or update from manifests; applying again changes nothing
    Apply(ApplyArgs),
    /// Show one
    Get(GetArgs),
    /// List what you may see
    List(ListArgs),
    /// Delete one; needs an explicit scope
    Delete(DeleteArgs),
    /// Print a manifest to start from
    Init(I),
}

/// A scope by name.
pub(super) fn scope() -> impl TypedValueParser<Value = ScopeName> {
    PossibleValuesParser::new(ScopeName::ALL.map(ScopeName::as_str)).try_map(|text| text.parse::<ScopeName>())
}

/// How a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// YAML; resources apply unchanged
    Yaml,
    /// JSON
    Json,
}

/// `get`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  outfitter mcpserver get github\n  outfitter mcpserver get github --scope platform\n  \
                  outfitter mcpserver get internal-api --scope organization --org my-org\n  \
                  outfitter mcpserver get github -o yaml"
)]
pub(crate) struct GetArgs {
    /// Its name
    pub name: Name,
    /// Look in this scope only [default: the context's; else your own, then the platform]
    #[arg(long, value_name = "SCOPE", value_parser = scope())]
    pub scope: Option<ScopeName>,
    /// Look in this organization only
    #[arg(long, value_name = "ORG")]
    pub org: Option<Organization>,
    /// Look in this person's own scope, for what they let you see
    #[arg(long, value_name = "USER", conflicts_with_all = ["scope", "org"])]
    pub owner: Option<Account>,
    /// Print it whole, as YAML or JSON
    #[arg(short = 'o', long = "output", value_name = "FORMAT")]
    pub output: Option<Format>,
}

/// `list`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  outfitter mcpserver list\n  outfitter mcpserver list --scope platform\n  \
                  outfitter mcpserver list --scope organization --org my-org\n  outfitter mcpserver list --tag git --tag vcs"
)]
pub(crate) struct ListArgs {
    /// Only those of this scope
    #[arg(long, value_name = "SCOPE", value_parser = scope())]
    pub scope: Option<ScopeName>,
    /// Only those of this organization
    #[arg(long, value_name = "ORG")]
    pub org: Option<Organization>,
    /// Only those with this tag; repeat to demand several
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Only those whose name, description or tags hold this text
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
    /// Print them whole, as YAML or JSON
    #[arg(short = 'o', long = "output", value_name = "FORMAT")]
    pub output: Option<Format>,
}

/// `delete`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  outfitter mcpserver delete github --scope identity_account\n  \
                  outfitter mcpserver delete github --scope identity_account --force")]
pub(crate) struct DeleteArgs {
    /// Its name
    pub name: Name,
    /// Where it lives; must be given, so that nothing else goes by mistake
    #[arg(long, value_name = "SCOPE", value_parser = scope())]
    pub scope: Option<ScopeName>,
    /// The organization of scope `organization`
    #[arg(long, value_name = "ORG")]
    pub org: Option<Organization>,
    /// Do not ask, and delete it even if others refer to it
    #[arg(long)]
    pub force: bool,
}

/// How a new server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServerType {
    /// A program
    Stdio,
    /// A URL
    Http,
    /// A container
    Docker,
}

/// `mcpserver init`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  outfitter mcpserver init --type stdio > my-mcp.yaml\n  \
                  outfitter mcpserver init --type stdio --name github > github-mcp.yaml")]
pub(super) struct ServerInitArgs {
    /// How the server is reached
    #[arg(long = "type", value_name = "TYPE")]
    pub server_type: ServerType,
    /// Fill in this name
    #[arg(long, value_name = "NAME")]
    pub name: Option<Name>,
}

/// `init` of the other kinds.
#[derive(Clone, Debug, Args)]
pub(super) struct InitArgs {
    /// Fill in this name
    #[arg(long, value_name = "NAME")]
    pub name: Option<Name>,
}
