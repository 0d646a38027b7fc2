//! A page of a large store must cost what a page of a small one does.

use std::time::{Duration, Instant};

use crate::daemon::Daemon;
use crate::http::Http;
use crate::samples::Samples;

use super::{Error, Figure, Options, apply, servers};

const PAGE: usize = 50;
const MATCHES: usize = 100;
const BATCH: usize = 10_000;
const QUERY: &str = "/api/v1/mcpservers?tag=chosen&limit=50";

/// The first page by tag from 100,000 servers, against the same from 1,000 with as many matches.
pub(super) fn by_tag(options: &Options) -> Result<Vec<Figure>, Error> {
    let count = options.choose(100_000, 10_000);
    let rounds = options.choose(300, 50);
    let (small, large) = (filled(options, 1_000)?, filled(options, count)?);
    let (mut small_http, mut large_http) = (small.http()?, large.http()?);
    let (mut baseline, mut measured) = (Samples::default(), Samples::default());
    // In turns, so that whatever else the machine does disturbs both alike.
    for round in 0..rounds {
        let (from_small, from_large) = (page(&mut small_http)?, page(&mut large_http)?);
        // The first answers pay for cold caches.
        if round >= rounds / 10 {
            baseline.push(from_small);
            measured.push(from_large);
        }
    }
    let name = format!("page of {PAGE} by tag from {count}, median");
    let figure = Figure::of_times(&name, measured.median(), ("from 1000", baseline.median()));
    let met = figure.ratio <= 2.0;
    Ok(vec![figure.target("ratio <= 2", met)])
}

/// A daemon with `count` servers, of which [`MATCHES`] are tagged.
fn filled(options: &Options, count: usize) -> Result<Daemon, Error> {
    let daemon = options.daemon().start()?;
    let mut http = daemon.http()?.timeout(Duration::from_mins(2));
    for first in (0..count).step_by(BATCH) {
        let size = BATCH.min(count - first);
        let body = servers(&format!("page-{first}"), size, count / MATCHES);
        apply(&mut http, body.to_string())?;
    }
    Ok(daemon)
}

/// The time of one page, which must be full.
fn page(http: &mut Http) -> Result<Duration, Error> {
    let began = Instant::now();
    let response = http.get(QUERY)?;
    let took = began.elapsed();
    let servers = response.text().matches("\"metadata\"").count();
    if response.status != 200 || servers != PAGE {
        let what = format!("GET {QUERY} answered {} with {servers} servers, not {PAGE}", response.status);
        return Err(Error::Unexpected(what));
    }
    Ok(took)
}
