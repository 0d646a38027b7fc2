//! `completions`: the script that makes a shell complete our commands.

use clap_complete::Shell;

use crate::args;
use crate::failure::Failure;
use crate::output::Output;

/// Prints the script.
pub fn run(shell: Shell, output: &mut Output) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "outfitter", &mut script);
    output.bytes(&script)
}
