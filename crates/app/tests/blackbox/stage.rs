//! A daemon and a person in front of it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testkit::outfitter::Output;
use testkit::{Daemon, Http, Outfitter, daemon};

/// The binary under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_outfitter");

/// A daemon that is ready, and a person with an empty home.
pub struct Stage {
    pub daemon: Daemon,
    pub person: Outfitter,
}

impl Stage {
    /// On SQLite in a fresh data directory.
    pub fn set() -> Self {
        Self::with(Daemon::builder())
    }

    /// However the builder says.
    pub fn with(builder: daemon::Builder) -> Self {
        let daemon = builder.binary(BINARY).start().unwrap();
        Self { daemon, person: Outfitter::with_binary(BINARY).unwrap() }
    }

    /// Runs `outfitter ARGS…` against the daemon's socket.
    pub fn run(&self, args: &[&str]) -> Output {
        self.run_with(args, "")
    }

    /// The same, with something on standard input.
    pub fn run_with(&self, args: &[&str], stdin: &str) -> Output {
        self.person.invocation(args).env("OUTFITTER_SOCKET", self.daemon.socket()).stdin(stdin).run().unwrap()
    }

    /// Runs a command that must succeed; returns what it printed.
    pub fn done(&self, args: &[&str]) -> String {
        self.done_with(args, "")
    }

    /// The same, with something on standard input.
    pub fn done_with(&self, args: &[&str], stdin: &str) -> String {
        let output = self.run_with(args, stdin);
        assert_eq!(output.code, Some(0), "{args:?}: {}{}", output.stdout, output.stderr);
        output.stdout
    }

    /// Writes a file into the person's home.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.person.home().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A client of the TCP listener with the operator's token.
    pub fn http(&self) -> Http {
        self.daemon.http().unwrap()
    }

    /// The number of the last commit.
    pub fn revision(&self) -> i64 {
        self.http().get("/api/v1/mcpservers?limit=1").unwrap().json()["revision"].as_i64().unwrap()
    }
}

/// A server that is a program, as JSON.
pub fn server(name: &str) -> Value {
    json!({
        "apiVersion": "agentic.stigmer.ai/v1",
        "kind": "McpServer",
        "metadata": {"name": name},
        "spec": {"stdio": {"command": "true"}},
    })
}

/// A document as YAML text.
pub fn manifest(kind: &str, name: &str, spec: &str) -> String {
    let spec = spec.trim_end().replace('\n', "\n  ");
    format!("apiVersion: agentic.stigmer.ai/v1\nkind: {kind}\nmetadata:\n  name: {name}\nspec:\n  {spec}\n")
}

/// Every file below a directory.
pub fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}
