//! What the wire costs, each figure beside what `serde_json` takes for the same bytes in the same run.
//!
//! `wire_figures [--short]`; one row per figure, in the layout of `testkit bench`.

#![expect(clippy::print_stdout, reason = "the table is what it is for")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

mod messages;
mod relay;
mod sessions;

use std::hint::black_box;
use std::time::{Duration, Instant};

use allocation_counter::measure;
use bytes::Bytes;
use mcp::frame::{Reader, Side};
use serde::de::IgnoredAny;
use testkit::bench::Figure;

/// The least share of the reference's speed.
const SHARE: f64 = 0.7;
/// The most allocations for one message that is read, changed and sent on.
const ALLOCATIONS: u64 = 8;

fn main() {
    let short = std::env::args().any(|argument| argument == "--short");
    let rounds = if short { 15 } else { 101 };
    println!("{}", testkit::bench::heading());
    for (name, side, text) in messages::shapes() {
        println!("{}", forwarding(name, side, &text, rounds));
        println!("{}", allocations(name, side, &text));
    }
    println!("{}", relay::allocations());
    println!("{}", sessions::idle(if short { 200 } else { 2_000 }));
}

/// Scan and re-emit with another id, against a reader that only looks whether it is JSON.
fn forwarding(name: &str, side: Side, text: &Bytes, rounds: usize) -> Figure {
    let repeats = (2_000_000 / text.len()).clamp(1, 5_000);
    let mut reader = Reader::new(side);
    let mut ours = Vec::with_capacity(rounds);
    let mut theirs = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        ours.push(time(repeats, || drop(black_box(forward(&mut reader, black_box(text))))));
        theirs.push(time(repeats, || {
            black_box(serde_json::from_slice::<IgnoredAny>(black_box(text)).expect("the text is JSON"));
        }));
    }
    let rate = |times: &mut Vec<Duration>| {
        times.sort();
        (text.len() * repeats) as f64 / times[times.len() / 2].as_secs_f64() / 1e6
    };
    let (ours, theirs) = (rate(&mut ours), rate(&mut theirs));
    let figure = Figure::of_rates(&format!("scan and re-emit, {name} (MB/s)"), ours, ("IgnoredAny", theirs));
    figure.target(">= 0.7 of it", ours / theirs >= SHARE)
}

fn forward(reader: &mut Reader, text: &Bytes) -> Bytes {
    reader.one(text).expect("the text is a message").with_id(b"4711")
}

fn time(repeats: usize, mut work: impl FnMut()) -> Duration {
    let began = Instant::now();
    for _ in 0..repeats {
        work();
    }
    began.elapsed()
}

/// Allocations for one message once the reader is warm.
fn allocations(name: &str, side: Side, text: &Bytes) -> Figure {
    let mut reader = Reader::new(side);
    drop(forward(&mut reader, text));
    let counted = measure(|| drop(black_box(forward(&mut reader, black_box(text))))).count_total;
    let parsed = measure(|| drop(black_box(serde_json::from_slice::<serde_json::Value>(text)))).count_total;
    let figure = Figure {
        name: format!("allocations per message, {name}"),
        measured: counted.to_string(),
        baseline: format!("serde_json::Value {parsed}"),
        ratio: counted as f64 / parsed as f64,
        target: String::new(),
        met: true,
    };
    figure.target("<= 8", counted <= ALLOCATIONS)
}
