//! The command line: what can be typed, and what each sentence of it means.

mod commands;
mod connection;
mod duration;
mod fga;
mod manifests;
mod nouns;
mod people;
mod rights;
mod serve;
mod values;
mod variables;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser};
use model::Kind;

pub(crate) use commands::{
    BackupArgs, CompletionsArgs, ContextCommand, ExportArgs, ImportArgs, ImportClient, SchemaArgs,
    SecretsCommand, ServiceCommand, WatchArgs,
};
pub(crate) use connection::{Address, Connection};
pub(crate) use fga::{FgaCommand, FgaTestArgs, FgaTransformArgs, ModelForm};
pub(crate) use manifests::{ApplyArgs, DiffArgs, ManifestArgs, ValidateArgs};
pub(crate) use nouns::{DeleteArgs, Format, GetArgs, ListArgs, ServerType};
pub(crate) use people::{AuditCommand, OrgCommand, TokenCommand, TokenCreateArgs, UserCommand};
pub(crate) use rights::{CanIArgs, GrantArgs, GrantsArgs, Noun, RevokeArgs, ThingArgs};
pub use serve::{DoctorOptions, InputFile, RestoreOptions, ServeOptions};

use commands::Command;
use nouns::Verb;

#[derive(Debug, Parser)]
#[command(
    name = "outfitter",
    version,
    about = "Declare MCP servers once, decide who may use them, and outfit every agent",
    arg_required_else_help = true,
    subcommand_required = true,
    after_help = "Examples:\n  outfitter serve\n  outfitter mcpserver init --type stdio --name github > github-mcp.yaml\n  \
                  outfitter mcpserver apply -f github-mcp.yaml\n  outfitter mcpserver list\n  \
                  outfitter import ~/.cursor/mcp.json > servers.yaml\n\n\
                  Exit codes: 0 done, 1 problem in the input, 2 usage, 3 not found, 4 not allowed, 5 conflict, \
                  6 daemon unreachable"
)]
struct Cli {
    #[command(flatten)]
    connection: connection::Flags,
    #[command(subcommand)]
    command: Command,
}

/// What was typed.
#[derive(Debug)]
pub enum Parsed {
    /// Start the daemon.
    Serve(ServeOptions),
    /// Put a backup back.
    Restore(RestoreOptions),
    /// Check the store offline.
    Doctor(DoctorOptions),
    /// Anything this crate does itself.
    Client(ClientCommand),
}

/// A command that this crate carries out.
#[derive(Debug)]
pub struct ClientCommand {
    pub(crate) connection: Connection,
    pub(crate) action: Action,
}

/// What to do.
#[derive(Debug)]
pub(crate) enum Action {
    Apply { only: Option<Kind>, args: ApplyArgs },
    Diff(DiffArgs),
    Validate(ValidateArgs),
    Get { kind: Kind, args: GetArgs },
    List { kind: Kind, args: ListArgs },
    Delete { kind: Kind, args: DeleteArgs },
    Init { kind: Kind, server_type: Option<ServerType>, name: Option<model::Name> },
    Import(ImportArgs),
    Export(ExportArgs),
    Context(ContextCommand),
    Secrets(SecretsCommand),
    Backup(BackupArgs),
    Whoami,
    Watch(WatchArgs),
    Completions(CompletionsArgs),
    Schema(SchemaArgs),
    Service(ServiceCommand),
    Fga(FgaCommand),
    Org(OrgCommand),
    User(UserCommand),
    Token(TokenCommand),
    CanI(CanIArgs),
    Grant(GrantArgs),
    Revoke(RevokeArgs),
    Grants(GrantsArgs),
    Audit(AuditCommand),
}

/// The commands that talk to no daemon.
const ALONE: [&str; 9] =
    ["serve", "restore", "doctor", "import", "validate", "schema", "completions", "service", "fga"];

