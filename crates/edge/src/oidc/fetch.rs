//! One GET of a public document, over TLS or on this machine.
//!
//! Redirects are not followed, nothing is sent that is worth stealing, and no answer is read beyond its limit.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, StatusCode, header};
use http_body_util::{BodyExt as _, Empty, LengthLimitError, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

/// No longer document is read.
const MAX_BODY_BYTES: usize = 1024 * 1024;

/// Why a document cannot be had.
#[derive(Debug, thiserror::Error)]
#[error("{url}: {reason}")]
pub(super) struct Error {
    url: String,
    reason: Reason,
}

#[derive(Debug, thiserror::Error)]
enum Reason {
    #[error("cannot connect: {0}")]
    Connect(#[from] io::Error),
    #[error("no TLS is possible: {0}")]
    Tls(#[from] rustls::Error),
    #[error("there is no host to connect to")]
    Host,
    #[error("the answer cannot be read: {0}")]
    Exchange(#[from] hyper::Error),
    #[error("the answer cannot be read: {0}")]
    Body(Box<dyn std::error::Error + Send + Sync>),
    #[error("answered {0} instead of 200")]
    Status(StatusCode),
    #[error("the answer is longer than 1 MiB")]
    TooLong,
}

/// The document at `url`.
pub(super) async fn get(url: &Url, extra_roots: &[CertificateDer<'static>]) -> Result<Bytes, Error> {
    let fetched = async {
        let stream = connect(url).await?;
        if url.scheme() == "https" {
            let stream = secure(stream, url, extra_roots).await?;
            exchange(stream, url).await
        } else {
            exchange(stream, url).await
        }
    };
    fetched.await.map_err(|reason| Error { url: url.to_string(), reason })
}

async fn connect(url: &Url) -> Result<TcpStream, Reason> {
    let port = url.port_or_known_default().ok_or(Reason::Host)?;
    Ok(match url.host().ok_or(Reason::Host)? {
        Host::Domain(name) => TcpStream::connect((name, port)).await,
        Host::Ipv4(address) => TcpStream::connect((address, port)).await,
        Host::Ipv6(address) => TcpStream::connect((address, port)).await,
    }?)
}

async fn secure(
    stream: TcpStream,
    url: &Url,
    extra_roots: &[CertificateDer<'static>],
) -> Result<tokio_rustls::client::TlsStream<TcpStream>, Reason> {
    let name = match url.host().ok_or(Reason::Host)? {
        Host::Domain(name) => ServerName::try_from(name.to_owned()).map_err(|_| Reason::Host)?,
        Host::Ipv4(address) => ServerName::from(std::net::IpAddr::from(address)),
        Host::Ipv6(address) => ServerName::from(std::net::IpAddr::from(address)),
    };
    // Read at every fetch, so that an update of the system's authorities needs no restart.
    let native = tokio::task::spawn_blocking(rustls_native_certs::load_native_certs);
    let native = native.await.map_err(io::Error::other)?;
    let mut roots = RootCertStore::empty();
    // A broken certificate among the system's is no reason to refuse the others.
    roots.add_parsable_certificates(native.certs);
    for root in extra_roots {
        roots.add(root.clone())?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)).connect(name, stream).await?)
}

async fn exchange<S>(stream: S, url: &Url) -> Result<Bytes, Reason>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let request = Request::get(&url[url::Position::BeforePath..url::Position::AfterQuery])
        .header(header::HOST, &url[url::Position::BeforeHost..url::Position::AfterPort])
        .header(header::ACCEPT, "application/json")
        .body(Empty::<Bytes>::new())
        .map_err(|error| Reason::Body(error.into()))?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // Ends when `sender` and the body are dropped; what it could report, they report too.
    tokio::spawn(connection);
    let response = sender.send_request(request).await?;
    if response.status() != StatusCode::OK {
        return Err(Reason::Status(response.status()));
    }
    let body = Limited::new(response.into_body(), MAX_BODY_BYTES).collect().await;
    body.map(http_body_util::Collected::to_bytes)
        .map_err(|error| if error.is::<LengthLimitError>() { Reason::TooLong } else { Reason::Body(error) })
}
