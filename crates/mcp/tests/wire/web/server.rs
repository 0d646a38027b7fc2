//! Servers for the client under test: a scripted one for HTTP/1, one for HTTP/2, and their certificate.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use http::{Request, Response};
use http_body_util::StreamBody;
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

/// What a server saw.
#[derive(Default)]
pub struct Seen {
    pub requests: Mutex<Vec<String>>,
    pub connections: AtomicUsize,
    ended: Ended,
}

struct Ended(Semaphore);

impl Default for Ended {
    fn default() -> Self {
        Self(Semaphore::new(0))
    }
}

impl Seen {
    /// Waits until the client ended a connection or a stream.
    pub async fn end(&self) {
        timeout(Duration::from_secs(10), self.ended.0.acquire()).await.expect("an end").unwrap().forget();
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// A server on a port of its own.
#[derive(Clone)]
pub struct Server {
    pub address: SocketAddr,
    pub seen: Arc<Seen>,
}

/// Turns a request (its head and body) into the bytes of an answer.
pub type Script = fn(&str) -> Vec<u8>;

impl Server {
    /// Answers by `script` over plain HTTP/1; an answer without bytes is none.
    pub async fn plain(script: Script) -> Self {
        Self::at(TcpListener::bind("127.0.0.1:0").await.unwrap(), script)
    }

    pub fn at(listener: TcpListener, script: Script) -> Self {
        Self::accept(listener, move |tcp, seen| async move { converse(tcp, script, &seen).await })
    }

    /// Answers by `script` over TLS and HTTP/1.
    pub async fn secure(script: Script, certificate: &Certificate) -> Self {
        let acceptor = certificate.acceptor(b"http/1.1");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::accept(listener, move |tcp, seen| {
            let acceptor = acceptor.clone();
            async move {
                if let Ok(tls) = acceptor.accept(tcp).await {
                    converse(tls, script, &seen).await;
                }
            }
        })
    }

    /// Answers every request over HTTP/2 with one chunk. The body of `/endless` does not end, that of `/broken` is
    /// reset, that of `/drip` has a byte every half second; `/bytes/N` has a header of N bytes.
    pub async fn h2(certificate: &Certificate) -> Self {
        let acceptor = certificate.acceptor(b"h2");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::accept(listener, move |tcp, seen| {
            let acceptor = acceptor.clone();
            async move {
                let Ok(tls) = acceptor.accept(tcp).await else { return };
                let service = service_fn(move |request| {
                    let answer = answer_h2(&request, Arc::clone(&seen));
                    async move { Ok::<_, Infallible>(answer) }
                });
                let builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                builder.serve_connection(TokioIo::new(tls), service).await.ok();
            }
        })
    }

    fn accept<F, Fut>(listener: TcpListener, serve: F) -> Self
    where
        F: Fn(tokio::net::TcpStream, Arc<Seen>) -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let server = Self { address: listener.local_addr().unwrap(), seen: Arc::default() };
        let seen = Arc::clone(&server.seen);
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                seen.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(tcp, Arc::clone(&seen)));
            }
        });
        server
    }

    /// The URL of `path` on this server, by a name the test's resolver knows.
    pub fn url(&self, path: &str) -> String {
        format!("http://example.test:{}{path}", self.address.port())
    }

    pub fn secure_url(&self, path: &str) -> String {
        format!("https://example.test:{}{path}", self.address.port())
    }
}

async fn converse(mut stream: impl AsyncRead + AsyncWrite + Unpin, script: Script, seen: &Seen) {
    while let Some(request) = read_request(&mut stream).await {
        seen.requests.lock().unwrap().push(request.clone());
        let answer = script(&request);
        stream.write_all(&answer).await.ok();
        stream.flush().await.ok();
        if answer.windows(17).any(|part| part.eq_ignore_ascii_case(b"connection: close")) {
            stream.shutdown().await.ok();
            break;
        }
    }
    seen.ended.0.add_permits(1);
}

async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(request).unwrap().to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).await.ok()?;
    Some(head + std::str::from_utf8(&body).unwrap())
}

/// Tells when the stream it belongs to is no longer wanted.
struct Watch(Arc<Seen>);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.ended.0.add_permits(1);
    }
}

async fn drip(byte: &'static [u8]) -> io::Result<Frame<Bytes>> {
    sleep(Duration::from_millis(500)).await;
    Ok(Frame::data(Bytes::from_static(byte)))
}

/// Late, because a reset would overtake the headers.
async fn breaking() -> io::Result<Frame<Bytes>> {
    sleep(Duration::from_millis(200)).await;
    Err(io::Error::other("broken"))
}

type Chunks = stream::BoxStream<'static, io::Result<Frame<Bytes>>>;

fn answer_h2(request: &Request<Incoming>, seen: Arc<Seen>) -> Response<StreamBody<Chunks>> {
    let path = request.uri().path();
    seen.requests.lock().unwrap().push(format!("{:?} {path}", request.version()));
    let chunk = stream::iter([Ok(Frame::data(Bytes::from_static(b"hello")))]);
    let chunks: Chunks = match path {
        "/endless" => {
            let watch = Watch(seen);
            chunk.chain(stream::pending()).map(move |item| (&watch, item).1).boxed()
        }
        "/broken" => chunk.chain(stream::once(breaking())).boxed(),
        "/drip" => stream::iter(b"drip".chunks(1)).then(drip).boxed(),
        _ => chunk.boxed(),
    };
    let mut response = Response::new(StreamBody::new(chunks));
    if let Some(size) = path.strip_prefix("/bytes/") {
        response.headers_mut().insert("x-large", "x".repeat(size.parse().unwrap()).parse().unwrap());
    }
    response
}

/// A certificate for `example.test`, signed by itself.
pub struct Certificate {
    pub der: CertificateDer<'static>,
    key: Vec<u8>,
}

impl Certificate {
    pub fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(["example.test".to_owned()]).unwrap();
        Self { der: made.cert.der().clone(), key: made.signing_key.serialize_der() }
    }

    fn acceptor(&self, protocol: &[u8]) -> TlsAcceptor {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::try_from(self.key.clone()).unwrap();
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.der.clone()], key)
            .unwrap();
        config.alpn_protocols = vec![protocol.to_vec()];
        TlsAcceptor::from(Arc::new(config))
    }
}

/// A complete answer with `body`, after the header lines `headers`.
pub fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

pub fn ok(_: &str) -> Vec<u8> {
    answer("200 OK", "content-type: application/json\r\n", "{}")
}

/// The path a request asks for.
pub fn path(request: &str) -> &str {
    request.split(' ').nth(1).unwrap()
}
