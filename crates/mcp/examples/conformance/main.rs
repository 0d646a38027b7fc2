//! A small server and a small client on this crate, for the conformance suite and for other programs to speak with.

mod client;
mod server;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let outcome = match words.as_slice() {
        ["server"] => runtime.block_on(server::http(0)),
        ["server", "--port", port] => runtime.block_on(server::http(port.parse().expect("a port"))),
        ["client", url] => runtime.block_on(client::run(url)),
        ["stdio"] => runtime.block_on(server::stdio()),
        _ => Err("usage: conformance server [--port N] | stdio | client URL".into()),
    };
    runtime.shutdown_background();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "a program that speaks to people")]
fn complain(text: &str) {
    eprintln!("{text}");
}
