//! What must hold after a restart: every acknowledged write is readable, and the history has no gap.

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use crate::http::{Events, Http, Request};

use super::Error;
use super::client::{Ack, path, revision};
use super::report::Report;

/// Reads every acknowledged server and compares its revision.
pub(super) fn every_ack_is_readable(
    client: &(impl Fn() -> Http + Sync),
    clients: usize,
    acks: &[Ack],
    report: &mut Report,
) -> Result<(), Error> {
    let share = acks.len().div_ceil(clients.max(1)).max(1);
    let found: Vec<Result<Vec<String>, Error>> = thread::scope(|scope| {
        let readers: Vec<_> =
            acks.chunks(share).map(|acks| scope.spawn(move || missing(client(), acks))).collect();
        readers.into_iter().filter_map(|reader| reader.join().ok()).collect()
    });
    for lost in found {
        report.lost.extend(lost?);
    }
    Ok(())
}

fn missing(mut http: Http, acks: &[Ack]) -> Result<Vec<String>, Error> {
    let mut lost = Vec::new();
    for ack in acks {
        let response = http.get(&path(&ack.name))?;
        let found = revision(response.header("etag"));
        if response.status != 200 || found != Some(ack.revision) {
            lost.push(format!(
                "{} at {}: status {}, revision {found:?}",
                ack.name, ack.revision, response.status
            ));
        }
    }
    Ok(lost)
}

/// Watches from the beginning and compares with what was acknowledged.
pub(super) fn the_history_is_whole(
    client: &(impl Fn() -> Http + Sync),
    acks: &[Ack],
    report: &mut Report,
) -> Result<(), Error> {
    let Some(last) = acks.iter().map(|ack| ack.revision).max() else { return Ok(()) };
    let mut events = client().events(&Request::new("GET", "/api/v1/watch?from=0"))?;
    let history = read_history(&mut events, last)?;
    for fault in faults(&history, acks) {
        report.fault(fault);
    }
    Ok(())
}

/// One event: its place in the history, and the server it stores.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) revision: u64,
    pub(super) ordinal: u64,
    pub(super) name: Option<String>,
}

/// Reads until the history is past `last`, or quiet after having reached it.
fn read_history(events: &mut Events, last: u64) -> Result<Vec<Entry>, Error> {
    let mut history: Vec<Entry> = Vec::new();
    loop {
        let reached = history.last().is_some_and(|entry| entry.revision >= last);
        let patience = if reached { Duration::from_millis(100) } else { Duration::from_secs(10) };
        let Some(event) = events.next(patience)? else { return Ok(history) };
        let place = event.id.as_deref().and_then(|id| id.split_once('.'));
        let place =
            place.and_then(|(revision, ordinal)| Some((revision.parse().ok()?, ordinal.parse().ok()?)));
        // Heartbeats and markers carry no place in the history.
        let (Some((revision, ordinal)), "put" | "delete") = (place, event.name.as_str()) else { continue };
        let name = (event.name == "put")
            .then(|| event.json()["resource"]["metadata"]["name"].as_str().map(Into::into));
        history.push(Entry { revision, ordinal, name: name.flatten() });
    }
}

/// Everything wrong with the history: order, gaps, and writes that are missing or come twice.
pub(super) fn faults(history: &[Entry], acks: &[Ack]) -> Vec<String> {
    let mut faults = Vec::new();
    for pair in history.windows(2) {
        let (before, after) = ((pair[0].revision, pair[0].ordinal), (pair[1].revision, pair[1].ordinal));
        if after <= before {
            faults.push(format!("watch: {after:?} comes after {before:?}"));
        } else if after.0 > before.0 + 1 {
            faults.push(format!("watch: no event between revisions {} and {}", before.0, after.0));
        }
    }
    let mut seen: HashMap<(&str, u64), usize> = HashMap::new();
    for entry in history {
        if let Some(name) = &entry.name {
            *seen.entry((name, entry.revision)).or_default() += 1;
        }
    }
    for ack in acks {
        let times = seen.get(&(ack.name.as_str(), ack.revision)).copied().unwrap_or_default();
        if times != 1 {
            faults.push(format!("watch: {} at {} came {times} times", ack.name, ack.revision));
        }
    }
    faults
}
