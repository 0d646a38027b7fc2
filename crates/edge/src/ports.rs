//! What the edge needs from others: who a credential belongs to.

use access::{Caller, Refused};

use crate::oidc::Claims;

/// Turns proof of identity into a caller.
pub trait Identities: Send + Sync + 'static {
    /// The caller that holds this bearer token.
    fn bearer(&self, token: &str) -> Result<Caller, Refused>;

    /// The caller that the configured issuer names.
    fn issued(&self, claims: &Claims) -> Result<Caller, Refused>;

    /// The caller behind the Unix user at the other end of the socket.
    fn local_user(&self, uid: u32) -> Option<Caller>;
}
