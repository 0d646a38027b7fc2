//! Durable single writes: one client against the bare disk, and many clients against one.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::daemon::Daemon;

use super::wire::Wire;
use super::{Error, Figure, Options};

/// Threads that drive the crowd: enough to keep every connection busy, few enough to leave the cores to the daemon.
const DRIVERS: usize = 4;
const CONNECTIONS_PER_DRIVER: usize = 16;

/// Disk, one client and the crowd take turns, so that other users of the disk disturb all three alike.
const TURNS: u32 = 6;

/// Both figures, from one daemon.
pub(super) fn durable(options: &Options) -> Result<Vec<Figure>, Error> {
    let daemon = options.daemon().start()?;
    let long = options.choose(Duration::from_secs(3), Duration::from_millis(600)) / TURNS;
    let mut bare = BareDisk::open(&daemon.data_dir())?;
    let mut single = Wire::connect(&daemon, "one".into())?;
    let mut crowd = crowd(&daemon)?;
    let (mut disk_rate, mut single_rate, mut crowd_rate) =
        (Rate::default(), Rate::default(), Rate::default());
    for _ in 0..TURNS {
        disk_rate.measure(|| bare.append_until(Instant::now() + long * 2 / 3))?;
        single_rate.measure(|| one_client(&mut single, Instant::now() + long))?;
        crowd_rate.measure(|| many_clients(&mut crowd, Instant::now() + long))?;
    }
    let [disk, one, many] = [disk_rate, single_rate, crowd_rate].map(|rate| rate.per_second());
    let alone = Figure::of_rates("durable writes, 1 client", one, ("4 KiB + fdatasync", disk));
    let together = Figure::of_rates("durable writes, 64 clients", many, ("1 client", one));
    let (alone_met, together_met) = (alone.ratio >= 0.4, together.ratio >= 8.0);
    Ok(vec![alone.target("ratio >= 0.4", alone_met), together.target("ratio >= 8", together_met)])
}

/// Things done over the time they took.
#[derive(Default)]
struct Rate {
    count: u32,
    time: Duration,
}

impl Rate {
    fn measure(&mut self, work: impl FnOnce() -> Result<u32, Error>) -> Result<(), Error> {
        let began = Instant::now();
        self.count += work()?;
        self.time += began.elapsed();
        Ok(())
    }

    fn per_second(&self) -> f64 {
        f64::from(self.count) / self.time.as_secs_f64()
    }
}

/// Appends of 4 KiB, each followed by fdatasync, where the daemon keeps its own files.
struct BareDisk {
    file: File,
}

impl BareDisk {
    fn open(directory: &Path) -> Result<Self, Error> {
        Ok(Self { file: File::create(directory.join("bench.raw"))? })
    }

    fn append_until(&mut self, deadline: Instant) -> Result<u32, Error> {
        let mut count = 0;
        while Instant::now() < deadline {
            self.file.write_all(&[0x5a; 4096])?;
            self.file.sync_data()?;
            count += 1;
        }
        Ok(count)
    }
}

fn one_client(wire: &mut Wire, deadline: Instant) -> Result<u32, Error> {
    let mut count = 0;
    while Instant::now() < deadline {
        wire.put()?;
        wire.written()?;
        count += 1;
    }
    Ok(count)
}

/// The connections of each driver.
fn crowd(daemon: &Daemon) -> Result<Vec<Vec<Wire>>, Error> {
    let wire = |driver, number| Wire::connect(daemon, format!("crowd-{driver}-{number}"));
    (0..DRIVERS)
        .map(|driver| (0..CONNECTIONS_PER_DRIVER).map(|number| wire(driver, number)).collect())
        .collect()
}

fn many_clients(crowd: &mut [Vec<Wire>], deadline: Instant) -> Result<u32, Error> {
    let counts: Vec<Result<u32, Error>> = thread::scope(|scope| {
        let drivers: Vec<_> =
            crowd.iter_mut().map(|wires| scope.spawn(move || drive(wires, deadline))).collect();
        drivers.into_iter().filter_map(|driver| driver.join().ok()).collect()
    });
    counts.into_iter().sum()
}

/// Serves each connection in turn: takes its answer and sends its next request.
fn drive(wires: &mut [Wire], deadline: Instant) -> Result<u32, Error> {
    let mut count = 0;
    for wire in wires.iter_mut() {
        wire.put()?;
    }
    while Instant::now() < deadline {
        for wire in wires.iter_mut() {
            wire.written()?;
            count += 1;
            wire.put()?;
        }
    }
    for wire in wires {
        wire.written()?;
        count += 1;
    }
    Ok(count)
}
