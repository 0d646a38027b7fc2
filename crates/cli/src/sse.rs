//! Server-sent events out of a byte stream, whatever pieces it arrives in.

/// Longest event that is read.
const MAX_EVENT: usize = 64 * 1024 * 1024;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    pub id: String,
    pub name: String,
    pub data: String,
}

/// An event that is longer than anything the daemon sends.
#[derive(Debug, thiserror::Error)]
#[error("an event is longer than 64 MiB")]
pub struct TooLong;

/// What arrived and is not yet an event.
#[derive(Default)]
pub struct Events {
    pending: Vec<u8>,
    event: Event,
}

impl Events {
    /// Takes a piece, and gives the events that it completes.
    pub fn feed(&mut self, piece: &[u8]) -> Result<Vec<Event>, TooLong> {
        let mut complete = Vec::new();
        self.pending.extend_from_slice(piece);
        if self.pending.len() + self.event.data.len() > MAX_EVENT {
            return Err(TooLong);
        }
        let mut start = 0;
        while let Some(length) = self.pending[start..].iter().position(|byte| *byte == b'\n') {
            let line = String::from_utf8_lossy(&self.pending[start..start + length]).into_owned();
            start += length + 1;
            if let Some(event) = self.line(line.trim_end_matches('\r')) {
                complete.push(event);
            }
        }
        self.pending.drain(..start);
        Ok(complete)
    }

    fn line(&mut self, line: &str) -> Option<Event> {
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return (event != Event::default()).then_some(event);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => value.clone_into(&mut self.event.id),
            "event" => value.clone_into(&mut self.event.name),
            "data" => {
                if !self.event.data.is_empty() {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Events};

    #[test]
    fn events_are_found_whatever_the_pieces() {
        let text =
            b": hello\n\nid: 5.0\nevent: put\ndata: {\"a\":\ndata: 1}\r\n\r\nid: 6\nevent: bookmark\n\n";
        for size in [1, 3, 7, text.len()] {
            let mut events = Events::default();
            let found: Vec<Event> = text.chunks(size).flat_map(|piece| events.feed(piece).unwrap()).collect();
            assert_eq!(found.len(), 2, "in pieces of {size}");
            assert_eq!(found[0], Event { id: "5.0".into(), name: "put".into(), data: "{\"a\":\n1}".into() });
            assert_eq!((found[1].id.as_str(), found[1].name.as_str()), ("6", "bookmark"));
        }
    }

    #[test]
    fn a_large_event_is_read_and_an_endless_one_is_not() {
        let mut events = Events::default();
        let piece = vec![b'x'; 20 * 1024 * 1024];
        for _ in 0..3 {
            assert!(events.feed(&piece).unwrap().is_empty());
        }
        assert!(events.feed(&piece).is_err());
    }
}
