//! What an embedder brings: who calls, what is offered, and the answers.

use std::fmt::Debug;
use std::future::Future;

use bytes::Bytes;

use super::exchange::Exchange;
use super::peer::Peer;
use crate::fault::Fault;
use crate::frame::Frame;
use crate::header::Mirror;

/// Who a connection or request belongs to, as whoever embeds the server has established.
pub trait Caller: Clone + Debug + Send + Sync + 'static {
    /// What tells callers apart; sessions, streams and parked calls are bound to it.
    fn key(&self) -> &str;
}

impl Caller for String {
    fn key(&self) -> &str {
        self
    }
}

/// What a server says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Name and version, a JSON object.
    pub info: Bytes,
    /// What it can do, a JSON object.
    pub capabilities: Bytes,
    /// How it is best used.
    pub instructions: Option<String>,
}

/// The answers behind a server. Handshakes, sessions, cancellation, subscriptions and the differences of the eras are
/// the server's business and never reach it.
pub trait Service: Debug + Send + Sync + 'static {
    /// Who calls.
    type Caller: Caller;

    /// What this caller is told about the server.
    fn about(&self, caller: &Self::Caller, peer: &Peer) -> About;

    /// Answers a request: the result, a JSON object, or a fault. Dropped when the request is cancelled.
    fn handle(&self, exchange: Exchange<Self::Caller>) -> impl Future<Output = Result<Bytes, Fault>> + Send;

    /// Hears a notification that is not the server's own business.
    fn hear(&self, caller: &Self::Caller, notification: &Frame) {
        let _ = (caller, notification);
    }

    /// The arguments of a tool that modern clients repeat in headers.
    fn mirrors(&self, caller: &Self::Caller, tool: &str) -> Vec<Mirror> {
        let _ = (caller, tool);
        Vec::new()
    }
}
