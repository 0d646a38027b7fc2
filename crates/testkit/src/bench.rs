//! Measures the binary against what the same machine can do at the same time.

mod batch;
mod figure;
mod latency;
mod pages;
mod rights;
mod start;
mod wire;
mod writes;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::daemon::{self, Daemon};
use crate::http::{self, Http, Request};
use crate::outfitter;
use crate::torture;
pub use figure::{Figure, heading};

/// What to measure.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Fewer repetitions and smaller stores: shows that the benchmark works, not how fast anything is.
    pub short: bool,
    /// The binary; found by itself when `None`.
    pub binary: Option<PathBuf>,
}

impl Options {
    /// The long form's value, or the short form's.
    fn choose<T>(&self, long: T, short: T) -> T {
        if self.short { short } else { long }
    }

    fn daemon(&self) -> daemon::Builder {
        let builder = Daemon::builder().patience(Duration::from_mins(1));
        match &self.binary {
            Some(binary) => builder.binary(binary),
            None => builder,
        }
    }
}

/// Why a figure could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The daemon could not be driven.
    #[error(transparent)]
    Daemon(#[from] daemon::Error),
    /// A command could not be run.
    #[error(transparent)]
    Command(#[from] outfitter::Error),
    /// A request failed.
    #[error(transparent)]
    Http(#[from] http::Error),
    /// The system refused.
    #[error("system: {0}")]
    System(#[from] io::Error),
    /// The daemon answered something that makes the figure worthless.
    #[error("{0}")]
    Unexpected(String),
}

type Measurement = fn(&Options) -> Result<Vec<Figure>, Error>;

const MEASUREMENTS: &[Measurement] = &[
    start::ready,
    start::memory,
    batch::apply,
    writes::durable,
    pages::by_tag,
    rights::filtered_page,
    rights::can_i,
    latency::commit_to_watch,
];

/// Takes every figure and writes the table, row by row as they come; a missed target is no error.
pub fn run(options: &Options, out: &mut impl Write) -> Result<Vec<Figure>, Error> {
    writeln!(out, "{}", heading())?;
    let mut figures = Vec::new();
    for measure in MEASUREMENTS {
        for figure in measure(options)? {
            writeln!(out, "{figure}")?;
            figures.push(figure);
        }
        out.flush()?;
    }
    Ok(figures)
}

/// `count` servers in one document; every `every`th has the tag `chosen`.
fn servers(prefix: &str, count: usize, every: usize) -> Value {
    let resources: Vec<Value> = (0..count)
        .map(|number| {
            let tags: &[&str] = if number % every == 0 { &["chosen", "bench"] } else { &["bench"] };
            torture::server(&format!("{prefix}-{number}"), tags)
        })
        .collect();
    json!({ "resources": resources })
}

fn apply(http: &mut Http, body: String) -> Result<(), Error> {
    let response = http.send(&Request::new("POST", "/api/v1/apply").body("application/json", body))?;
    if !matches!(response.status, 200 | 201) {
        let said: String = response.text().chars().take(400).collect();
        return Err(Error::Unexpected(format!("apply answered {}: {said}", response.status)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_named_in_order_and_tagged_in_steps() {
        let document = servers("p", 5, 2);
        let resources = document["resources"].as_array().unwrap();
        let tagged: Vec<_> = resources
            .iter()
            .filter(|resource| resource["spec"]["tags"][0] == "chosen")
            .map(|resource| resource["metadata"]["name"].as_str().unwrap())
            .collect();
        assert_eq!(tagged, ["p-0", "p-2", "p-4"]);
    }
}
