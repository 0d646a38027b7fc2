//! The daemon as a child process in a directory of its own, to be killed and restarted at will.

mod process;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use tempfile::TempDir;

use crate::binary;
use crate::http::Http;
use process::Process;

/// Why the daemon could not be driven.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no binary.
    #[error(transparent)]
    Binary(#[from] binary::Missing),
    /// The system refused.
    #[error("cannot {what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// It ended, or stayed silent, before it said where it listens.
    #[error("the daemon did not become ready: {reason}; it wrote:\n{stderr}")]
    NotReady {
        /// What happened instead.
        reason: String,
        /// All it wrote to stderr.
        stderr: String,
    },
    /// It did not end in time.
    #[error("the daemon did not end within {0:?}")]
    StillRunning(Duration),
    /// It is not running.
    #[error("the daemon is not running")]
    NotRunning,
}

fn system(what: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::System { what, source }
}

/// How to start a daemon.
#[derive(Debug)]
pub struct Builder {
    binary: Option<PathBuf>,
    listen: String,
    database: Option<String>,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    patience: Duration,
}

impl Builder {
    /// Uses this binary instead of the one that [`binary::find`] names.
    #[must_use]
    pub fn binary(mut self, path: impl Into<PathBuf>) -> Self {
        self.binary = Some(path.into());
        self
    }

    /// Listens here instead of on a free loopback port.
    #[must_use]
    pub fn listen(mut self, address: impl Into<String>) -> Self {
        self.listen = address.into();
        self
    }

    /// Uses this database instead of SQLite in the data directory.
    #[must_use]
    pub fn database(mut self, url: impl Into<String>) -> Self {
        self.database = Some(url.into());
        self
    }

    /// Adds one argument to `serve`.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds one environment variable to the minimal ones.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// How long a start or an end may take; 30 seconds unless said otherwise.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Makes the directories without starting anything.
    pub fn prepare(self) -> Result<Daemon, Error> {
        let binary = self.binary.map_or_else(binary::find, Ok)?;
        let directory = tempfile::tempdir().map_err(system("create a temporary directory"))?;
        for name in ["home", "data"] {
            DirBuilder::new()
                .mode(0o700)
                .create(directory.path().join(name))
                .map_err(system("create the daemon's directories"))?;
        }
        let mut args: Vec<OsString> = vec!["serve".into(), "--data-dir".into()];
        args.push(directory.path().join("data").into());
        args.extend(["--listen".into(), self.listen.into()]);
        if let Some(url) = self.database {
            args.extend(["--database".into(), url.into()]);
        }
        args.extend(self.args);
        Ok(Daemon {
            binary,
            directory,
            args,
            env: self.env,
            patience: self.patience,
            process: None,
            ready: None,
        })
    }

    /// Starts the daemon in a fresh directory and waits until it listens.
    pub fn start(self) -> Result<Daemon, Error> {
        let mut daemon = self.prepare()?;
        daemon.restart()?;
        Ok(daemon)
    }
}

/// Where a ready daemon listens, and how long it took to get there.
#[derive(Clone, Copy, Debug)]
struct Ready {
    address: SocketAddr,
    after: Duration,
}

/// A daemon with its directory; both are gone when this is dropped.
#[derive(Debug)]
pub struct Daemon {
    binary: PathBuf,
    directory: TempDir,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    patience: Duration,
    process: Option<Process>,
    ready: Option<Ready>,
}

impl Daemon {
    /// Begins to describe a daemon.
    pub fn builder() -> Builder {
        Builder {
            binary: None,
            listen: "127.0.0.1:0".to_owned(),
            database: None,
            args: Vec::new(),
            env: Vec::new(),
            patience: Duration::from_secs(30),
        }
    }

    /// Starts the process and does not wait for it.
    pub fn launch(&mut self) -> Result<(), Error> {
        self.kill9();
        let home = self.directory.path().join("home");
        self.process = Some(Process::start(&self.binary, &self.args, &self.env, &home, &self.stderr_path())?);
        Ok(())
    }

    /// Waits until the launched process says where it listens; returns the time since its launch.
    pub fn wait_ready(&mut self) -> Result<Duration, Error> {
        let process = self.process.as_mut().ok_or(Error::NotRunning)?;
        match process.listening(self.patience) {
            Ok(address) => {
                let after = process.age();
                self.ready = Some(Ready { address, after });
                Ok(after)
            }
            Err(reason) => {
                self.kill9();
                Err(Error::NotReady { reason, stderr: self.stderr() })
            }
        }
    }

    /// Kills what runs, starts again on the same directory and waits; returns the time to ready.
    pub fn restart(&mut self) -> Result<Duration, Error> {
        self.launch()?;
        self.wait_ready()
    }

    /// Ends the process as a power cut would; nothing happens when none runs.
    pub fn kill9(&mut self) {
        self.ready = None;
        self.process = None;
    }

    /// Asks the process to end (SIGTERM) and waits; returns its status and how long it took.
    pub fn terminate(&mut self) -> Result<(ExitStatus, Duration), Error> {
        self.ready = None;
        self.process.take().ok_or(Error::NotRunning)?.terminate(self.patience)
    }

    /// Where it listens.
    ///
    /// # Panics
    /// When it is not ready: a test that asks too early is wrong.
    pub fn address(&self) -> SocketAddr {
        self.ready.expect("the daemon is ready").address
    }

    /// The address as a URL without a final slash.
    pub fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// How long the last start took.
    pub fn ready_after(&self) -> Option<Duration> {
        self.ready.map(|ready| ready.after)
    }

    /// The process id while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(Process::id)
    }

    /// The binary it runs.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// The data directory.
    pub fn data_dir(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    /// The Unix socket of the CLI.
    pub fn socket(&self) -> PathBuf {
        self.data_dir().join("outfitter.sock")
    }

    /// The operator's token, which the first start writes.
    pub fn token(&self) -> Result<String, Error> {
        let text = fs::read_to_string(self.data_dir().join("operator.token"));
        Ok(text.map_err(system("read operator.token"))?.trim().to_owned())
    }

    /// A client with the operator's token.
    pub fn http(&self) -> Result<Http, Error> {
        Ok(Http::tcp(self.address()).bearer(&self.token()?))
    }

    /// All that it wrote to stderr, over all its lives.
    pub fn stderr(&self) -> String {
        fs::read_to_string(self.stderr_path()).unwrap_or_default()
    }

    fn stderr_path(&self) -> PathBuf {
        self.directory.path().join("stderr.log")
    }
}
