//! One life of the daemon's process; dropping it kills.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{Error, system};

const ANNOUNCEMENT: &str = "listening on http";

#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    started: Instant,
    // Locked only so that a running daemon can be shared between threads.
    announced: Mutex<Receiver<SocketAddr>>,
}

impl Process {
    /// Starts `binary` with nothing in its environment but what every program needs, and `env`.
    pub(super) fn start(
        binary: &Path,
        args: &[OsString],
        env: &[(OsString, OsString)],
        home: &Path,
        stderr: &Path,
    ) -> Result<Self, Error> {
        let stderr = File::options().create(true).append(true).open(stderr);
        let mut command = Command::new(binary);
        command
            .args(args)
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", home)
            .envs(env.iter().map(|(name, value)| (name, value)))
            .current_dir(home)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(stderr.map_err(system("create stderr.log"))?);
        let started = Instant::now();
        let mut child = command.spawn().map_err(system("start the daemon"))?;
        let (sender, announced) = mpsc::sync_channel(1);
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || follow(stdout, &sender));
        }
        Ok(Self { child, started, announced: Mutex::new(announced) })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Waits for the address; otherwise says what happened instead.
    pub(super) fn listening(&mut self, patience: Duration) -> Result<SocketAddr, String> {
        let announced = self.announced.get_mut().unwrap_or_else(PoisonError::into_inner);
        match announced.recv_timeout(patience) {
            Ok(address) => Ok(address),
            Err(RecvTimeoutError::Timeout) => Err(format!("no `{ANNOUNCEMENT}…` within {patience:?}")),
            Err(RecvTimeoutError::Disconnected) => match self.wait(Duration::from_secs(5)) {
                Some(status) => Err(format!("it ended with {status}")),
                None => Err("it closed its stdout".into()),
            },
        }
    }

    pub(super) fn terminate(mut self, patience: Duration) -> Result<(ExitStatus, Duration), Error> {
        let asked = Instant::now();
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            kill_process(pid, Signal::TERM).map_err(|error| system("signal the daemon")(error.into()))?;
        }
        let status = self.wait(patience).ok_or(Error::StillRunning(patience))?;
        Ok((status, asked.elapsed()))
    }

    fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + patience;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                Ok(None) | Err(_) => return None,
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only for a process that has ended and been waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Passes the announced address on, then drains stdout so that the daemon never blocks on it.
fn follow(stdout: ChildStdout, announced: &mpsc::SyncSender<SocketAddr>) {
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        let url = line.strip_prefix(ANNOUNCEMENT).and_then(|rest| rest.split_once("://"));
        let address = url.and_then(|(_, address)| address.trim_end_matches('/').parse().ok());
        if let Some(address) = address {
            let _ = announced.try_send(address);
        }
    }
}
