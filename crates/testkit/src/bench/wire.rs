//! A client that costs next to nothing, so that on few cores the daemon is measured and not its caller.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::daemon::Daemon;

use super::Error;

/// One connection with at most one outstanding request.
pub(super) struct Wire {
    stream: TcpStream,
    fixed: String,
    prefix: String,
    sent: usize,
    buffer: Vec<u8>,
}

impl Wire {
    /// A connection that writes servers `PREFIX-1`, `PREFIX-2` and so on.
    pub(super) fn connect(daemon: &Daemon, prefix: String) -> Result<Self, Error> {
        let stream = TcpStream::connect(daemon.address())?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let fixed = format!(
            " HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n",
            daemon.address(),
            daemon.token()?
        );
        Ok(Self { stream, fixed, prefix, sent: 0, buffer: Vec::with_capacity(4096) })
    }

    /// Sends the PUT of the next server and does not wait.
    pub(super) fn put(&mut self) -> Result<(), Error> {
        self.sent += 1;
        let name = format!("{}-{}", self.prefix, self.sent);
        let body = format!(
            "{{\"apiVersion\":\"agentic.stigmer.ai/v1\",\"kind\":\"McpServer\",\"metadata\":{{\"name\":\"{name}\",\
             \"scope\":\"platform\"}},\"spec\":{{\"stdio\":{{\"command\":\"true\"}}}}}}"
        );
        let request = format!(
            "PUT /api/v1/mcpservers/{name}?scope=platform{}content-length: {}\r\n\r\n{body}",
            self.fixed,
            body.len()
        );
        Ok(self.stream.write_all(request.as_bytes())?)
    }

    /// Reads the answer to the outstanding PUT; anything but success is an error.
    pub(super) fn written(&mut self) -> Result<(), Error> {
        self.buffer.clear();
        let head = loop {
            self.more()?;
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                break end;
            }
        };
        let length = content_length(&self.buffer[..head])
            .ok_or_else(|| Error::Unexpected("an answer without content-length".into()))?;
        while self.buffer.len() < head + 4 + length {
            self.more()?;
        }
        match self.buffer.get(9..12) {
            Some(b"200" | b"201") => Ok(()),
            _ => Err(Error::Unexpected(format!("PUT answered {}", String::from_utf8_lossy(&self.buffer)))),
        }
    }

    fn more(&mut self) -> Result<(), Error> {
        let mut part = [0; 4096];
        let read = self.stream.read(&mut part)?;
        if read == 0 {
            return Err(Error::Unexpected("the daemon closed a busy connection".into()));
        }
        self.buffer.extend_from_slice(&part[..read]);
        Ok(())
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

fn content_length(head: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length:";
    head.split(|byte| *byte == b'\n')
        .find(|line| line.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME)))
        .and_then(|line| std::str::from_utf8(&line[NAME.len()..]).ok()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_found_whatever_its_case() {
        assert_eq!(content_length(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\nx: y"), Some(12));
        assert_eq!(content_length(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked"), None);
        assert_eq!(find(b"ab\r\n\r\ncd", b"\r\n\r\n"), Some(2));
    }
}
