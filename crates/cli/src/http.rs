//! A small HTTP/1.1 client over a Unix socket, TCP or TLS: one connection per request, every wait bounded.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value as Json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use url::Url;

use crate::failure::{Cause, Failure};
use crate::refusal;

const CONNECT: Duration = Duration::from_secs(5);
const HEAD: Duration = Duration::from_mins(1);
const IDLE: Duration = Duration::from_mins(1);
const MAX_BODY: usize = 64 * 1024 * 1024;

/// Where the daemon is.
#[derive(Clone, Debug)]
pub enum Target {
    Socket(PathBuf),
    Tcp { url: Url, tls: Option<Arc<rustls::ClientConfig>> },
}

/// A client of one daemon.
#[derive(Clone)]
pub struct Client {
    target: Target,
    token: Option<String>,
}

/// An answer that is still arriving.
pub struct Stream {
    body: Incoming,
    place: String,
}

impl Client {
    pub const fn new(target: Target, token: Option<String>) -> Self {
        Self { target, token }
    }

    /// A client through a socket, which proves the user without a token.
    pub const fn socket(path: PathBuf) -> Self {
        Self::new(Target::Socket(path), None)
    }

    /// The place as a person knows it.
    pub fn place(&self) -> String {
        match &self.target {
            Target::Socket(path) => format!("the socket {}", path.display()),
            Target::Tcp { url, .. } => url.to_string(),
        }
    }

    /// Sends a request and reads the whole answer, which must be a success.
    pub async fn send(&self, method: Method, path: &str, body: Option<&Json>) -> Result<Json, Failure> {
        let bytes = body.map_or_else(Bytes::new, |json| Bytes::from(json.to_string()));
        let (status, incoming) = self.exchange(method, path, bytes).await?;
        let body = read_whole(incoming, &self.place()).await?;
        if status.is_success() {
            let body = if body.is_empty() { Ok(Json::Null) } else { serde_json::from_slice(&body) };
            return body.map_err(|_| self.foreign("its answer is not JSON"));
        }
        Err(refusal::read(status, &body))
    }

    pub async fn get(&self, path: &str) -> Result<Json, Failure> {
        self.send(Method::GET, path, None).await
    }

    /// Sends a request and hands the answer on as it arrives.
    pub async fn stream(&self, path: &str) -> Result<Stream, Failure> {
        let (status, body) = self.exchange(Method::GET, path, Bytes::new()).await?;
        if !status.is_success() {
            return Err(refusal::read(status, &read_whole(body, &self.place()).await?));
        }
        Ok(Stream { body, place: self.place() })
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<(StatusCode, Incoming), Failure> {
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, self.host());
        request = request.header(header::USER_AGENT, concat!("outfitter/", env!("CARGO_PKG_VERSION")));
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request
            .body(Full::new(body))
            .map_err(|error| Failure::usage(format!("cannot ask for {path}: {error}")))?;
        match &self.target {
            Target::Socket(path) => {
                let stream = self.within(CONNECT, UnixStream::connect(path)).await?;
                self.converse(stream, request).await
            }
            Target::Tcp { url, tls } => {
                let (host, port) = host_and_port(url);
                let stream = self.within(CONNECT, TcpStream::connect((host.as_str(), port))).await?;
                let Some(tls) = tls else { return self.converse(stream, request).await };
                let name = rustls::pki_types::ServerName::try_from(host)
                    .map_err(|error| self.unreachable(&error.to_string()))?;
                let connector = tokio_rustls::TlsConnector::from(Arc::clone(tls));
                let stream = self.within(CONNECT, connector.connect(name, stream)).await?;
                self.converse(stream, request).await
            }
        }
    }

