//! A client that writes until the daemon is gone, and remembers every answer.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::http::Http;
use crate::random::Random;

/// A write the daemon acknowledged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ack {
    /// The server's name.
    pub name: String,
    /// The revision that the answer named.
    pub revision: u64,
}

/// What clients wrote.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) acks: Vec<Ack>,
    /// Writes that were sent and never answered: they may be there or not.
    pub(super) in_doubt: usize,
    /// Answers that were neither success nor silence.
    pub(super) refused: Vec<String>,
}

impl Written {
    pub(super) fn absorb(&mut self, other: Self) {
        self.acks.extend(other.acks);
        self.in_doubt += other.in_doubt;
        self.refused.extend(other.refused);
    }
}

/// The smallest resource worth storing.
pub fn server(name: &str, tags: &[&str]) -> Value {
    let mut spec = json!({"stdio": {"command": "true"}});
    if !tags.is_empty() {
        spec["tags"] = json!(tags);
    }
    json!({
        "apiVersion": "agentic.stigmer.ai/v1",
        "kind": "McpServer",
        "metadata": {"name": name, "scope": "platform"},
        "spec": spec,
    })
}

/// The address of a platform server.
pub(super) fn path(name: &str) -> String {
    format!("/api/v1/mcpservers/{name}?scope=platform")
}

/// The revision of an answer's `ETag`.
pub(super) fn revision(etag: Option<&str>) -> Option<u64> {
    etag?.trim_matches('"').parse().ok()
}

/// Writes servers `PREFIX-1`, `PREFIX-2`, … with short pauses until the connection breaks.
pub(super) fn write_until_gone(mut http: Http, prefix: &str, mut random: Random) -> Written {
    let mut written = Written::default();
    for number in 1.. {
        let name = format!("{prefix}-{number}");
        let Ok(response) = http.put(&path(&name), &server(&name, &[])) else {
            written.in_doubt += 1;
            break;
        };
        match (response.status, revision(response.header("etag"))) {
            (200 | 201, Some(revision)) => written.acks.push(Ack { name, revision }),
            (status, _) => {
                written.refused.push(format!("PUT {name}: status {status}: {}", response.text()));
                break;
            }
        }
        // Bounds what later checks must read, and spreads the kill over all phases of a write.
        thread::sleep(Duration::from_micros(random.below(8_000)));
    }
    written
}
