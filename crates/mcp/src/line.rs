//! Messages one per line from a byte stream: noise between them is skipped and counted, and no line grows beyond its bound.

use std::io;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt};

/// How many bytes a line may have.
pub const MAX_LINE: usize = 16 * 1024 * 1024;

const CHUNK: usize = 64 * 1024;
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of a stream that may be messages.
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    buffer: BytesMut,
    /// How much of the buffer holds no line end.
    searched: usize,
    /// The rest of a line that is too long is being thrown away.
    skipping: bool,
    skipped: u64,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// The lines of this reader.
    pub fn new(reader: R) -> Self {
        Self { reader, buffer: BytesMut::new(), searched: 0, skipping: false, skipped: 0 }
    }

    /// How many lines were too long or no JSON, and how many byte order marks were left out.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The next line that begins like JSON, without its end; `None` when the stream ended. Nothing is lost when the
    /// wait is given up.
    pub async fn next(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            while let Some(line) = self.take_line() {
                if let Some(message) = self.judge(&line) {
                    return Ok(Some(message));
                }
            }
            self.buffer.reserve(CHUNK);
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                return Ok(self.last());
            }
        }
    }

    fn take_line(&mut self) -> Option<Bytes> {
        if let Some(found) = memchr::memchr(b'\n', &self.buffer[self.searched..]) {
            let line = self.buffer.split_to(self.searched + found + 1).freeze();
            self.searched = 0;
            return Some(line);
        }
        self.searched = self.buffer.len();
        if self.searched > MAX_LINE {
            self.skipping = true;
        }
        if self.skipping {
            self.buffer = BytesMut::new();
            self.searched = 0;
        }
        None
    }

    fn judge(&mut self, line: &Bytes) -> Option<Bytes> {
        let too_long = std::mem::take(&mut self.skipping) || line.len() > MAX_LINE + 1;
        let mut text = line.trim_ascii();
        if let Some(rest) = text.strip_prefix(MARK) {
            self.skipped += 1;
            text = rest.trim_ascii_start();
        }
        if text.is_empty() && !too_long {
            return None;
        }
        if too_long || !matches!(text.first(), Some(b'{' | b'[')) {
            self.skipped += 1;
            return None;
        }
        Some(line.slice_ref(text))
    }

    /// What stood behind the last line end.
    fn last(&mut self) -> Option<Bytes> {
        self.searched = 0;
        let rest = self.buffer.split().freeze();
        self.judge(&rest)
    }
}

/// A message on one line: line ends can only stand between its parts, where a space says the same.
pub fn on_one_line(message: Bytes) -> Bytes {
    if memchr::memchr2(b'\n', b'\r', &message).is_none() {
        return message;
    }
    let mut line = message.to_vec();
    for byte in &mut line {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    Bytes::from(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(text: &[u8]) -> (Vec<Bytes>, u64) {
        let mut lines = Lines::new(text);
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            found.push(line);
        }
        (found, lines.skipped())
    }

    #[tokio::test]
    async fn messages_are_found_between_noise() {
        let text = b"banner\n\n{\"a\":1}\r\n\xff\xfe\n  [1]  \n\xef\xbb\xbf{\"b\":2}\n\"text\"\n{\"last\":3}";
        let (found, skipped) = all(text).await;
        let texts: Vec<&[u8]> = found.iter().map(|line| &line[..]).collect();
        assert_eq!(texts, [&b"{\"a\":1}"[..], b"[1]", b"{\"b\":2}", b"{\"last\":3}"]);
        assert_eq!(skipped, 4);
    }

    #[tokio::test]
    async fn a_line_beyond_the_bound_is_skipped_and_the_next_is_read() {
        assert_eq!(MAX_LINE, 16 * 1024 * 1024);
        let of = |length: usize| [&b"{"[..], &vec![b'x'; length - 2], b"}\n"].concat();
        for (length, kept) in [(MAX_LINE, 2), (MAX_LINE + 1, 1), (17 * 1024 * 1024, 1)] {
            let (found, skipped) = all(&[&of(length)[..], b"{}\n"].concat()).await;
            assert_eq!((found.len(), skipped), (kept, 2 - kept as u64), "{length}");
        }
    }

    #[tokio::test]
    async fn a_line_without_end_is_not_kept() {
        let mut lines = Lines::new(tokio::io::repeat(b'{').take(64 * 1024 * 1024));
        assert_eq!(lines.next().await.unwrap(), None);
        assert!(lines.buffer.capacity() < MAX_LINE);
        assert_eq!(lines.skipped(), 1);
    }
}
