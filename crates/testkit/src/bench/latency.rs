//! How long after a write its event reaches a watcher.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::http::{Events, Request};
use crate::samples::Samples;
use crate::torture::server;

use super::{Error, Figure, Options};

const PATIENCE: Duration = Duration::from_secs(10);

/// From a write's answer, and from its start, to its event; against a round trip over loopback.
pub(super) fn commit_to_watch(options: &Options) -> Result<Vec<Figure>, Error> {
    let rounds = options.choose(500, 50);
    let baseline = loopback(rounds)?;
    let daemon = options.daemon().start()?;
    let mut http = daemon.http()?;
    let events = http.events(&Request::new("GET", "/api/v1/watch?from=0"))?;
    let (sender, arrivals) = mpsc::channel();
    // Ends when the daemon does, or when nobody listens any more.
    thread::spawn(move || follow(events, &sender));
    let (mut from_answer, mut from_start) = (Samples::default(), Samples::default());
    for round in 0..rounds {
        let name = format!("watched-{round}");
        let began = Instant::now();
        let status =
            http.put(&format!("/api/v1/mcpservers/{name}?scope=platform"), &server(&name, &[]))?.status;
        let answered = Instant::now();
        if !matches!(status, 200 | 201) {
            return Err(Error::Unexpected(format!("PUT {name} answered {status}")));
        }
        let arrived = loop {
            let (seen, at) = arrivals
                .recv_timeout(PATIENCE)
                .map_err(|_| Error::Unexpected(format!("no event for {name} within {PATIENCE:?}")))?;
            if seen == name {
                break at;
            }
        };
        from_answer.push(arrived.saturating_duration_since(answered));
        from_start.push(arrived.saturating_duration_since(began));
    }
    let p50 = from_answer.median();
    let mut committed = Figure::of_times("answer to event, p50", p50, ("loopback round trip", baseline));
    if p50.is_zero() {
        committed.measured = "event first".into();
    }
    let whole =
        Figure::of_times("write to event, p50", from_start.median(), ("loopback round trip", baseline));
    Ok(vec![committed.target("< 5 ms", p50 < Duration::from_millis(5)), whole])
}

fn follow(mut events: Events, arrivals: &Sender<(String, Instant)>) {
    while let Ok(Some(event)) = events.next(PATIENCE) {
        let at = Instant::now();
        if event.name != "put" {
            continue;
        }
        let name = event.json()["resource"]["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        if arrivals.send((name, at)).is_err() {
            return;
        }
    }
}

/// The median round trip of one byte between two threads.
fn loopback(rounds: usize) -> Result<Duration, Error> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut near = TcpStream::connect(listener.local_addr()?)?;
    let (mut far, _) = listener.accept()?;
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    let echo = thread::spawn(move || {
        let mut byte = [0];
        while far.read_exact(&mut byte).and_then(|()| far.write_all(&byte)).is_ok() {}
    });
    let mut samples = Samples::default();
    let mut byte = [1];
    for _ in 0..rounds {
        let began = Instant::now();
        near.write_all(&byte)?;
        near.read_exact(&mut byte)?;
        samples.push(began.elapsed());
    }
    drop(near);
    // The echo ends with its connection, and has nothing to report.
    let _ = echo.join();
    Ok(samples.median())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loopback_round_trip_takes_some_time() {
        assert!(loopback(10).unwrap() > Duration::ZERO);
    }
}
