//! Why a request failed, in classes a person can act on; the text tells nothing about the network or the request.

use std::error::Error;
use std::fmt;
use std::io;

use hyper_util::client::legacy;

use crate::egress;

/// The class of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The host has no address.
    Dns,
    /// Nobody accepts connections.
    Refused,
    /// A deadline passed.
    Timeout,
    /// The peer is not trusted, or does not speak TLS.
    Tls,
    /// The egress rules do not allow the URL.
    Blocked,
    /// A redirect leads elsewhere or does not end.
    Redirect,
    /// The headers or the body have more bytes than allowed.
    TooLarge,
    /// The peer does not speak HTTP, or in a way that was not asked for.
    Protocol,
    /// The peer closed the connection before the answer was complete.
    Closed,
}

impl Kind {
    /// The class as one word of a machine-readable reason.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Refused => "refused",
            Self::Timeout => "timeout",
            Self::Tls => "tls",
            Self::Blocked => "blocked",
            Self::Redirect => "redirect",
            Self::TooLarge => "too_large",
            Self::Protocol => "protocol",
            Self::Closed => "closed",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Dns => "the host name cannot be resolved",
            Self::Refused => "the connection was refused",
            Self::Timeout => "no answer in time",
            Self::Tls => "no trusted TLS connection was made",
            Self::Blocked => "the address is not allowed",
            Self::Redirect => "the redirect is not followed",
            Self::TooLarge => "the answer is too large",
            Self::Protocol => "the answer is not the HTTP that was asked for",
            Self::Closed => "the connection was closed before the answer was complete",
        })
    }
}

impl From<egress::Error> for Kind {
    fn from(error: egress::Error) -> Self {
        match error {
            egress::Error::Blocked => Self::Blocked,
            egress::Error::Dns => Self::Dns,
            egress::Error::Refused => Self::Refused,
            egress::Error::Timeout => Self::Timeout,
            egress::Error::Tls => Self::Tls,
        }
    }
}

/// A request that got no answer, or not the whole of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct Failure {
    /// What went wrong.
    pub kind: Kind,
    sent: bool,
}

impl Failure {
    /// Whether the server may have got the request, so that sending it again may do a thing twice.
    pub fn maybe_sent(&self) -> bool {
        self.sent
    }

    pub(super) fn new(kind: Kind) -> Self {
        Self { kind, sent: true }
    }

    pub(super) fn unsent(kind: Kind) -> Self {
        Self { kind, sent: false }
    }

    pub(super) fn after_sending(self) -> Self {
        Self { sent: true, ..self }
    }

    pub(super) fn of_request(error: &legacy::Error) -> Self {
        Self { sent: !error.is_connect(), ..Self::of(error, Kind::Protocol) }
    }

    /// Of a body that broke off. A reset stream of HTTP/2 has no class of its own, while a malformed chunk of HTTP/1 is
    /// an I/O error.
    pub(super) fn of_body(error: &hyper::Error) -> Self {
        let malformed = causes(error).any(<dyn Error>::is::<io::Error>);
        Self::of(error, if malformed { Kind::Protocol } else { Kind::Closed })
    }

    /// The class of whatever in the chain of causes has one.
    fn of(error: &(dyn Error + 'static), otherwise: Kind) -> Self {
        let kind = causes(error).find_map(kind_of).unwrap_or(otherwise);
        tracing::debug!(kind = kind.name(), ?error, "the request failed");
        Self::new(kind)
    }
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| cause(*error))
}

fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    // An I/O error shows the cause of what it wraps, but not what it wraps.
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}

fn kind_of(error: &(dyn Error + 'static)) -> Option<Kind> {
    if let Some(error) = error.downcast_ref::<egress::Error>() {
        return Some((*error).into());
    }
    if error.is::<rustls::Error>() {
        return Some(Kind::Tls);
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return kind_of_io(error.kind());
    }
    let error = error.downcast_ref::<hyper::Error>()?;
    if error.is_parse_too_large() {
        return Some(Kind::TooLarge);
    }
    if error.is_timeout() {
        return Some(Kind::Timeout);
    }
    (error.is_incomplete_message() || error.is_closed() || error.is_canceled()).then_some(Kind::Closed)
}

fn kind_of_io(kind: io::ErrorKind) -> Option<Kind> {
    use io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, HostUnreachable,
        NetworkUnreachable, NotConnected, TimedOut, UnexpectedEof,
    };
    match kind {
        BrokenPipe | ConnectionAborted | ConnectionReset | HostUnreachable | NetworkUnreachable
        | NotConnected | UnexpectedEof => Some(Kind::Closed),
        ConnectionRefused => Some(Kind::Refused),
        TimedOut => Some(Kind::Timeout),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[source] Box<dyn Error + Send + Sync>);

    fn kind(inner: impl Into<Box<dyn Error + Send + Sync>>) -> Kind {
        Failure::of(&Outer(inner.into()), Kind::Protocol).kind
    }

    #[test]
    fn the_class_of_a_failure_is_found_below_its_wrappers() {
        assert_eq!(kind(egress::Error::Dns), Kind::Dns);
        assert_eq!(kind(egress::Error::Refused), Kind::Refused);
        assert_eq!(kind(egress::Error::Timeout), Kind::Timeout);
        assert_eq!(kind(egress::Error::Tls), Kind::Tls);
        assert_eq!(kind(egress::Error::Blocked), Kind::Blocked);
        assert_eq!(kind(io::Error::from(io::ErrorKind::ConnectionReset)), Kind::Closed);
        assert_eq!(kind(io::Error::from(io::ErrorKind::UnexpectedEof)), Kind::Closed);
        assert_eq!(kind(io::Error::from(io::ErrorKind::TimedOut)), Kind::Timeout);
        assert_eq!(kind(io::Error::from(io::ErrorKind::ConnectionRefused)), Kind::Refused);
        assert_eq!(kind(io::Error::other(egress::Error::Tls)), Kind::Tls);
        assert_eq!(kind(io::Error::other(Outer(egress::Error::Dns.into()))), Kind::Dns);
        assert_eq!(kind("something else"), Kind::Protocol);
    }

    #[test]
    fn a_late_alert_of_the_peer_is_a_fault_of_trust() {
        let alert = rustls::Error::AlertReceived(rustls::AlertDescription::CertificateRequired);
        assert_eq!(kind(io::Error::new(io::ErrorKind::InvalidData, alert)), Kind::Tls);
    }

    #[test]
    fn a_failure_says_what_happened_and_nothing_about_where() {
        assert_eq!(Failure::new(Kind::Blocked).to_string(), "the address is not allowed");
        let kinds = [Kind::Dns, Kind::Refused, Kind::Timeout, Kind::Tls, Kind::Blocked, Kind::Redirect];
        for kind in kinds.into_iter().chain([Kind::TooLarge, Kind::Protocol, Kind::Closed]) {
            assert!(Failure::new(kind).source().is_none(), "{kind}");
            assert!(!kind.to_string().contains(|c: char| c.is_ascii_digit()), "{kind}");
        }
    }
}
