//! The bytes of a body, freed of their framing.

use std::io::{self, BufRead, Read};

/// How the end of a body is known.
#[derive(Debug)]
pub(super) enum Framing {
    /// This many bytes remain.
    Length(u64),
    /// `left` bytes of the current chunk remain.
    Chunked { left: u64, first: bool, done: bool },
    /// The connection's end.
    ToEnd,
}

impl Framing {
    pub(super) fn chunked() -> Self {
        Self::Chunked { left: 0, first: true, done: false }
    }
}

/// Reads a body; an end before its time is an error, not an end.
#[derive(Debug)]
pub(super) struct Body<R> {
    reader: R,
    framing: Framing,
}

impl<R: BufRead> Body<R> {
    pub(super) fn new(reader: R, framing: Framing) -> Self {
        Self { reader, framing }
    }

    pub(super) fn reader(&self) -> &R {
        &self.reader
    }

    /// Reads up to `left` bytes; when some are left, at least one must come.
    fn some(&mut self, buffer: &mut [u8], left: u64) -> io::Result<usize> {
        let wanted = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if wanted == 0 {
            return Ok(0); // Even an empty read would wait for the connection.
        }
        let read = self.reader.read(&mut buffer[..wanted])?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(read)
    }

    /// Reads the line that opens the next chunk.
    fn next_chunk(&mut self, first: bool) -> io::Result<u64> {
        if !first {
            self.line()?;
        }
        let line = self.line()?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(digits, 16)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, format!("chunk size `{line}`")))?;
        if size == 0 {
            while !self.line()?.is_empty() {}
        }
        Ok(size)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.reader.read_line(&mut line)?;
        if !line.ends_with('\n') {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end().to_owned())
    }
}

impl<R: BufRead> Read for Body<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.framing {
            Framing::ToEnd => self.reader.read(buffer),
            Framing::Length(left) => {
                let read = self.some(buffer, left)?;
                self.framing = Framing::Length(left - read as u64);
                Ok(read)
            }
            Framing::Chunked { done: true, .. } => Ok(0),
            Framing::Chunked { left: 0, first, .. } => {
                // Waiting happens here, before anything is consumed, so that a timeout loses nothing.
                self.reader.fill_buf()?;
                let left = self.next_chunk(first)?;
                self.framing = Framing::Chunked { left, first: false, done: left == 0 };
                self.read(buffer)
            }
            Framing::Chunked { left, .. } => {
                let read = self.some(buffer, left)?;
                self.framing = Framing::Chunked { left: left - read as u64, first: false, done: false };
                Ok(read)
            }
        }
    }
}
