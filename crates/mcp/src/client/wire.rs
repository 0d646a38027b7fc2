//! What every transport does: carries a request until nothing more can come for it, and messages that get no answer.
//! What the peer sends goes to the hub, never back through here.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;

use crate::question::Boxed;
use crate::version::Version;
use crate::web;

use super::access::Challenge;

/// A message on its way.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    /// The id of a request.
    pub(crate) id: Option<u64>,
    pub(crate) body: Bytes,
    /// What an HTTP transport sends beside it.
    pub(crate) headers: HeaderMap,
    /// `initialize`, which never belongs to an earlier session.
    pub(crate) opens: bool,
}

/// Why a message was not carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The connection is gone.
    Closed,
    /// The peer does not read.
    Stuck,
    Web(web::Failure),
    /// An HTTP error without a JSON-RPC message.
    Status(u16),
    /// The peer forgot the session; the message was not processed.
    Expired,
    Unauthorized(Challenge),
    Access(String),
    /// A content type that is none of ours.
    NotMcp,
    Malformed,
    TooLarge,
}

/// A transport.
pub(crate) trait Wire: Send + Sync + 'static {
    /// Carries a request. Ends when nothing more can come for it; dropping it gives the request up.
    fn exchange(self: Arc<Self>, out: Outgoing) -> Boxed<'static, Result<(), Lost>>;

    /// Carries a notification or an answer.
    fn post(self: Arc<Self>, out: Outgoing) -> Boxed<'static, Result<(), Lost>>;

    /// A handshake agreed on this revision. Ends when the peer can be heard, or after a moment.
    fn settle(self: Arc<Self>, version: Version) -> Boxed<'static, ()>;

    /// Whether messages travel over HTTP, one request each, so that headers repeat their parts.
    fn is_streamable(&self) -> bool;

    /// Ends the connection in the way the peer expects.
    fn close(self: Arc<Self>) -> Boxed<'static, ()>;
}
