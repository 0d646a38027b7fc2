//! A small blocking HTTP/1.1 client over TCP or a Unix socket that sends exactly what a test asks for.

mod body;
mod events;
mod request;
mod response;
mod stream;

#[cfg(test)]
mod tests;

use std::io::{BufReader, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

pub use events::{Event, Events};
pub use request::Request;
pub use response::Response;

use body::Body;
use stream::{Stream, Target};

/// Why an exchange failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody answers at the address.
    #[error("cannot connect to {target}: {source}")]
    Connect {
        /// The address or socket.
        target: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The connection broke while sending or reading.
    #[error("connection broken: {0}")]
    Broken(#[from] std::io::Error),
    /// The other side closed before an answer was complete.
    #[error("connection closed before the answer was complete")]
    Closed,
    /// The answer is not HTTP/1.1.
    #[error("malformed answer: {0}")]
    Malformed(String),
    /// An answer that should have been an event stream was not.
    #[error("expected an event stream, got status {0}")]
    NotAStream(u16),
}

/// One client with at most one kept-alive connection.
///
/// After any error the connection is dropped and the next request opens a new one; nothing is sent twice.
#[derive(Debug)]
pub struct Http {
    target: Target,
    headers: Vec<(String, String)>,
    timeout: Duration,
    connection: Option<BufReader<Stream>>,
}

impl Http {
    /// A client of a TCP address.
    pub fn tcp(address: SocketAddr) -> Self {
        Self::to(Target::Tcp(address))
    }

    /// A client of a Unix socket.
    pub fn unix(path: impl Into<PathBuf>) -> Self {
        Self::to(Target::Unix(path.into()))
    }

    fn to(target: Target) -> Self {
        Self { target, headers: Vec::new(), timeout: Duration::from_secs(30), connection: None }
    }

    /// Sends this token with every request that names no `authorization` of its own.
    #[must_use]
    pub fn bearer(mut self, token: &str) -> Self {
        self.headers.push(("authorization".into(), format!("Bearer {token}")));
        self
    }

    /// Gives up on a silent server after `timeout` instead of 30 seconds.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// `GET path`.
    pub fn get(&mut self, path: &str) -> Result<Response, Error> {
        self.send(&Request::new("GET", path))
    }

    /// `DELETE path`.
    pub fn delete(&mut self, path: &str) -> Result<Response, Error> {
        self.send(&Request::new("DELETE", path))
    }

    /// `PUT path` with a JSON body.
    pub fn put(&mut self, path: &str, body: &serde_json::Value) -> Result<Response, Error> {
        self.send(&Request::new("PUT", path).json(body))
    }

    /// `POST path` with a JSON body.
    pub fn post(&mut self, path: &str, body: &serde_json::Value) -> Result<Response, Error> {
        self.send(&Request::new("POST", path).json(body))
    }

    /// Sends the request on the kept connection and reads the whole answer.
    pub fn send(&mut self, request: &Request) -> Result<Response, Error> {
        self.send_raw(&request.bytes(&self.target.host(), &self.headers), request.is_head())
    }

    /// Sends these very bytes; `bodiless` says that the answer has no body whatever its headers claim.
    pub fn send_raw(&mut self, bytes: &[u8], bodiless: bool) -> Result<Response, Error> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => BufReader::new(self.target.connect(self.timeout)?),
        };
        connection.get_mut().write_all(bytes)?;
        let (response, reusable) = response::read(&mut connection, bodiless)?;
        if reusable {
            self.connection = Some(connection);
        }
        Ok(response)
    }

    /// Opens an event stream on a connection of its own.
    pub fn events(&self, request: &Request) -> Result<Events, Error> {
        let mut connection = BufReader::new(self.target.connect(self.timeout)?);
        let request = request.clone().header("accept", "text/event-stream");
        connection.get_mut().write_all(&request.bytes(&self.target.host(), &self.headers))?;
        let head = response::read_head(&mut connection)?;
        if head.status != 200 {
            return Err(Error::NotAStream(head.status));
        }
        Ok(Events::new(Body::new(connection, head.framing(false)?)))
    }
}
