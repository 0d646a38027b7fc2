//! Binding: TCP with or without TLS, and the Unix socket.

use std::fs::Permissions;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, UnixListener};
use tokio_rustls::TlsAcceptor;

use crate::{AllowedHosts, tls};

/// Longest path the kernel takes for a Unix socket.
const MAX_SOCKET_PATH: usize = 107;

/// A certificate and its key, as files.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The certificate chain, PEM.
    pub certificate: PathBuf,
    /// The private key, PEM.
    pub key: PathBuf,
}

/// Where to listen.
#[derive(Clone, Debug)]
pub struct Options {
    /// The TCP address; port 0 picks one.
    pub listen: SocketAddr,
    /// The Unix socket.
    pub socket: PathBuf,
    /// Whether every local user may connect to it; the kernel says who each is.
    pub shared_socket: bool,
    /// TLS for the TCP address.
    pub tls: Option<Tls>,
    /// Whether TLS ends in front of this daemon.
    pub behind_tls_proxy: bool,
    /// Further names by which the daemon may be called.
    pub allowed_hosts: Vec<String>,
}

/// Why a listener could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Everyone on the network could read the tokens.
    #[error(
        "refusing to listen on {0} without TLS; give --tls-cert and --tls-key, or --behind-tls-proxy if TLS ends in front of this daemon"
    )]
    Exposed(SocketAddr),
    /// The address is taken or not ours.
    #[error("cannot listen on {address}: {source}; choose another with --listen")]
    Tcp {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The socket path is longer than the kernel takes.
    #[error("the socket path {0} is longer than {MAX_SOCKET_PATH} bytes; choose a shorter one with --socket")]
    SocketPath(PathBuf),
    /// Somebody answers at the socket.
    #[error("another daemon answers at the socket {0}; choose another with --socket")]
    SocketTaken(PathBuf),
    /// The socket cannot be made.
    #[error("cannot make the socket {path}: {source}")]
    Socket {
        /// The path.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The certificate or key is unusable.
    #[error(transparent)]
    Tls(#[from] tls::Error),
}

/// Bound listeners, not yet serving.
pub struct Listeners {
    pub(crate) tcp: TcpListener,
    pub(crate) tls: Option<TlsAcceptor>,
    pub(crate) unix: UnixListener,
    pub(crate) tcp_hosts: AllowedHosts,
    address: SocketAddr,
    socket: PathBuf,
    socket_id: FileId,
}

impl Listeners {
    /// Binds both. A socket file at which nobody answers is replaced.
    pub async fn bind(options: Options) -> Result<Self, BindError> {
        let Options { listen, socket, shared_socket, tls, behind_tls_proxy, allowed_hosts } = options;
        if !listen.ip().is_loopback() && tls.is_none() && !behind_tls_proxy {
            return Err(BindError::Exposed(listen));
        }
        let tls = tls.map(|files| tls::acceptor(&files.certificate, &files.key)).transpose()?;
        let refused = |source| BindError::Tcp { address: listen, source };
        let tcp = TcpListener::bind(listen).await.map_err(refused)?;
        let address = tcp.local_addr().map_err(refused)?;
        let (unix, socket_id) = bind_socket(&socket, if shared_socket { 0o666 } else { 0o600 })?;
        let tcp_hosts = AllowedHosts::tcp(address, tls.is_some(), &allowed_hosts);
        Ok(Self { tcp, tls, unix, tcp_hosts, address, socket, socket_id })
    }

    /// Where the TCP listener really is.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where the Unix socket is.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Removes the socket file, if it is still ours.
    pub(crate) fn remove_socket(&self) {
        if std::fs::symlink_metadata(&self.socket).is_ok_and(|found| FileId::of(&found) == self.socket_id) {
            let _ = std::fs::remove_file(&self.socket);
        }
    }

    /// The URL of the TCP listener.
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }
}

fn bind_socket(path: &Path, access: u32) -> Result<(UnixListener, FileId), BindError> {
    // Made under a name of our own and a private mode first, so that nobody else can connect in between.
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}", std::process::id()));
    let draft = PathBuf::from(draft);
    if draft.as_os_str().len() > MAX_SOCKET_PATH {
        return Err(BindError::SocketPath(path.to_owned()));
    }
    let failed = |source| BindError::Socket { path: path.to_owned(), source };
    if let Ok(found) = std::fs::symlink_metadata(path) {
        if !found.file_type().is_socket() {
            return Err(failed(std::io::Error::other("a file that is not a socket is in the way")));
        }
        if std::os::unix::net::UnixStream::connect(path).is_ok() {
            return Err(BindError::SocketTaken(path.to_owned()));
        }
    }
    let listener = UnixListener::bind(&draft).map_err(failed)?;
    let made = std::fs::set_permissions(&draft, Permissions::from_mode(access))
        .and_then(|()| std::fs::symlink_metadata(&draft))
        .and_then(|made| std::fs::rename(&draft, path).map(|()| FileId::of(&made)));
    if made.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    Ok((listener, made.map_err(failed)?))
}

/// Which file it is, whatever its name.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    fn of(file: &std::fs::Metadata) -> Self {
        Self { device: file.dev(), inode: file.ino() }
    }
}
