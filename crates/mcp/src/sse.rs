//! Event streams, read and written: events come out whole or not at all, and none grows beyond its bound.

use bytes::{Bytes, BytesMut};

/// How many bytes an event, or one line of it, may have.
pub const MAX_EVENT: usize = 16 * 1024 * 1024;

const MARK: &[u8] = b"\xef\xbb\xbf";

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Where a broken stream would go on after it.
    pub id: Option<String>,
    /// Its sort; `message` when it has none.
    pub event: Option<String>,
    /// What it says; empty when it only carries an id or a delay.
    pub data: Bytes,
    /// How many milliseconds to wait before connecting again.
    pub retry: Option<u64>,
}

/// An event has more bytes than [`MAX_EVENT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event is longer than {MAX_EVENT} bytes")]
pub struct TooLong;

/// Reads events from chunks, wherever those are cut.
#[derive(Debug, Default)]
pub struct Parser {
    line: BytesMut,
    /// The lines of the event so far; `None` before the first.
    data: Option<BytesMut>,
    event: Option<String>,
    id: Option<String>,
    retry: Option<u64>,
    /// The last chunk ended in CR, which an LF may follow that ends no second line.
    after_return: bool,
    /// The mark at the very beginning was looked for.
    begun: bool,
    failed: bool,
}

impl Parser {
    /// A parser at the beginning of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// The events this chunk completes. After the first failure there are no more.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Vec<Event>, TooLong> {
        if self.failed {
            return Err(TooLong);
        }
        let events = self.read(chunk);
        if events.is_err() {
            *self = Self { failed: true, ..Self::default() };
        }
        events
    }

    fn read(&mut self, mut chunk: &[u8]) -> Result<Vec<Event>, TooLong> {
        let mut events = Vec::new();
        if self.after_return && !chunk.is_empty() {
            self.after_return = false;
            chunk = chunk.strip_prefix(b"\n").unwrap_or(chunk);
        }
        while let Some(end) = memchr::memchr2(b'\r', b'\n', chunk) {
            let (line, rest) = chunk.split_at(end);
            chunk = match rest {
                [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
                [] => rest,
            };
            self.after_return = rest == b"\r";
            if self.line.is_empty() {
                self.line_ends(line, &mut events)?;
            } else {
                self.grow(line)?;
                let line = self.line.split().freeze();
                self.line_ends(&line, &mut events)?;
            }
        }
        self.grow(chunk)?;
        Ok(events)
    }

    fn grow(&mut self, part: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + part.len() > MAX_EVENT {
            return Err(TooLong);
        }
        self.line.extend_from_slice(part);
        Ok(())
    }

    fn line_ends(&mut self, line: &[u8], events: &mut Vec<Event>) -> Result<(), TooLong> {
        let line = if self.begun { line } else { line.strip_prefix(MARK).unwrap_or(line) };
        self.begun = true;
        if line.is_empty() {
            events.extend(self.finish());
            return Ok(());
        }
        let colon = memchr::memchr(b':', line);
        let (name, value) = line.split_at(colon.unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => self.add(value)?,
            b"event" => self.event = Some(String::from_utf8_lossy(value).into_owned()),
            b"id" if !value.contains(&0) => self.id = Some(String::from_utf8_lossy(value).into_owned()),
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                self.retry = std::str::from_utf8(value).ok().and_then(|digits| digits.parse().ok());
            }
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, value: &[u8]) -> Result<(), TooLong> {
        let had = self.data.is_some();
        let data = self.data.get_or_insert_default();
        if data.len() + value.len() + 1 > MAX_EVENT {
            return Err(TooLong);
        }
        if had {
            data.extend_from_slice(b"\n");
        }
        data.extend_from_slice(value);
        Ok(())
    }

    /// The event that an empty line ends, unless nothing was said.
    fn finish(&mut self) -> Option<Event> {
        let said = self.data.is_some() || self.id.is_some() || self.retry.is_some();
        let event = Event {
            id: self.id.take(),
            event: self.event.take(),
            data: self.data.take().unwrap_or_default().freeze(),
            retry: self.retry.take(),
        };
        said.then_some(event)
    }
}

/// An event as it is written on the wire. What would end a line within `id` or `event` is left out.
pub fn encode(event: &Event) -> Bytes {
    let mut out = Vec::with_capacity(event.data.len() + 64);
    let mut field = |name: &str, value: &[u8]| {
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(value);
        out.push(b'\n');
    };
    if let Some(id) = &event.id {
        field("id", clean(id).as_bytes());
    }
    if let Some(sort) = &event.event {
        field("event", clean(sort).as_bytes());
    }
    if let Some(retry) = event.retry {
        field("retry", retry.to_string().as_bytes());
    }
    let mut rest = &event.data[..];
    loop {
        let end = memchr::memchr2(b'\r', b'\n', rest);
        field("data", &rest[..end.unwrap_or(rest.len())]);
        let Some(end) = end else { break };
        rest = if rest[end..].starts_with(b"\r\n") { &rest[end + 2..] } else { &rest[end + 1..] };
    }
    out.push(b'\n');
    Bytes::from(out)
}

fn clean(text: &str) -> String {
    text.chars().filter(|letter| !matches!(letter, '\r' | '\n' | '\0')).collect()
}

#[cfg(test)]
mod tests;
