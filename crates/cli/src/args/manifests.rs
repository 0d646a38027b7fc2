//! Arguments of the commands that read manifests: apply, diff, validate.

use std::path::PathBuf;

use clap::Args;
use model::{Organization, ScopeName};

/// Which manifests, and where their resources go.
#[derive(Clone, Debug, Args)]
pub(crate) struct ManifestArgs {
    /// A file, a directory (all *.yaml, *.yml and *.json below it) or - for standard input; repeat for more
    #[arg(short = 'f', long = "filename", value_name = "PATH", required = true)]
    pub files: Vec<PathBuf>,
    /// Put every resource into this scope, whatever its document says
    #[arg(long, value_name = "SCOPE", value_parser = super::nouns::scope())]
    pub scope: Option<ScopeName>,
    /// The organization of scope `organization`
    #[arg(long, value_name = "ORG")]
    pub org: Option<Organization>,
    /// Treat warnings, such as references to nothing, as errors
    #[arg(long)]
    pub strict: bool,
}

/// `apply`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  outfitter apply -f servers/\n  outfitter apply -f github-mcp.yaml --dry-run\n  \
                  outfitter mcpserver apply -f github-mcp.yaml --scope platform\n  \
                  outfitter mcpserver get github -o yaml | outfitter apply -f -"
)]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    pub manifests: ManifestArgs,
    /// Let the daemon check everything, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `diff`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  outfitter diff -f servers/\n  outfitter diff -f github-mcp.yaml --exit-code"
)]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    pub manifests: ManifestArgs,
    /// Exit with 1 if anything differs
    #[arg(long)]
    pub exit_code: bool,
}

/// `validate`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  outfitter validate -f servers/\n  outfitter import mcp.json | outfitter validate -f - --strict"
)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    pub manifests: ManifestArgs,
}
