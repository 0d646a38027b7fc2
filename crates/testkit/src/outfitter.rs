//! The command line under test: runs the binary in a home of its own and returns what it did.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::binary;

/// Why a command could not be run at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no binary.
    #[error(transparent)]
    Binary(#[from] binary::Missing),
    /// The system refused.
    #[error("cannot run the command: {0}")]
    System(#[from] io::Error),
    /// It did not end.
    #[error("the command did not end within {0:?}")]
    StillRunning(Duration),
}

/// What a command did, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
    /// Its exit code; `None` when a signal ended it.
    pub code: Option<i32>,
}

/// A person's home with the binary at hand.
#[derive(Debug)]
pub struct Outfitter {
    binary: PathBuf,
    home: TempDir,
}

impl Outfitter {
    /// A fresh home with the binary that [`binary::find`] names.
    pub fn new() -> Result<Self, Error> {
        Self::with_binary(binary::find()?)
    }

    /// A fresh home with this binary.
    pub fn with_binary(binary: impl Into<PathBuf>) -> Result<Self, Error> {
        Ok(Self { binary: binary.into(), home: tempfile::tempdir()? })
    }

    /// The home directory, also the working directory unless an invocation says otherwise.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Runs `outfitter ARGS…` with nothing on stdin.
    pub fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Result<Output, Error> {
        self.invocation(args).run()
    }

    /// Begins to describe a run of `outfitter ARGS…`.
    pub fn invocation<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Invocation {
        let mut command = Command::new(&self.binary);
        command
            .args(args)
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .current_dir(self.home());
        Invocation { command, stdin: Vec::new(), patience: Duration::from_mins(1) }
    }
}

/// One run of the binary.
#[derive(Debug)]
pub struct Invocation {
    command: Command,
    stdin: Vec<u8>,
    patience: Duration,
}

impl Invocation {
    /// What it reads on stdin.
    #[must_use]
    pub fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.stdin = input.into();
        self
    }

    /// Adds one environment variable to PATH and HOME.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.command.env(name.into(), value.into());
        self
    }

    /// Runs in this directory instead of the home.
    #[must_use]
    pub fn cwd(mut self, directory: impl AsRef<Path>) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// Gives up after this time instead of a minute.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Runs to the end.
    pub fn run(mut self) -> Result<Output, Error> {
        let mut child =
            self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let stdout = collect(child.stdout.take());
        let stderr = collect(child.stderr.take());
        if let Some(mut stdin) = child.stdin.take() {
            let input = std::mem::take(&mut self.stdin);
            // A command may end without reading its input; that is no failure of the run.
            thread::spawn(move || stdin.write_all(&input).ok());
        }
        let code = wait(&mut child, self.patience)?;
        Ok(Output { stdout: text(stdout), stderr: text(stderr), code })
    }
}

fn wait(child: &mut Child, patience: Duration) -> Result<Option<i32>, Error> {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            return Err(Error::StillRunning(patience));
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What came before a broken pipe is still worth showing.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn text(collected: JoinHandle<Vec<u8>>) -> String {
    String::from_utf8_lossy(&collected.join().unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_returns_both_streams_and_the_code() {
        let shell = Outfitter::with_binary("/bin/sh").unwrap();
        let output = shell
            .invocation(["-c", "cat; echo $EXTRA >&2; exit 4"])
            .stdin("in")
            .env("EXTRA", "e")
            .run()
            .unwrap();
        assert_eq!(output, Output { stdout: "in".into(), stderr: "e\n".into(), code: Some(4) });
    }

    #[test]
    fn a_run_starts_in_a_home_of_its_own() {
        let shell = Outfitter::with_binary("/bin/sh").unwrap();
        let output = shell.run(["-c", "pwd; echo $HOME"]).unwrap();
        let home = shell.home().display();
        assert_eq!(output.stdout, format!("{home}\n{home}\n"));
    }

    #[test]
    fn a_command_that_never_ends_is_given_up() {
        let shell = Outfitter::with_binary("/bin/sh").unwrap();
        let outcome = shell.invocation(["-c", "exec sleep 60"]).patience(Duration::from_millis(50)).run();
        assert!(matches!(outcome, Err(Error::StillRunning(_))));
    }
}
