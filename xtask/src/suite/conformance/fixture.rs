//! The server under test; it ends when this is dropped.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

const PATIENCE: Duration = Duration::from_secs(20);

pub(super) struct Fixture {
    process: Child,
    url: String,
}

impl Fixture {
    /// Starts the server on a free port and waits until it says where it listens.
    pub(super) fn start(program: &Path, log: &Path) -> Result<Self> {
        let mut process = Command::new(program)
            .args(["server", "--port", "0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(log)?)
            .spawn()
            .with_context(|| program.display().to_string())?;
        let stdout = process.stdout.take().context("the server has no stdout")?;
        let mut fixture = Self { process, url: String::new() };
        let (sender, lines) = mpsc::sync_channel(1);
        thread::spawn(move || {
            // The first line is the answer; the rest is read so that the server never waits for a reader.
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = sender.try_send(line);
            }
        });
        let line = lines.recv_timeout(PATIENCE).context("the server did not say where it listens")?;
        let url = line.strip_prefix("listening on ");
        url.with_context(|| format!("the server said `{line}`"))?.clone_into(&mut fixture.url);
        Ok(fixture)
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to do.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
