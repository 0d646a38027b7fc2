//! The accept loops, and the one path every request takes before a router sees it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use tower_http::timeout::TimeoutBody;

use crate::authenticate::{Authenticated, Peer, authenticate};
use crate::oidc::Verifier;
use crate::ports::Identities;
use crate::{AllowedHosts, Limits, Listeners};

/// Pause after accepting failed, for example for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves one router on all listeners.
pub struct Server {
    listeners: Listeners,
    shared: Arc<Shared>,
}

struct Shared {
    router: Router,
    identities: Arc<dyn Identities>,
    issuer: Option<Verifier>,
    limits: Limits,
}

/// What holds for every request of one connection.
#[derive(Clone)]
struct Connection {
    shared: Arc<Shared>,
    hosts: Arc<AllowedHosts>,
    peer: Peer,
}

impl Server {
    /// Puts `router` behind the listeners.
    pub fn new(
        listeners: Listeners,
        router: Router,
        identities: Arc<dyn Identities>,
        limits: Limits,
    ) -> Self {
        Self { listeners, shared: Arc::new(Shared { router, identities, issuer: None, limits }) }
    }

    /// Accepts JWTs that `issuer` verifies.
    #[must_use]
    pub fn with_issuer(mut self, issuer: Option<Verifier>) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.issuer = issuer;
        }
        self
    }

    /// Serves until `shutdown`, then lets running requests finish within the drain time.
    pub async fn run(self, shutdown: CancellationToken) {
        let graceful = GracefulShutdown::new();
        tokio::join!(self.accept_tcp(&graceful, &shutdown), self.accept_unix(&graceful, &shutdown));
        self.listeners.remove_socket();
        if timeout(self.shared.limits.drain, graceful.shutdown()).await.is_err() {
            tracing::warn!("some requests did not finish in time and were cut off");
        }
    }

    async fn accept_tcp(&self, graceful: &GracefulShutdown, shutdown: &CancellationToken) {
        let slots = Arc::new(Semaphore::new(self.shared.limits.connections));
        let hosts = Arc::new(self.listeners.tcp_hosts.clone());
        loop {
            let accepted = async {
                let slot = Arc::clone(&slots).acquire_owned().await;
                (self.listeners.tcp.accept().await, slot)
            };
            let (accepted, slot) = tokio::select! {
                () = shutdown.cancelled() => return,
                accepted = accepted => accepted,
            };
            match (accepted, slot) {
                (Ok((stream, _)), Ok(slot)) => {
                    let _ = stream.set_nodelay(true);
                    self.serve_tcp(stream, self.connection(&hosts, Peer::Network), slot, graceful);
                }
                (Err(error), _) => pause_after(&error).await,
                (_, Err(_)) => return,
            }
        }
    }

    /// The socket has slots of its own, so that strangers on the network cannot lock its user out.
    async fn accept_unix(&self, graceful: &GracefulShutdown, shutdown: &CancellationToken) {
        let slots = Arc::new(Semaphore::new(self.shared.limits.local_connections));
        let hosts = Arc::new(AllowedHosts::unix());
        loop {
            let accepted = async {
                let slot = Arc::clone(&slots).acquire_owned().await;
                (self.listeners.unix.accept().await, slot)
            };
            let (accepted, slot) = tokio::select! {
                () = shutdown.cancelled() => return,
                accepted = accepted => accepted,
            };
            match (accepted, slot) {
                (Ok((stream, _)), Ok(slot)) => match stream.peer_cred() {
                    Ok(user) => {
                        let connection = self.connection(&hosts, Peer::User(user.uid()));
                        spawn(stream, Protocol::Http1, connection, slot, graceful.watcher());
                    }
                    Err(error) => tracing::warn!(%error, "a local client has no credentials"),
                },
                (Err(error), _) => pause_after(&error).await,
                (_, Err(_)) => return,
            }
        }
    }

    fn connection(&self, hosts: &Arc<AllowedHosts>, peer: Peer) -> Connection {
        Connection { shared: Arc::clone(&self.shared), hosts: Arc::clone(hosts), peer }
    }

    fn serve_tcp(
        &self,
        stream: tokio::net::TcpStream,
        connection: Connection,
        slot: OwnedSemaphorePermit,
        graceful: &GracefulShutdown,
    ) {
        let watcher = graceful.watcher();
        let Some(acceptor) = self.listeners.tls.clone() else {
            return spawn(stream, Protocol::Http1, connection, slot, watcher);
        };
        let handshake = self.shared.limits.handshake;
        tokio::spawn(async move {
            match timeout(handshake, acceptor.accept(stream)).await {
                Ok(Ok(stream)) => {
                    let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                    let protocol = if http2 { Protocol::Http2 } else { Protocol::Http1 };
                    spawn(stream, protocol, connection, slot, watcher);
                }
                Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                Err(_) => tracing::debug!("a TLS handshake took too long"),
            }
        });
    }
}

/// What a connection speaks: settled by TLS, never guessed from bytes that may not come.
#[derive(Clone, Copy)]
enum Protocol {
    Http1,
    Http2,
}

async fn pause_after(error: &std::io::Error) {
    tracing::warn!(%error, "accepting a connection failed");
    tokio::time::sleep(ACCEPT_PAUSE).await;
}

fn spawn<S>(
    stream: S,
    protocol: Protocol,
    connection: Connection,
    slot: OwnedSemaphorePermit,
    watcher: hyper_util::server::graceful::Watcher,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    tokio::spawn(async move {
        let head = connection.shared.limits.head;
        let service = hyper::service::service_fn(move |request| {
            let connection = connection.clone();
            async move { Ok::<_, Infallible>(connection.handle(request).await) }
        });
        let stream = TokioIo::new(stream);
        let served = match protocol {
            Protocol::Http1 => {
                let mut builder = http1::Builder::new();
                builder.timer(TokioTimer::new()).header_read_timeout(head).max_buf_size(64 * 1024);
                watcher.watch(builder.serve_connection(stream, service)).await
            }
            Protocol::Http2 => {
                let mut builder = http2::Builder::new(TokioExecutor::new());
                builder.timer(TokioTimer::new()).max_concurrent_streams(128);
                builder.keep_alive_interval(Some(head)).keep_alive_timeout(head);
                watcher.watch(builder.serve_connection(stream, service)).await
            }
        };
        if let Err(error) = served {
            tracing::debug!(%error, "a connection ended early");
        }
        drop(slot);
    });
}

impl Connection {
    /// Checks where the request was sent, finds out who sent it, and passes it on.
    async fn handle(&self, request: Request<Incoming>) -> Response {
        let pause = self.shared.limits.body_pause;
        let mut request = request.map(|body| Body::new(TimeoutBody::new(pause, body)));
        if let Err(failure) = self.hosts.check(request.uri(), request.headers()) {
            return failure.into_response();
        }
        let Shared { identities, issuer, .. } = &*self.shared;
        match authenticate(&**identities, issuer.as_ref(), self.peer, request.headers()).await {
            Err(failure) => return failure.into_response(),
            Ok(Some(caller)) => {
                request.extensions_mut().insert(Authenticated(caller));
            }
            Ok(None) => {}
        }
        match self.shared.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}
