//! Arguments about people: organizations, accounts, tokens, and what was refused to whom.

use std::num::NonZeroUsize;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use model::{Account, Name, Organization, ScopeName};

use super::Format;

/// `org`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum OrgCommand {
    /// Make an organization; you become its first admin
    #[command(after_help = "Examples:\n  outfitter org create acme")]
    Create {
        /// Its name: lower case letters, digits and hyphens
        name: Organization,
    },
    /// List the organizations you belong to; operators see all
    List(OutputArgs),
    /// Show one organization: its admins and members
    Get {
        /// Its name
        name: Organization,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Add a member, or change a member's role
    #[command(
        after_help = "Examples:\n  outfitter org add-member acme ana\n  outfitter org add-member acme ana --role admin"
    )]
    AddMember {
        /// The organization
        org: Organization,
        /// The account
        user: Account,
        /// What they may do there
        #[arg(long, value_name = "ROLE", default_value = "member")]
        role: Role,
    },
    /// Remove a member, whatever their role
    RemoveMember {
        /// The organization
        org: Organization,
        /// The account
        user: Account,
    },
}

/// What a member may do in an organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// See and use what the organization has
    Member,
    /// Change it too, and say who belongs to it
    Admin,
}

impl Role {
    /// The daemon's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Admin => "admin",
        }
    }
}

/// A format of what is no manifest, and so is never applied.
fn format() -> impl TypedValueParser<Value = Format> {
    let values = [PossibleValue::new("yaml").help("YAML"), PossibleValue::new("json").help("JSON")];
    PossibleValuesParser::new(values).map(|word| if word == "yaml" { Format::Yaml } else { Format::Json })
}

/// How a list or a record is written.
#[derive(Clone, Debug, Args)]
pub(crate) struct OutputArgs {
    /// Print it whole, as YAML or JSON
    #[arg(short = 'o', long = "output", value_name = "FORMAT", value_parser = format())]
    pub output: Option<Format>,
}

/// `user`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// List accounts; only operators see those of others
    List(OutputArgs),
    /// Make an account; needs an operator
    #[command(
        after_help = "Examples:\n  outfitter user create ana\n  outfitter user create ana --oidc-subject 00u1a2b3c4"
    )]
    Create {
        /// Its name: letters, digits, `.`, `_`, `@` and `-`
        name: Account,
        /// What the OIDC issuer calls this person, if it is not the name
        #[arg(long, value_name = "SUBJECT")]
        oidc_subject: Option<String>,
    },
}

/// `token`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token; it alone goes to standard output, and it is not shown again
    Create(Box<TokenCreateArgs>),
    /// List tokens, without their text; only operators see those of others
    List(OutputArgs),
    /// End a token; its next use is refused
    Revoke {
        /// Its id, as `outfitter token list` shows it
        id: String,
    },
}

/// `token create`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  TOKEN=$(outfitter token create --label laptop --expires 30d)\n  \
                  outfitter token create --for ana\n  outfitter token create --read-only --org acme\n  \
                  outfitter token create --agent coder --expires 12h")]
pub(crate) struct TokenCreateArgs {
    /// What to call it, such as the place where it is kept
    #[arg(long, value_name = "LABEL")]
    pub label: Option<String>,
    /// Make it for this account [default: your own]
    #[arg(long = "for", value_name = "USER")]
    pub holder: Option<Account>,
    /// Good for reading only
    #[arg(long)]
    pub read_only: bool,
    /// Good for this organization only
    #[arg(long, value_name = "ORG", conflicts_with = "agent")]
    pub org: Option<Organization>,
    /// Good for this agent only
    #[arg(long, value_name = "NAME")]
    pub agent: Option<Name>,
    /// The agent's scope [default: its holder's own, then the platform]
    #[arg(long, value_name = "SCOPE", value_parser = super::nouns::scope(), requires = "agent")]
    pub agent_scope: Option<ScopeName>,
    /// The agent's organization
    #[arg(long, value_name = "ORG", requires = "agent")]
    pub agent_org: Option<Organization>,
    /// End it after this time, such as 30d or 12h [default: never]
    #[arg(long, value_name = "TIME", value_parser = super::values::life)]
    pub expires: Option<u64>,
}

/// `audit`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Show who was refused what and why, the newest last; needs an operator
    #[command(
        after_help = "Examples:\n  outfitter audit denials\n  outfitter audit denials --limit 1000 -o json"
    )]
    Denials {
        /// Only the newest so many
        #[arg(long, value_name = "N", default_value = "100")]
        limit: NonZeroUsize,
        #[command(flatten)]
        output: OutputArgs,
    },
}
