//! Kills the daemon over and over while clients write, and checks that nothing acknowledged is lost.

mod audit;
mod client;
mod report;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crate::daemon::{self, Daemon};
use crate::http::{self, Http};
use crate::outfitter::{self, Outfitter};
use crate::postgres::Postgres;
use crate::random::Random;
use client::Written;
pub use client::{Ack, server};
pub use report::Report;

/// Which database is tortured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Database {
    /// SQLite in the data directory.
    Sqlite,
    /// A database of the disposable PostgreSQL cluster.
    Postgres,
}

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// How often to kill.
    pub kills: usize,
    /// On which database.
    pub database: Database,
    /// The binary; found by itself when `None`.
    pub binary: Option<PathBuf>,
    /// How many clients write at the same time.
    pub clients: usize,
    /// Repeats the same pauses.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { kills: 1000, database: Database::Sqlite, binary: None, clients: 4, seed: 1 }
    }
}

/// Why the torture itself could not go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The daemon did not start again.
    #[error(transparent)]
    Daemon(#[from] daemon::Error),
    /// A check could not be asked.
    #[error(transparent)]
    Http(#[from] http::Error),
    /// The offline check could not be run.
    #[error(transparent)]
    Doctor(#[from] outfitter::Error),
}

/// A directory is left behind after so many kills, to keep its history small enough to check as a whole.
const KILLS_PER_DIRECTORY: usize = 50;
/// So many kills of each directory hit its very first start, in the middle of the migrations.
const INTERRUPTED_STARTS: usize = 3;

/// Tortures until all kills are spent; faults are in the report, not in the error.
pub fn run(options: &Options) -> Result<Report, Error> {
    run_watched(options, |_| ())
}

/// Like [`run`], and shows the report so far whenever a directory is done with.
pub fn run_watched(options: &Options, mut watch: impl FnMut(&Report)) -> Result<Report, Error> {
    let mut report = Report::default();
    let mut random = Random::seeded(options.seed);
    while report.kills < options.kills {
        let kills = KILLS_PER_DIRECTORY.min(options.kills - report.kills);
        Victim::new(options)?.torture(kills, &mut random, &mut report)?;
        watch(&report);
    }
    Ok(report)
}

/// One directory with its daemon and all that was ever acknowledged in it.
struct Victim<'a> {
    options: &'a Options,
    daemon: Daemon,
    doctor: Option<Outfitter>,
    written: Written,
    lives: usize,
}

impl<'a> Victim<'a> {
    fn new(options: &'a Options) -> Result<Self, Error> {
        let mut builder = Daemon::builder();
        if let Some(binary) = &options.binary {
            builder = builder.binary(binary);
        }
        if options.database == Database::Postgres {
            builder = builder.database(Postgres::shared().database());
        }
        let daemon = builder.prepare()?;
        let doctor = match options.database {
            Database::Sqlite => Some(Outfitter::with_binary(daemon.binary())?),
            Database::Postgres => None,
        };
        Ok(Self { options, daemon, doctor, written: Written::default(), lives: 0 })
    }

    fn torture(&mut self, kills: usize, random: &mut Random, report: &mut Report) -> Result<(), Error> {
        let interrupted = INTERRUPTED_STARTS.min(kills);
        for _ in 0..interrupted {
            self.daemon.launch()?;
            thread::sleep(random.mostly_short(Duration::ZERO, Duration::from_millis(80)));
            self.daemon.kill9();
            report.kills += 1;
        }
        report.restarts.push(self.daemon.restart()?);
        for _ in interrupted..kills {
            let pause = random.mostly_short(Duration::from_millis(5), Duration::from_millis(500));
            self.live_and_die(pause, random.bits())?;
            report.kills += 1;
            self.check_integrity(report)?;
            report.restarts.push(self.daemon.restart()?);
            audit::every_ack_is_readable(&self.client()?, self.options.clients, &self.written.acks, report)?;
        }
        audit::the_history_is_whole(&self.client()?, &self.written.acks, report)?;
        report.close(&self.written);
        Ok(())
    }

    /// Clients write until the daemon is killed under them, after `pause`.
    fn live_and_die(&mut self, pause: Duration, seed: u64) -> Result<(), Error> {
        self.lives += 1;
        let life = self.lives;
        let http = self.client()?;
        thread::scope(|scope| {
            let clients: Vec<_> = (0..self.options.clients)
                .map(|number| {
                    let http = http();
                    let random = Random::seeded(seed.wrapping_add(number as u64));
                    scope.spawn(move || client::write_until_gone(http, &format!("s{life}-{number}"), random))
                })
                .collect();
            thread::sleep(pause);
            self.daemon.kill9();
            for client in clients {
                self.written.absorb(client.join().unwrap_or_default());
            }
        });
        Ok(())
    }

    /// A maker of fresh clients of the running daemon.
    fn client(&self) -> Result<impl Fn() -> Http + Sync + use<>, Error> {
        let (address, token) = (self.daemon.address(), self.daemon.token()?);
        Ok(move || Http::tcp(address).bearer(&token))
    }

    fn check_integrity(&self, report: &mut Report) -> Result<(), Error> {
        let Some(doctor) = &self.doctor else { return Ok(()) };
        let data = self.daemon.data_dir();
        let output = doctor.run(["doctor".as_ref(), "--data-dir".as_ref(), data.as_os_str()])?;
        if output.code != Some(0) {
            let said = format!("{}{}", output.stdout, output.stderr);
            report.fault(format!("doctor after kill {}: code {:?}: {said}", report.kills, output.code));
        }
        Ok(())
    }
}