/// The whole command line, for completions, generated documentation and tests.
pub fn command() -> clap::Command {
    let all =
        ALONE.into_iter().fold(Cli::command(), |all, name| all.mut_subcommand(name, connection::hidden));
    let strict =
        "Treat warnings as errors; references are not checked, since only a daemon knows their targets";
    let all = all.mut_subcommand("validate", |validate| validate.mut_arg("strict", |flag| flag.help(strict)));
    variables::without_empty(variables::without_values(all))
}

/// What is wrong with a command line, without options that only a variable brought in.
fn explain(error: clap::Error, args: Vec<OsString>) -> clap::Error {
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || is_help {
        return error;
    }
    match variables::without_all(command()).try_get_matches_from(args) {
        Err(plain) if plain.kind() == error.kind() => plain,
        _ => error,
    }
}

/// Reads a command line; the first argument is the program. Nothing but the program asks for help.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Parsed, clap::Error> {
    let mut args: Vec<OsString> = args.into_iter().collect();
    if args.len() <= 1 {
        args = vec!["outfitter".into(), "--help".into()];
    }
    let mut matches = command().try_get_matches_from(args.clone()).map_err(|error| explain(error, args))?;
    let chosen = connection::choose(&matches)?;
    let cli = Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command()))?;
    let connection = Connection {
        address: chosen,
        token_file: cli.connection.token_file,
        ca_cert: cli.connection.ca_cert,
    };
    let action = match cli.command {
        Command::Serve(options) => return Ok(Parsed::Serve(*options)),
        Command::Restore(options) => return Ok(Parsed::Restore(options)),
        Command::Doctor(options) => return Ok(Parsed::Doctor(options)),
        other => action(other),
    };
    Ok(Parsed::Client(ClientCommand { connection, action }))
}

fn action(command: Command) -> Action {
    match command {
        Command::Mcpserver { verb } => {
            of_kind(Kind::McpServer, verb, |init| (Some(init.server_type), init.name))
        }
        Command::Agent { verb } => of_kind(Kind::Agent, verb, |init| (None, init.name)),
        Command::Environment { verb } => of_kind(Kind::Environment, verb, |init| (None, init.name)),
        Command::Instance { verb } => of_kind(Kind::AgentInstance, verb, |init| (None, init.name)),
        Command::Executor { verb } => of_kind(Kind::Executor, verb, |init| (None, init.name)),
        Command::Apply(args) => Action::Apply { only: None, args },
        Command::Diff(args) => Action::Diff(args),
        Command::Validate(args) => Action::Validate(args),
        Command::Import(args) => Action::Import(args),
        Command::Export(args) => Action::Export(args),
        Command::Context { command } => Action::Context(command),
        Command::Secrets { command } => Action::Secrets(command),
        Command::Backup(args) => Action::Backup(args),
        Command::Whoami => Action::Whoami,
        Command::Watch(args) => Action::Watch(args),
        Command::Completions(args) => Action::Completions(args),
        Command::Schema(args) => Action::Schema(args),
        Command::Service { command } => Action::Service(command),
        Command::Fga { command } => Action::Fga(command),
        Command::Org { command } => Action::Org(command),
        Command::User { command } => Action::User(command),
        Command::Token { command } => Action::Token(command),
        Command::CanI(args) => Action::CanI(args),
        Command::Grant(args) => Action::Grant(args),
        Command::Revoke(args) => Action::Revoke(args),
        Command::Grants(args) => Action::Grants(args),
        Command::Audit { command } => Action::Audit(command),
        Command::Serve(_) | Command::Restore(_) | Command::Doctor(_) => {
            unreachable!("the binary's own commands are taken out before")
        }
    }
}

type Init = (Option<ServerType>, Option<model::Name>);

fn of_kind<I: clap::Args>(kind: Kind, verb: Verb<I>, init: impl Fn(I) -> Init) -> Action {
    match verb {
        Verb::Apply(args) => Action::Apply { only: Some(kind), args },
        Verb::Get(args) => Action::Get { kind, args },
        Verb::List(args) => Action::List { kind, args },
        Verb::Delete(args) => Action::Delete { kind, args },
        Verb::Init(args) => {
            let (server_type, name) = init(args);
            Action::Init { kind, server_type, name }
        }
    }
}

#[cfg(test)]
mod tests;
