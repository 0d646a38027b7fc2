//! The one way out: opens connections for HTTP, SSE and OAuth. No address is dialled that was not judged after the one
//! resolution of its host.

mod address;
mod destination;
mod dial;
mod resolve;
mod rules;
mod stream;
mod trust;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use rustls::pki_types::CertificateDer;
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use url::Host;

use destination::Destination;

pub use resolve::{Resolve, Resolving, System};
pub use rules::{RuleError, Rules};
pub use stream::Stream;

/// How long one address may take to accept a connection.
pub const ADDRESS_DEADLINE: Duration = Duration::from_secs(10);

/// How long resolving, dialling every address and the TLS handshake may take together.
pub const CONNECT_DEADLINE: Duration = Duration::from_secs(30);

/// Why no connection was made; the text tells nothing about the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The URL or every address of its host is outside what is allowed.
    #[error("the address is not allowed")]
    Blocked,
    /// The host has no address.
    #[error("the host name cannot be resolved")]
    Dns,
    /// Nobody accepted the connection.
    #[error("the connection was refused")]
    Refused,
    /// The deadline passed first.
    #[error("the connection took too long")]
    Timeout,
    /// The peer did not prove to be the host of the URL.
    #[error("no trusted TLS connection was made")]
    Tls,
}

/// A connector that goes only where the rules allow; clones share the trust store.
#[derive(Clone)]
pub struct Guard {
    rules: Arc<Rules>,
    resolver: Arc<dyn Resolve>,
    roots: Arc<[CertificateDer<'static>]>,
    tls: Arc<OnceCell<TlsConnector>>,
    deadline: Duration,
}

impl Guard {
    /// A guard that asks the system for addresses and trusts the system's certificates.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules: Arc::new(rules),
            resolver: Arc::new(System),
            roots: Arc::default(),
            tls: Arc::default(),
            deadline: CONNECT_DEADLINE,
        }
    }

    /// Asks `resolver` instead of the system.
    #[must_use]
    pub fn with_resolver(self, resolver: Arc<dyn Resolve>) -> Self {
        Self { resolver, ..self }
    }

    /// Trusts these certificates beside the system's.
    #[must_use]
    pub fn with_roots(self, roots: Vec<CertificateDer<'static>>) -> Self {
        Self { roots: roots.into(), tls: Arc::default(), ..self }
    }

    /// Gives a connection another deadline than [`CONNECT_DEADLINE`].
    #[must_use]
    pub fn with_deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// Opens a connection to the host of `uri`, with TLS for `https`.
    pub async fn connect(&self, uri: &Uri) -> Result<Stream, Error> {
        let destination = Destination::read(uri).ok_or(Error::Blocked)?;
        let opened = timeout(self.deadline, self.open(&destination)).await.unwrap_or(Err(Error::Timeout));
        if let Err(error) = &opened {
            tracing::debug!(?destination, %error, "no connection");
        }
        opened
    }

    async fn open(&self, destination: &Destination) -> Result<Stream, Error> {
        let addresses = self.addresses(destination).await?;
        let tcp = dial::first(&addresses, TcpStream::connect).await?;
        if let Err(error) = tcp.set_nodelay(true) {
            tracing::debug!(%error, "small writes may wait");
        }
        if !destination.secure {
            return Ok(Stream::plain(tcp));
        }
        let tls = self.tls.get_or_init(|| trust::connector(Arc::clone(&self.roots))).await;
        let handshake = tls.connect(destination.server_name().ok_or(Error::Tls)?, tcp).await;
        handshake.map(Stream::secure).map_err(|error| {
            tracing::debug!(?destination, %error, "no TLS connection");
            Error::Tls
        })
    }

    /// The judged addresses of the destination, which are the only ones that may be dialled.
    async fn addresses(&self, destination: &Destination) -> Result<Vec<SocketAddr>, Error> {
        let (found, trusted) = match &destination.host {
            Host::Ipv4(address) => (vec![IpAddr::V4(*address)], false),
            Host::Ipv6(address) => (vec![IpAddr::V6(*address)], false),
            Host::Domain(name) => (self.resolve(name).await?, self.rules.allow_host(name)),
        };
        let allowed = |address: &IpAddr| trusted || self.rules.allow_address(*address);
        let (allowed, refused): (Vec<_>, Vec<_>) = found.into_iter().partition(allowed);
        if !refused.is_empty() {
            tracing::debug!(?destination, ?refused, "addresses outside `egress.allow`");
        }
        if allowed.is_empty() {
            return Err(Error::Blocked);
        }
        Ok(allowed.into_iter().map(|address| SocketAddr::new(address, destination.port)).collect())
    }

    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, Error> {
        if is_this_machine(name) {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        let found = self.resolver.resolve(name).await.unwrap_or_else(|error| {
            tracing::debug!(name, %error, "no address");
            Vec::new()
        });
        if found.is_empty() { Err(Error::Dns) } else { Ok(found) }
    }
}

/// Names that always mean the loopback, whatever a resolver would say to their final dot.
fn is_this_machine(name: &str) -> bool {
    let name = rules::without_dot(name);
    name.eq_ignore_ascii_case("localhost") || name.to_ascii_lowercase().ends_with(".localhost")
}

impl tower::Service<Uri> for Guard {
    type Response = Stream;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Stream, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let guard = self.clone();
        Box::pin(async move { guard.connect(&uri).await })
    }
}

#[cfg(test)]
mod tests;
