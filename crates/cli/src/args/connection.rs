//! How to reach the daemon: flags before variables, and a flag of one sort before a variable of another.

use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args};

/// The flags every client command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Connection")]
pub(super) struct Flags {
    /// Talk to the daemon at this URL, with a token
    #[arg(long, global = true, value_name = "URL", env = "OUTFITTER_SERVER")]
    server: Option<String>,
    /// Talk to the daemon through this Unix socket
    #[arg(long, global = true, value_name = "PATH", env = "OUTFITTER_SOCKET")]
    socket: Option<PathBuf>,
    /// Find the daemon's socket in this data directory
    #[arg(long, global = true, value_name = "DIR", env = "OUTFITTER_DATA_DIR")]
    data_dir: Option<PathBuf>,
    /// Read the token for `--server` from this file; the variable `OUTFITTER_TOKEN` wins over it
    #[arg(long, global = true, value_name = "PATH")]
    pub(super) token_file: Option<PathBuf>,
    /// Trust the certificates in this PEM file besides the system's
    #[arg(long, global = true, value_name = "PATH")]
    pub(super) ca_cert: Option<PathBuf>,
}

/// A command that talks to no daemon does not show how to reach one.
pub(super) fn hidden(command: clap::Command) -> clap::Command {
    let flags = [
        Arg::new("server").long("server"),
        path("socket", "socket"),
        path("data_dir", "data-dir"),
        path("token_file", "token-file"),
        path("ca_cert", "ca-cert"),
    ];
    let missing = |command: &clap::Command, flag: &Arg| {
        command.get_arguments().all(|argument| argument.get_id() != flag.get_id())
    };
    let command = flags.into_iter().fold(command, |command, flag| {
        if missing(&command, &flag) { command.arg(flag.hide(true)) } else { command }
    });
    command.mut_subcommands(hidden)
}

fn path(id: &'static str, long: &'static str) -> Arg {
    Arg::new(id).long(long).value_parser(clap::value_parser!(PathBuf))
}

/// Where flags and variables say the daemon is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    Server(String),
    Socket(PathBuf),
    DataDir(PathBuf),
}

/// How to reach the daemon, as far as the command line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connection {
    pub address: Option<Address>,
    pub token_file: Option<PathBuf>,
    pub ca_cert: Option<PathBuf>,
}

/// The address that wins: the flags' over the variables', then server, socket, data directory.
pub(super) fn choose(matches: &ArgMatches) -> Result<Option<Address>, clap::Error> {
    let from = |id: &str, source: ValueSource| matches.value_source(id) == Some(source);
    if from("server", ValueSource::CommandLine) && from("socket", ValueSource::CommandLine) {
        return Err(super::command().error(
            clap::error::ErrorKind::ArgumentConflict,
            "--server and --socket exclude each other; keep one of them",
        ));
    }
    for source in [ValueSource::CommandLine, ValueSource::EnvVariable] {
        if from("server", source) {
            return Ok(matches.get_one::<String>("server").cloned().map(Address::Server));
        }
        if from("socket", source) {
            return Ok(matches.get_one::<PathBuf>("socket").cloned().map(Address::Socket));
        }
        if from("data_dir", source) {
            return Ok(matches.get_one::<PathBuf>("data_dir").cloned().map(Address::DataDir));
        }
    }
    Ok(None)
}
