//! One document of many servers.

use std::time::Instant;

use serde_json::Value;

use crate::samples::Samples;

use super::{Error, Figure, Options, apply as send, servers};

/// Applies 10,000 servers in one request, against parsing the same body; the median of three.
pub(super) fn apply(options: &Options) -> Result<Vec<Figure>, Error> {
    let count: u32 = options.choose(10_000, 2_000);
    let daemon = options.daemon().start()?;
    let mut http = daemon.http()?;
    let (mut parsing, mut applying) = (Samples::default(), Samples::default());
    for round in 0..3 {
        let body = servers(&format!("batch-{round}"), count as usize, 10).to_string();
        let began = Instant::now();
        let parsed: Value =
            serde_json::from_str(&body).map_err(|error| Error::Unexpected(error.to_string()))?;
        parsing.push(began.elapsed());
        drop(parsed);
        let began = Instant::now();
        send(&mut http, body)?;
        applying.push(began.elapsed());
    }
    let rate = f64::from(count) / applying.median().as_secs_f64();
    let baseline = f64::from(count) / parsing.median().as_secs_f64();
    let figure =
        Figure::of_rates(&format!("apply {count} servers at once"), rate, ("serde_json parses", baseline));
    Ok(vec![figure.target(">= 10000/s", rate >= 10_000.0)])
}
