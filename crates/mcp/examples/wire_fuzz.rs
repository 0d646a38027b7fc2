//! Throws mutated texts at the readers of the wire for a while: `wire_fuzz [SECONDS] [SEED]`.
//!
//! Starts from `fuzz-corpus/`, which an ordinary test replays. A text that makes a reader panic, break its promise or take
//! longer than a second is written to `fuzz-corpus/found-…` and ends the run with status 1.

#![expect(clippy::print_stdout, reason = "it tells how far it came")]

#[path = "../tests/wire/fuzz/targets.rs"]
mod targets;

use std::path::Path;
use std::process::ExitCode;

/// Pieces that mean something to the readers.
const WORDS: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u0065",
    "\\ud83d",
    "\"jsonrpc\":\"2.0\"",
    "\"id\":1",
    "\"method\":\"tools/call\"",
    "\"params\":{",
    "\"name\":\"a\"",
    "\"_meta\":{",
    "\"x-mcp-header\":\"A\"",
    "\r\n",
    "\n\n",
    "data: ",
    "id: ",
    "retry: 1",
    "=?base64?",
    "?=",
];

fn main() -> ExitCode {
    match testkit::fuzz::run_as_asked(Path::new(targets::CORPUS), &targets::ALL, &WORDS) {
        Ok(told) => {
            println!("wire_fuzz: {told}");
            ExitCode::SUCCESS
        }
        Err(found) => {
            println!("{found}");
            ExitCode::FAILURE
        }
    }
}
