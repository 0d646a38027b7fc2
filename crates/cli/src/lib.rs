//! Everything a person types: commands, their output and their exit codes, over the public REST API.
//!
//! Nothing here reads the process environment; `Surroundings` says what the binary found there.

mod apply;
mod args;
mod audit;
mod backup;
mod can_i;
mod complete;
mod connect;
mod context;
mod delete;
mod diff;
mod documents;
mod escape;
mod export;
mod failure;
mod fga;
mod field;
mod grant;
mod http;
mod import;
mod init;
mod list;
mod org;
mod output;
mod problems;
mod query;
mod records;
mod refusal;
mod run;
mod schema;
mod secrets;
mod service;
mod session;
mod show;
mod sources;
mod sse;
mod surroundings;
mod table;
mod thing;
mod token;
mod user;
mod validate;
mod watch;
mod whoami;

/// The exit codes, one meaning each.
pub mod exit {
    /// Done.
    pub const DONE: u8 = 0;
    /// A problem in the input.
    pub const INPUT: u8 = 1;
    /// Wrong usage.
    pub const USAGE: u8 = 2;
    /// Not found.
    pub const NOT_FOUND: u8 = 3;
    /// Not allowed.
    pub const NOT_ALLOWED: u8 = 4;
    /// A conflict with what is stored.
    pub const CONFLICT: u8 = 5;
    /// The daemon could not be reached, or could not work.
    pub const UNREACHABLE: u8 = 6;
}

pub use args::{
    ClientCommand, DoctorOptions, InputFile, Parsed, RestoreOptions, ServeOptions, command, parse,
};
pub use output::Output;
pub use run::{run, run_to};
pub use surroundings::Surroundings;
