//! Why a call or a connection failed, in classes a person can act on.

use crate::fault::{Fault, code};
use crate::web;

use super::access::Challenge;
use super::wire::Lost;

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The peer answered with an error.
    #[error("{0}")]
    Fault(Fault),
    /// No answer in time.
    #[error("no answer in time")]
    Timeout,
    /// The caller gave it up.
    #[error("cancelled")]
    Cancelled,
    /// The connection ended before the answer; whether the call was carried out is unknown.
    #[error("the connection ended before the answer")]
    Disconnected,
    /// The peer does not allow it.
    #[error("{0}")]
    Unauthorized(Challenge),
    /// The peer's answer breaks the protocol.
    #[error("the answer breaks the protocol: {0}")]
    Malformed(&'static str),
    /// The answer is larger than allowed.
    #[error("the answer is too large")]
    TooLarge,
    /// The request did not reach the peer, or its answer not us.
    #[error("{0}")]
    Unreachable(web::Failure),
    /// An HTTP answer that is no answer to the call.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// There are no credentials.
    #[error("no credentials: {0}")]
    Access(String),
    /// A question of the peer was not answered.
    #[error("a question of the server was not answered: {0}")]
    Unanswered(Fault),
    /// The peer asks without end.
    #[error("the server asked in more than {0} rounds")]
    Rounds(usize),
}

impl From<Lost> for CallError {
    fn from(lost: Lost) -> Self {
        match lost {
            Lost::Closed => Self::Disconnected,
            Lost::Stuck => Self::Timeout,
            Lost::Web(failure) => match failure.kind {
                web::Kind::Timeout => Self::Timeout,
                web::Kind::TooLarge => Self::TooLarge,
                web::Kind::Closed if failure.maybe_sent() => Self::Disconnected,
                _ => Self::Unreachable(failure),
            },
            Lost::Status(status) => Self::Status(status),
            Lost::Expired => Self::Status(404),
            Lost::Unauthorized(challenge) => Self::Unauthorized(challenge),
            Lost::Access(error) => Self::Access(error),
            Lost::NotMcp => Self::Malformed("neither JSON nor an event stream"),
            Lost::Malformed => Self::Malformed("not a JSON-RPC message"),
            Lost::TooLarge => Self::TooLarge,
        }
    }
}

/// What sort of failure kept a connection from being made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The host has no address.
    Dns,
    /// Nobody accepts connections.
    Refused,
    /// No answer in time.
    Timeout,
    /// The peer is not trusted.
    Tls,
    /// The peer wants other credentials.
    Auth,
    /// Something answers, and it does not speak the protocol.
    NotMcp,
    /// The egress rules do not allow the address.
    Blocked,
    /// The connection ended early.
    Closed,
    /// The peer speaks the protocol and refuses.
    Peer,
}

impl Class {
    /// The class as one word of a machine-readable reason.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Refused => "refused",
            Self::Timeout => "timeout",
            Self::Tls => "tls",
            Self::Auth => "auth",
            Self::NotMcp => "not_mcp",
            Self::Blocked => "blocked",
            Self::Closed => "closed",
            Self::Peer => "peer",
        }
    }
}

impl From<CallError> for Fault {
    /// What to tell whoever waits for the answer.
    fn from(error: CallError) -> Self {
        let code = match &error {
            CallError::Fault(fault) => return fault.clone(),
            CallError::Timeout => code::TIMEOUT,
            CallError::Cancelled => code::CANCELLED,
            CallError::Disconnected | CallError::Unreachable(_) => code::DISCONNECTED,
            _ => code::INTERNAL,
        };
        Self::new(code, error.to_string())
    }
}

/// Why there is no session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// No exchange took place.
    #[error("{0}")]
    Call(CallError),
    /// Something answers, and it does not speak the protocol.
    #[error("the server does not speak MCP: {0}")]
    NotMcp(String),
    /// The peer speaks only revisions unknown here.
    #[error("the server speaks {theirs}, we speak {ours}")]
    Version {
        /// What was asked for.
        ours: String,
        /// What the peer named.
        theirs: String,
    },
    /// The peer's event stream names an endpoint of another origin, or none.
    #[error("the server's endpoint is not on its own origin")]
    Endpoint,
    /// The URL is none.
    #[error("not an http or https URL")]
    Url,
}

impl ConnectError {
    /// What sort of failure it is.
    pub fn class(&self) -> Class {
        match self {
            Self::Call(CallError::Unauthorized(_) | CallError::Access(_)) => Class::Auth,
            Self::Call(CallError::Timeout) => Class::Timeout,
            Self::Call(CallError::Unreachable(failure)) => of_kind(failure.kind),
            Self::Call(CallError::Disconnected) => Class::Closed,
            Self::Call(CallError::Fault(_) | CallError::Status(429 | 500..)) | Self::Version { .. } => {
                Class::Peer
            }
            Self::Url => Class::Blocked,
            Self::Call(_) | Self::NotMcp(_) | Self::Endpoint => Class::NotMcp,
        }
    }

    /// The challenge, when the peer wants other credentials.
    pub fn challenge(&self) -> Option<&Challenge> {
        match self {
            Self::Call(CallError::Unauthorized(challenge)) => Some(challenge),
            _ => None,
        }
    }
}

fn of_kind(kind: web::Kind) -> Class {
    match kind {
        web::Kind::Dns => Class::Dns,
        web::Kind::Refused => Class::Refused,
        web::Kind::Timeout => Class::Timeout,
        web::Kind::Tls => Class::Tls,
        web::Kind::Blocked | web::Kind::Redirect => Class::Blocked,
        web::Kind::Closed => Class::Closed,
        web::Kind::TooLarge | web::Kind::Protocol => Class::NotMcp,
    }
}

#[cfg(test)]
mod classes {
    use super::*;

    #[test]
    fn every_failure_of_the_network_has_its_class() {
        let classes = [
            (web::Kind::Dns, "dns"),
            (web::Kind::Refused, "refused"),
            (web::Kind::Timeout, "timeout"),
            (web::Kind::Tls, "tls"),
            (web::Kind::Blocked, "blocked"),
        ];
        for (kind, name) in classes {
            assert_eq!(of_kind(kind).name(), name);
        }
    }

    #[test]
    fn a_server_that_is_down_for_a_moment_still_speaks() {
        let class = |status| ConnectError::Call(CallError::Status(status)).class();
        assert_eq!(
            [class(503), class(500), class(429), class(404)],
            [Class::Peer, Class::Peer, Class::Peer, Class::NotMcp]
        );
    }

    #[test]
    fn whoever_waits_is_told_what_happened() {
        let code_of = |error: CallError| Fault::from(error).code;
        assert_eq!(code_of(CallError::Timeout), code::TIMEOUT);
        assert_eq!(code_of(CallError::Cancelled), code::CANCELLED);
        assert_eq!(code_of(CallError::Disconnected), code::DISCONNECTED);
        assert_eq!(code_of(CallError::Malformed("x")), code::INTERNAL);
        assert_eq!(code_of(CallError::Fault(Fault::new(7, "x"))), 7);
    }
}