    async fn converse<S>(
        &self,
        stream: S,
        request: Request<Full<Bytes>>,
    ) -> Result<(StatusCode, Incoming), Failure>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let broken = |error: hyper::Error| self.unreachable(&chain(&error));
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        // Its end is seen by whoever reads the body; it ends with the sender.
        tokio::spawn(connection);
        let response = timeout(HEAD, sender.send_request(request))
            .await
            .map_err(|_| self.unreachable("it did not answer within 60 s"))?
            .map_err(broken)?;
        let (head, body) = response.into_parts();
        Ok((head.status, body))
    }

    fn host(&self) -> String {
        match &self.target {
            Target::Socket(_) => "localhost".to_owned(),
            Target::Tcp { url, .. } => match (url.host_str(), url.port()) {
                (Some(host), Some(port)) => format!("{host}:{port}"),
                (host, _) => host.unwrap_or_default().to_owned(),
            },
        }
    }

    async fn within<T>(
        &self,
        limit: Duration,
        attempt: impl Future<Output = std::io::Result<T>>,
    ) -> Result<T, Failure> {
        match timeout(limit, attempt).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(self.refused(&error)),
            Err(_) => Err(self.unreachable("it did not accept the connection within 5 s")),
        }
    }

    /// Why no connection came about, where the error says more than that nobody is there.
    fn refused(&self, error: &std::io::Error) -> Failure {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        match &self.target {
            Target::Socket(path) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                // Where the way to it is barred, the owner of the bar is the one to ask.
                let owner = path.ancestors().find_map(|at| std::fs::metadata(at).ok()).map(|at| at.uid());
                let owner = owner.map_or_else(|| "another user".to_owned(), |uid| format!("user {uid}"));
                let message = format!("you may not use {}: it belongs to {owner}", self.place());
                Failure::new(Cause::NotAllowed, message).hint(
                    "run the command as that user, or use `--server URL` with a token in OUTFITTER_TOKEN",
                )
            }
            Target::Tcp { url, .. } if matches!(inner, Some(rustls::Error::InvalidMessage(_))) => {
                let message = format!("cannot reach the daemon at {url}: this port does not speak TLS");
                Failure::new(Cause::Unreachable, message).hint(format!("use http://{}", self.host()))
            }
            _ => self.unreachable(&error.to_string()),
        }
    }

    fn unreachable(&self, why: &str) -> Failure {
        let failure =
            Failure::new(Cause::Unreachable, format!("cannot reach the daemon at {}: {why}", self.place()));
        match &self.target {
            Target::Socket(_) => failure
                .hint("start it with `outfitter serve`")
                .hint("or name another with `--socket PATH`, `--data-dir DIR` or `--server URL`"),
            Target::Tcp { tls, .. } => {
                let failure = failure.hint("look at the URL, and whether `outfitter serve` runs there");
                let tls_failed = tls.is_some() && why.contains("certificate");
                if tls_failed { failure.hint("trust its certificate with `--ca-cert PATH`") } else { failure }
            }
        }
    }

    fn foreign(&self, why: &str) -> Failure {
        Failure::new(Cause::Unreachable, format!("{} does not speak Outfitter's API: {why}", self.place()))
            .hint("look at the URL or socket, and at the daemon's version")
    }
}

impl Stream {
    /// The next piece, nothing at the end.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        loop {
            let frame =
                timeout(IDLE, self.body.frame()).await.map_err(|_| self.broke("nothing came for 60 s"))?;
            match frame {
                None => return Ok(None),
                Some(Err(error)) => return Err(self.broke(&chain(&error))),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
            }
        }
    }

    fn broke(&self, why: &str) -> Failure {
        Failure::new(Cause::Unreachable, format!("the answer of {} broke off: {why}", self.place))
            .hint("look at the daemon's log, and try again")
    }
}

/// An error with its sources, which hold the reason.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text = format!("{text}: {inner}");
        source = inner.source();
    }
    text
}

fn host_and_port(url: &Url) -> (String, u16) {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
    (host, url.port_or_known_default().unwrap_or(80))
}

async fn read_whole(body: Incoming, place: &str) -> Result<Vec<u8>, Failure> {
    let mut stream = Stream { body, place: place.to_owned() };
    let mut bytes = Vec::new();
    while let Some(piece) = stream.next().await? {
        if bytes.len() + piece.len() > MAX_BODY {
            return Err(stream.broke("it is larger than 64 MiB"));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::{Cause, Client};

    #[test]
    fn a_socket_of_someone_else_names_its_owner_and_the_way_round() {
        let directory = tempfile::tempdir().unwrap();
        let client = Client::socket(directory.path().to_owned());
        let failure = client.refused(&Error::from(ErrorKind::PermissionDenied));
        assert_eq!(failure.cause, Cause::NotAllowed);
        assert!(failure.message.contains("it belongs to user "), "{failure:?}");
        assert!(
            failure.hints[0].contains("OUTFITTER_TOKEN") && !failure.hints[0].contains("outfitter serve")
        );
        let gone = Client::socket(directory.path().join("gone"));
        let barred = gone.refused(&Error::from(ErrorKind::PermissionDenied));
        assert!(barred.message.contains("it belongs to user "), "{barred:?}");
        let absent = gone.refused(&Error::from(ErrorKind::NotFound));
        assert_eq!(absent.hints[0], "start it with `outfitter serve`");
    }
}
