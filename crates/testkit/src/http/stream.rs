//! A connection that is TCP or a Unix socket, to the code above alike.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use super::Error;

/// Where to connect.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

impl Target {
    /// What an honest client puts into `Host`.
    pub(super) fn host(&self) -> String {
        match self {
            Self::Tcp(address) => address.to_string(),
            Self::Unix(_) => "localhost".into(),
        }
    }

    pub(super) fn connect(&self, timeout: Duration) -> Result<Stream, Error> {
        let opened = match self {
            Self::Tcp(address) => TcpStream::connect_timeout(address, timeout)
                .and_then(|stream| stream.set_nodelay(true).map(|()| Stream::Tcp(stream))),
            Self::Unix(path) => UnixStream::connect(path).map(Stream::Unix),
        };
        opened
            .and_then(|stream| stream.set_timeout(timeout).map(|()| stream))
            .map_err(|source| Error::Connect { target: self.name(), source })
    }

    fn name(&self) -> String {
        match self {
            Self::Tcp(address) => address.to_string(),
            Self::Unix(path) => path.display().to_string(),
        }
    }
}

#[derive(Debug)]
pub(super) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    /// Fails reads and writes that wait longer.
    pub(super) fn set_timeout(&self, timeout: Duration) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => {
                stream.set_read_timeout(Some(timeout)).and_then(|()| stream.set_write_timeout(Some(timeout)))
            }
            Self::Unix(stream) => {
                stream.set_read_timeout(Some(timeout)).and_then(|()| stream.set_write_timeout(Some(timeout)))
            }
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(buffer),
            Self::Unix(stream) => stream.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
