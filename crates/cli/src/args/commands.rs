//! Every command, and the arguments of those that are neither a verb on a kind nor the daemon's.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use model::{Kind, Organization, ScopeName};

use super::nouns::{InitArgs, ServerInitArgs, Verb};
use super::{
    ApplyArgs, AuditCommand, CanIArgs, DiffArgs, DoctorOptions, FgaCommand, GrantArgs, GrantsArgs, InputFile,
    OrgCommand, RestoreOptions, RevokeArgs, ServeOptions, TokenCommand, UserCommand, ValidateArgs,
};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the daemon: registry, API and gateway on this machine
    #[command(
        after_help = "Examples:\n  outfitter serve\n  outfitter serve --data-dir ./data --listen 127.0.0.1:0\n  \
                      outfitter serve --database postgres://localhost/outfitter"
    )]
    Serve(Box<ServeOptions>),
    /// MCP servers: reusable definitions that agents refer to
    #[command(visible_alias = "mcp")]
    Mcpserver {
        #[command(subcommand)]
        verb: Verb<ServerInitArgs>,
    },
    /// Agents and the servers they use
    Agent {
        #[command(subcommand)]
        verb: Verb<InitArgs>,
    },
    /// Environments: named values and secrets
    Environment {
        #[command(subcommand)]
        verb: Verb<InitArgs>,
    },
    /// Agent instances: an agent with its environments
    Instance {
        #[command(subcommand)]
        verb: Verb<InitArgs>,
    },
    /// Executors: places where agents run, with their policy
    Executor {
        #[command(subcommand)]
        verb: Verb<InitArgs>,
    },
    /// Create or update resources of any kind, all or none
    Apply(ApplyArgs),
    /// Show field by field what apply would change
    Diff(DiffArgs),
    /// Check manifests without a daemon
    Validate(ValidateArgs),
    /// Turn an agent's own MCP configuration into manifests on standard output
    Import(ImportArgs),
    /// Write everything you may see as a tree of manifests
    Export(ExportArgs),
    /// The default scope, organization and server of your commands
    Context {
        #[command(subcommand)]
        command: ContextCommand,
    },
    /// The key that seals secrets
    Secrets {
        #[command(subcommand)]
        command: SecretsCommand,
    },
    /// Save the whole store to a file while the daemon runs; the key is apart
    Backup(BackupArgs),
    /// Put a backup into an empty store
    Restore(RestoreOptions),
    /// Check the store offline
    Doctor(DoctorOptions),
    /// Show who the daemon takes you for
    Whoami,
    /// Follow changes, one line each
    Watch(WatchArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the JSON Schema of a kind, for editors
    Schema(SchemaArgs),
    /// Organizations: people who share servers
    Org {
        #[command(subcommand)]
        command: OrgCommand,
    },
    /// Accounts of people and programs
    User {
        #[command(subcommand)]
        command: UserCommand,
    },
    /// Tokens that prove an account from afar
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Ask whether something is allowed, and which relations decide it
    CanI(CanIArgs),
    /// Give someone a right to one thing
    Grant(GrantArgs),
    /// Take a granted right back
    Revoke(RevokeArgs),
    /// List the rights granted on one thing
    Grants(GrantsArgs),
    /// What was refused
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
    /// Relationship models as OpenFGA writes them: test and convert them
    Fga {
        #[command(subcommand)]
        command: FgaCommand,
    },
    /// Run the daemon as a service of your account
    Service {
        #[command(subcommand)]
        command: ServiceCommand,
    },
}

/// Whose file is imported, where the contents alone do not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportClient {
    Codex,
    ClaudeCode,
    Cursor,
    Gemini,
    QwenCode,
    Opencode,
    Copilot,
    Vscode,
    Windsurf,
    Zed,
}

/// `import`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  outfitter import .mcp.json > servers.yaml\n  \
                  outfitter import ~/.codex/config.toml | outfitter apply -f -\n  outfitter import settings.json --client qwen-code")]
pub(crate) struct ImportArgs {
    /// The configuration, or - for standard input
    #[arg(value_name = "FILE")]
    pub file: InputFile,
    /// Read it as this client does
    #[arg(long, value_name = "CLIENT")]
    pub client: Option<ImportClient>,
}

