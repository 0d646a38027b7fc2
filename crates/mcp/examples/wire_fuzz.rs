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
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().unwrap_or(10));
    let (seconds, seed) = (arguments.next().unwrap_or(10), arguments.next().unwrap_or(1));
    std::panic::set_hook(Box::new(|_| {}));
    let each = seconds.div_ceil(targets::ALL.len() as u64);
    match testkit::fuzz::run(Path::new(targets::CORPUS), &targets::ALL, &WORDS, each, seed) {
        Ok(tried) => {
            println!(
                "wire_fuzz: {tried} texts, {each} s at each of {} readers, seed {seed}, nothing found",
                targets::ALL.len()
            );
            ExitCode::SUCCESS
        }
        Err(found) => {
            println!("{found}");
            ExitCode::FAILURE
        }
    }
}
