//! Server-sent events, one at a time, each wait with a deadline.

use std::io::{self, BufRead, BufReader};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Error;
use super::body::Body;
use super::stream::Stream;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The `id` field.
    pub id: Option<String>,
    /// The `event` field; empty when there was none.
    pub name: String,
    /// The `data` lines, joined.
    pub data: String,
}

impl Event {
    /// The data as JSON.
    ///
    /// # Panics
    /// When it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data)
            .unwrap_or_else(|problem| panic!("event data is not JSON ({problem}): {}", self.data))
    }
}

/// An open event stream.
#[derive(Debug)]
pub struct Events {
    reader: BufReader<Body<BufReader<Stream>>>,
    line: Vec<u8>,
    event: Event,
    filled: bool,
}

impl Events {
    pub(super) fn new(body: Body<BufReader<Stream>>) -> Self {
        Self { reader: BufReader::new(body), line: Vec::new(), event: Event::default(), filled: false }
    }

    /// The next event; `None` when none came within `patience` or the stream ended.
    pub fn next(&mut self, patience: Duration) -> Result<Option<Event>, Error> {
        let deadline = Instant::now() + patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.reader.get_ref().reader().get_ref().set_timeout(left)?;
            match self.reader.read_until(b'\n', &mut self.line) {
                Ok(_) if self.line.last() == Some(&b'\n') => {
                    if let Some(event) = self.take_line() {
                        return Ok(Some(event));
                    }
                }
                Ok(_) => return Ok(None),
                Err(error) if is_end(&error) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Takes in the line just read; an empty one completes the event.
    fn take_line(&mut self) -> Option<Event> {
        let line = String::from_utf8_lossy(&self.line).trim_end_matches(['\n', '\r']).to_owned();
        self.line.clear();
        if line.is_empty() {
            let complete = std::mem::take(&mut self.filled);
            return complete.then(|| std::mem::take(&mut self.event));
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.event.id = Some(value.into()),
            "event" => self.event.name = value.into(),
            "data" if self.event.data.is_empty() => self.event.data = value.into(),
            "data" => {
                self.event.data.push('\n');
                self.event.data.push_str(value);
            }
            _ => return None,
        }
        self.filled = true;
        None
    }
}

fn is_end(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionReset, TimedOut, UnexpectedEof, WouldBlock};
    matches!(error.kind(), ConnectionReset | TimedOut | UnexpectedEof | WouldBlock)
}