/// `export`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  outfitter export\n  outfitter export ./backup-of-manifests\n  outfitter export - > everything.yaml"
)]
pub(crate) struct ExportArgs {
    /// Where to write DIR/SCOPE[/ORG]/KIND/NAME.yaml, or - for one stream
    #[arg(value_name = "DIR", default_value = "outfitter-export")]
    pub directory: PathBuf,
    /// Write one stream of documents to standard output
    #[arg(long)]
    pub stdout: bool,
    /// Write into a directory that is not empty
    #[arg(long)]
    pub force: bool,
}

/// `context`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum ContextCommand {
    /// Choose defaults; what is not named stays as it is
    Set {
        /// The scope of documents and commands that name none
        #[arg(long, value_name = "SCOPE", value_parser = super::nouns::scope())]
        scope: Option<ScopeName>,
        /// The organization of scope `organization`
        #[arg(long, value_name = "ORG")]
        org: Option<Organization>,
        /// The daemon to talk to
        #[arg(long, value_name = "URL")]
        server_url: Option<String>,
    },
    /// Show the defaults
    Show,
    /// Forget the defaults
    Unset,
}

/// `secrets`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum SecretsCommand {
    /// Make a new key and seal every secret's own key with it
    RotateKey {
        /// Derive the new key from the passphrase in this file
        #[arg(long, value_name = "PATH")]
        new_passphrase_file: Option<PathBuf>,
    },
}

/// `backup`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  outfitter backup outfitter.backup\n  outfitter backup - | gzip > outfitter.backup.gz"
)]
pub(crate) struct BackupArgs {
    /// The file to write, or - for standard output
    #[arg(value_name = "FILE")]
    pub file: InputFile,
    /// Replace the file if it is there
    #[arg(long)]
    pub force: bool,
}

/// `watch`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  outfitter watch\n  outfitter watch --from 120 --kind McpServer --kind Agent\n  outfitter watch -o json"
)]
pub(crate) struct WatchArgs {
    /// Begin after this revision [default: now]
    #[arg(long, value_name = "REVISION", value_parser = super::values::position)]
    pub from: Option<String>,
    /// Only changes of this kind; repeat for more
    #[arg(long = "kind", value_name = "KIND", value_parser = kind())]
    pub kinds: Vec<Kind>,
    /// Print each change whole, one JSON value per line
    #[arg(short = 'o', long = "output", value_name = "FORMAT", value_parser = ["json"])]
    pub output: Option<String>,
}

/// `completions`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  outfitter completions bash > ~/.local/share/bash-completion/completions/outfitter\n  \
                  outfitter completions zsh > ~/.zfunc/_outfitter\n  \
                  outfitter completions fish > ~/.config/fish/completions/outfitter.fish"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// `schema`.
#[derive(Clone, Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The kind
    #[arg(value_name = "KIND", value_parser = kind())]
    pub kind: Kind,
}

/// `service`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum ServiceCommand {
    /// Write a systemd user unit and say how to start it
    Install {
        /// Let the daemon keep everything in this directory [default: the user's data directory]
        #[arg(long, value_name = "DIR", env = "OUTFITTER_DATA_DIR")]
        data_dir: Option<PathBuf>,
        /// Let the daemon listen on this Unix socket [default: outfitter.sock in the data directory]
        #[arg(long, value_name = "PATH", env = "OUTFITTER_SOCKET")]
        socket: Option<PathBuf>,
        /// Print the unit instead of writing it
        #[arg(long)]
        print: bool,
        /// Replace a unit that is there and differs
        #[arg(long)]
        force: bool,
    },
}

/// A kind by its name in manifests.
fn kind() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(Kind::ALL.map(Kind::as_str)).try_map(|text| text.parse::<Kind>())
}

impl ExportArgs {
    /// Whether one stream is wanted.
    pub fn is_stream(&self) -> bool {
        self.stdout || self.directory.as_os_str() == "-"
    }
}

impl WatchArgs {
    /// Whether changes are printed whole.
    pub fn is_json(&self) -> bool {
        self.output.is_some()
    }
}
