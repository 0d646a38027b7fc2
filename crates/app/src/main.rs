//! The `outfitter` binary: reads arguments and environment, then serves, or runs one command.

mod daemon;
mod data_dir;
mod directory;
mod doctor;
mod hardening;
mod ports;
mod restore;
mod surroundings;
mod tasks;
mod telemetry;

use std::process::ExitCode;

use cli::{Parsed, exit};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let parsed = match cli::parse(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { exit::USAGE } else { exit::DONE });
        }
    };
    let surroundings = surroundings::read();
    if !matches!(parsed, Parsed::Client(_)) {
        hardening::apply();
    }
    match parsed {
        Parsed::Client(command) => ExitCode::from(on_one_thread(cli::run(command, &surroundings))),
        Parsed::Serve(options) => report(daemon::serve(options, &surroundings)),
        Parsed::Restore(options) => report(on_one_thread(restore::restore(options, &surroundings))),
        Parsed::Doctor(options) => report(on_one_thread(doctor::examine(options, &surroundings))),
    }
}

fn on_one_thread<F: Future>(work: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a thread without I/O drivers cannot do anything")
        .block_on(work)
}

/// Ends with what went wrong and, down the chain of causes, why; a cause that was told already is not told again.
fn report(outcome: anyhow::Result<()>) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::from(exit::DONE) };
    let mut told = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !told.contains(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    telemetry::complain(&format!("error: {told}"));
    ExitCode::from(exit::INPUT)
}
