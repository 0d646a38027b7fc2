//! How soon the daemon is ready, and how little it needs when idle.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::outfitter::Outfitter;
use crate::samples::Samples;

use super::{Error, Figure, Options};

/// From launch to the listening line on an empty directory, against starting the same program to print its version.
pub(super) fn ready(options: &Options) -> Result<Vec<Figure>, Error> {
    let (mut measured, mut baseline) = (Samples::default(), Samples::default());
    for _ in 0..options.choose(20, 5) {
        let daemon = options.daemon().start()?;
        measured.push(daemon.ready_after().unwrap_or_default());
        let shell = Outfitter::with_binary(daemon.binary())?;
        let began = Instant::now();
        let output = shell.run(["--version"])?;
        baseline.push(began.elapsed());
        if output.code != Some(0) {
            return Err(Error::Unexpected(format!("`outfitter --version` ended with {:?}", output.code)));
        }
    }
    let median = measured.median();
    let figure =
        Figure::of_times("ready on an empty directory, median", median, ("--version", baseline.median()));
    Ok(vec![figure.target("<= 150 ms", median <= Duration::from_millis(150))])
}

/// Resident memory two seconds after the start, against `cat`.
pub(super) fn memory(options: &Options) -> Result<Vec<Figure>, Error> {
    const LIMIT_KIB: u32 = 30 * 1024;
    let daemon = options.daemon().start()?;
    thread::sleep(Duration::from_secs(2));
    let measured = resident_kib(daemon.pid().unwrap_or_default())?;
    let mut cat = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    thread::sleep(Duration::from_millis(100));
    let baseline = resident_kib(cat.id());
    cat.kill()?;
    cat.wait()?;
    let baseline = baseline?;
    let figure = Figure {
        name: "idle memory after 2 s (VmRSS)".into(),
        measured: format!("{:.1} MiB", f64::from(measured) / 1024.0),
        baseline: format!("cat {:.1} MiB", f64::from(baseline) / 1024.0),
        ratio: f64::from(measured) / f64::from(baseline),
        target: String::new(),
        met: true,
    };
    Ok(vec![figure.target("<= 30 MiB", measured <= LIMIT_KIB)])
}

fn resident_kib(pid: u32) -> Result<u32, Error> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    parse_resident(&status).ok_or_else(|| Error::Unexpected(format!("no VmRSS for process {pid}")))
}

fn parse_resident(status: &str) -> Option<u32> {
    status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_read_from_the_status_file() {
        assert_eq!(parse_resident("Name:\tx\nVmRSS:\t   5120 kB\nThreads:\t1\n"), Some(5120));
        assert_eq!(parse_resident("Name:\tzombie\n"), None);
        assert!(resident_kib(std::process::id()).unwrap() > 100);
    }
}
