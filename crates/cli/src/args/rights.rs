//! Arguments about rights: what is asked about, and who gets or loses what.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use model::{Account, Kind, Organization, ScopeName};

use super::people::OutputArgs;

/// What a question or a grant is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noun {
    Resource(Kind),
    Organization,
    Platform,
}

impl Noun {
    /// The command line's word, which the daemon knows too.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Resource(kind) => kind.noun(),
            Self::Organization => "organization",
            Self::Platform => "platform",
        }
    }

    fn named(word: &str) -> Self {
        let kind = Kind::ALL.into_iter().find(|kind| [kind.noun(), kind.as_str()].contains(&word));
        match (kind, word) {
            (Some(kind), _) => Self::Resource(kind),
            (None, "mcp") => Self::Resource(Kind::McpServer),
            (None, "platform") => Self::Platform,
            (None, _) => Self::Organization,
        }
    }
}

/// The verbs that can be asked about.
const VERBS: [&str; 9] =
    ["view", "use", "edit", "delete", "spawn", "use-secret", "approve", "grant", "operate"];
/// The verbs that can be granted.
const GRANTED: [&str; 6] = ["view", "use", "edit", "approve", "use-secret", "operate"];

fn noun() -> impl TypedValueParser<Value = Noun> {
    let kinds = Kind::ALL.into_iter().map(|kind| {
        let value = PossibleValue::new(kind.noun()).alias(kind.as_str());
        if kind == Kind::McpServer { value.alias("mcp") } else { value }
    });
    let others = [PossibleValue::new("organization").alias("org"), PossibleValue::new("platform")];
    let all: Vec<PossibleValue> = kinds.chain(others).collect();
    PossibleValuesParser::new(all).map(|word| Noun::named(&word))
}

/// The thing that is meant.
#[derive(Clone, Debug, Args)]
pub(crate) struct ThingArgs {
    /// What it is; the kinds of manifests, such as `McpServer`, are understood too
    #[arg(value_name = "KIND", value_parser = noun())]
    pub kind: Noun,
    /// Its name; the platform has none
    pub name: Option<String>,
    /// Where it lives [default: the context's scope; else your own, then the platform]
    #[arg(long, value_name = "SCOPE", value_parser = super::nouns::scope())]
    pub scope: Option<ScopeName>,
    /// Its organization
    #[arg(long, value_name = "ORG")]
    pub org: Option<Organization>,
}

/// `can-i`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  outfitter can-i edit mcpserver github --org acme\n  \
                  outfitter can-i view mcpserver notes --owner ana\n  outfitter can-i operate platform --as ana\n\n\
                  Exit codes: 0 yes, 1 no; 2 to 6 as everywhere")]
pub(crate) struct CanIArgs {
    /// What you would do
    #[arg(value_name = "VERB", value_parser = VERBS)]
    pub verb: String,
    #[command(flatten)]
    pub thing: ThingArgs,
    /// Whose it is, for something in another person's scope
    #[arg(long, value_name = "USER", conflicts_with = "org")]
    pub owner: Option<Account>,
    /// Ask for this account; for operators, and for admins about members of their organization
    #[arg(long = "as", value_name = "USER")]
    pub other: Option<Account>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `grant`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  outfitter grant view mcpserver notes --to ana\n  \
                  outfitter grant edit mcpserver github --org acme --to org:tools\n  \
                  outfitter grant approve mcpserver github --scope platform --to org:acme#admin\n  \
                  outfitter grant operate platform --to ana")]
pub(crate) struct GrantArgs {
    /// What they may do
    #[arg(value_name = "VERB", value_parser = GRANTED)]
    pub verb: String,
    #[command(flatten)]
    pub thing: ThingArgs,
    /// Who gets it: an account, org:NAME for its members, or org:NAME#admin for its admins
    #[arg(long, value_name = "SUBJECT")]
    pub to: String,
}

/// `revoke`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  outfitter revoke view mcpserver notes --from ana\n  \
                  outfitter revoke edit mcpserver github --org acme --from org:tools")]
pub(crate) struct RevokeArgs {
    /// What was granted
    #[arg(value_name = "VERB", value_parser = GRANTED)]
    pub verb: String,
    #[command(flatten)]
    pub thing: ThingArgs,
    /// Who loses it: an account, org:NAME for its members, or org:NAME#admin for its admins
    #[arg(long, value_name = "SUBJECT")]
    pub from: String,
}

/// `grants`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  outfitter grants mcpserver notes\n  outfitter grants mcpserver github --org acme -o json\n  \
                  outfitter grants platform"
)]
pub(crate) struct GrantsArgs {
    #[command(flatten)]
    pub thing: ThingArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[cfg(test)]
mod tests {
    use clap::builder::TypedValueParser as _;
    use model::Kind;

    use super::{Noun, noun};

    #[test]
    fn a_kind_is_known_by_its_noun_and_by_its_name_in_manifests() {
        let command = crate::args::command();
        let read = |word: &str| noun().parse_ref(&command, None, word.as_ref()).ok();
        for kind in Kind::ALL {
            assert_eq!(read(kind.noun()), Some(Noun::Resource(kind)));
            assert_eq!(read(kind.as_str()), Some(Noun::Resource(kind)));
        }
        for (word, expected) in [
            ("mcp", Some(Noun::Resource(Kind::McpServer))),
            ("platform", Some(Noun::Platform)),
            ("organization", Some(Noun::Organization)),
            ("org", Some(Noun::Organization)),
            ("mcpservers", None),
            ("", None),
        ] {
            assert_eq!(read(word), expected, "{word}");
        }
    }
}
