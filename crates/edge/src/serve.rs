//! The accept loops, and the one path every request takes before a router sees it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use tower_http::timeout::TimeoutBody;

use crate::authenticate::{Authenticated, Peer, authenticate};
use crate::ports::Identities;
use crate::{AllowedHosts, Limits, Listeners};

/// Pause after accepting failed, for example for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves one router on all listeners.
pub struct Server {
    listeners: Listeners,
    shared: Arc<Shared>,
    limits: Limits,
}

struct Shared {
    router: Router,
    identities: Arc<dyn Identities>,
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
        Self { listeners, shared: Arc::new(Shared { router, identities, limits }), limits }
    }

    /// Serves until `shutdown`, then lets running requests finish within the drain time.
    pub async fn run(self, shutdown: CancellationToken) {
        let slots = Arc::new(Semaphore::new(self.limits.connections));
        let graceful = GracefulShutdown::new();
        let tcp_hosts = Arc::new(self.listeners.tcp_hosts.clone());
        let unix_hosts = Arc::new(AllowedHosts::unix());
        loop {
            let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { break };
            tokio::select! {
                () = shutdown.cancelled() => break,
                accepted = self.listeners.tcp.accept() => match accepted {
                    Ok((stream, _)) => {
                        let _ = stream.set_nodelay(true);
                        let connection = self.connection(&tcp_hosts, Peer::Network);
                        self.serve_tcp(stream, connection, slot, &graceful);
                    }
                    Err(error) => pause_after(&error).await,
                },
                accepted = self.listeners.unix.accept() => match accepted {
                    Ok((stream, _)) => match stream.peer_cred() {
                        Ok(user) => {
                            let connection = self.connection(&unix_hosts, Peer::User(user.uid()));
                            spawn(stream, connection, slot, graceful.watcher());
                        }
                        Err(error) => tracing::warn!(%error, "a local client has no credentials"),
                    },
                    Err(error) => pause_after(&error).await,
                },
            }
        }
        let _ = std::fs::remove_file(self.listeners.socket());
        if timeout(self.limits.drain, graceful.shutdown()).await.is_err() {
            tracing::warn!("some requests did not finish in time and were cut off");
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
            return spawn(stream, connection, slot, watcher);
        };
        let handshake = self.limits.handshake;
        tokio::spawn(async move {
            match timeout(handshake, acceptor.accept(stream)).await {
                Ok(Ok(stream)) => spawn(stream, connection, slot, watcher),
                Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                Err(_) => tracing::debug!("a TLS handshake took too long"),
            }
        });
    }
}

async fn pause_after(error: &std::io::Error) {
    tracing::warn!(%error, "accepting a connection failed");
    tokio::time::sleep(ACCEPT_PAUSE).await;
}

fn spawn<S>(
    stream: S,
    connection: Connection,
    slot: OwnedSemaphorePermit,
    watcher: hyper_util::server::graceful::Watcher,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    tokio::spawn(async move {
        let head = connection.shared.limits.head;
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(head).max_buf_size(64 * 1024);
        builder.http2().timer(TokioTimer::new()).max_concurrent_streams(128).keep_alive_interval(Some(head));
        let service = hyper::service::service_fn(move |request| {
            let connection = connection.clone();
            async move { Ok::<_, Infallible>(connection.handle(request).await) }
        });
        let served = watcher.watch(builder.serve_connection(TokioIo::new(stream), service).into_owned());
        if let Err(error) = served.await {
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
        match authenticate(&*self.shared.identities, self.peer, request.headers()) {
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
