//! What the edge needs from others: who a token or a local user is.

use access::Caller;

/// Turns proof of identity into a caller.
pub trait Identities: Send + Sync + 'static {
    /// The caller that holds this bearer token.
    fn bearer(&self, token: &str) -> Option<Caller>;

    /// The caller behind the Unix user at the other end of the socket.
    fn local_user(&self, uid: u32) -> Option<Caller>;
}
