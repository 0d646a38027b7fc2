//! The fixture server of this crate as a process; dropping it kills.

use std::env;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

const PATIENCE: Duration = Duration::from_secs(20);

/// A server that listens.
pub struct Fixture {
    base: String,
    _process: Child,
}

impl Fixture {
    /// Starts it on a free port and waits until it listens.
    pub async fn start() -> Self {
        let mut command = Command::new(program());
        command.args(["server", "--port", "0"]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = command.kill_on_drop(true).spawn().unwrap();
        let mut said = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = tokio::time::timeout(PATIENCE, said.next_line()).await.expect("it says where it listens");
        let line = line.unwrap().expect("it lives");
        let base = line.strip_prefix("listening on ").and_then(|url| url.strip_suffix("/mcp")).unwrap();
        Self { base: base.to_owned(), _process: process }
    }

    /// Where it speaks Streamable HTTP.
    pub fn mcp(&self) -> String {
        format!("{}/mcp", self.base)
    }

    /// Where it speaks HTTP+SSE.
    pub fn sse(&self) -> String {
        format!("{}/sse", self.base)
    }
}

/// The built fixture server.
pub fn program() -> PathBuf {
    let tests = env::current_exe().unwrap();
    let program = tests.parent().unwrap().with_file_name("examples").join("conformance");
    assert!(
        program.is_file(),
        "no fixture server; build it with `cargo build --profile ci -p mcp --example conformance`"
    );
    program
}
