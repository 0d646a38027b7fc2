//! The HTTP client of every outbound request; each connection goes through the egress guard, and headers never leave the
//! origin they were meant for.

mod body;
mod failure;
mod oauth;
mod redirect;

use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, EXPECT, HOST, HeaderMap, HeaderName,
    LOCATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, Uri, Version};
use http_body_util::Full;
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::timeout;
use url::Url;

use crate::egress::Guard;
use redirect::Next;

pub use body::Body;
pub use failure::{Failure, Kind};
pub use oauth::{OAUTH_BODY_LIMIT, OAUTH_DEADLINE, OAuthClient};

/// How long a request may take until the headers of its answer are there, connecting and redirects included.
pub const HEADERS_DEADLINE: Duration = Duration::from_mins(1);

/// How long a body may stay silent.
pub const IDLE_DEADLINE: Duration = Duration::from_mins(1);

/// How many bytes a body may have in all.
pub const BODY_LIMIT: u64 = 16 * 1024 * 1024;

/// How many bytes the headers of an answer may have.
pub const HEADER_BYTES: u32 = 64 * 1024;

/// How many headers an answer over HTTP/1 may have.
pub const HEADER_COUNT: usize = 128;

/// How many redirects one request may follow.
pub const HOPS: usize = 5;

/// How many unused connections are kept for one origin, and for how long.
const SPARE_CONNECTIONS: usize = 8;
const SPARE_DEADLINE: Duration = Duration::from_mins(1);

/// How often an HTTP/2 connection in use is asked whether it lives, and how long it may take to say so.
const PING_INTERVAL: Duration = Duration::from_secs(30);
const PING_DEADLINE: Duration = Duration::from_secs(20);

/// What the connection decides, whatever a caller was configured to send.
const OWN_HEADERS: [HeaderName; 9] =
    [ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, EXPECT, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE];

/// Whether a redirect is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redirects {
    /// To the same origin, at most [`HOPS`] times; any other redirect fails the request.
    Follow,
    /// The redirect is the answer.
    Stop,
}

/// The bounds of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Until the headers of the answer are there.
    pub headers: Duration,
    /// Between two chunks of the body.
    pub idle: Duration,
    /// Bytes of the whole body; `None` for a stream of events without end.
    pub limit: Option<u64>,
    /// What becomes of a redirect.
    pub redirects: Redirects,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            headers: HEADERS_DEADLINE,
            idle: IDLE_DEADLINE,
            limit: Some(BODY_LIMIT),
            redirects: Redirects::Follow,
        }
    }
}

/// Sends requests over HTTP/1 and HTTP/2; clones share their connections.
#[derive(Clone)]
pub struct Client {
    inner: legacy::Client<Guard, Full<Bytes>>,
}

impl Client {
    /// A client all of whose connections are opened by `guard`.
    pub fn new(guard: Guard) -> Self {
        let inner = legacy::Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(SPARE_DEADLINE)
            .pool_max_idle_per_host(SPARE_CONNECTIONS)
            .http1_max_buf_size(HEADER_BYTES as usize)
            .http1_max_headers(HEADER_COUNT)
            .http2_max_header_list_size(HEADER_BYTES)
            .http2_keep_alive_interval(PING_INTERVAL)
            .http2_keep_alive_timeout(PING_DEADLINE)
            .build(guard);
        Self { inner }
    }

    /// The answer to `request`, whose URI must be absolute. Dropping the body of the answer gives up the request.
    pub async fn send(&self, request: Request<Bytes>, options: Options) -> Result<Response<Body>, Failure> {
        let (mut parts, body) = request.into_parts();
        let url = target(&parts.uri)?;
        if parts.method == Method::CONNECT {
            return Err(Failure::unsent(Kind::Protocol));
        }
        for name in &OWN_HEADERS {
            parts.headers.remove(name);
        }
        let answer = self.follow(&parts, url, &body, options);
        timeout(options.headers, answer).await.unwrap_or(Err(Failure::new(Kind::Timeout)))
    }

    async fn follow(
        &self,
        parts: &Parts,
        mut url: Url,
        body: &Bytes,
        options: Options,
    ) -> Result<Response<Body>, Failure> {
        for hop in 0..=HOPS {
            let answer = self.once(parts, &url, body.clone(), options).await;
            let answer = answer.map_err(|failure| if hop > 0 { failure.after_sending() } else { failure })?;
            if options.redirects == Redirects::Stop {
                return Ok(answer);
            }
            url = match redirect::next(&parts.method, answer.status(), &url, answer.headers().get(LOCATION)) {
                Next::Stay => return Ok(answer),
                Next::Go(url) => url,
                Next::Refuse => return Err(Failure::new(Kind::Redirect)),
            };
        }
        Err(Failure::new(Kind::Redirect))
    }

    async fn once(
        &self,
        parts: &Parts,
        url: &Url,
        body: Bytes,
        options: Options,
    ) -> Result<Response<Body>, Failure> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = parts.method.clone();
        *request.uri_mut() = url.as_str().parse().map_err(|_| Failure::unsent(Kind::Protocol))?;
        // The connection speaks HTTP/2 when the server chose it, whatever the request says.
        *request.version_mut() = Version::HTTP_11;
        *request.headers_mut() = parts.headers.clone();

        let answer = self.inner.request(request).await.map_err(|error| Failure::of_request(&error))?;
        if answer.status() == StatusCode::SWITCHING_PROTOCOLS || is_encoded(answer.headers()) {
            return Err(Failure::new(Kind::Protocol));
        }
        if weight(answer.headers()) > HEADER_BYTES as usize {
            return Err(Failure::new(Kind::TooLarge));
        }
        Ok(answer.map(|incoming| Body::new(incoming, options.idle, options.limit)))
    }
}

/// The URL of a request, with every host in its one spelling.
fn target(uri: &Uri) -> Result<Url, Failure> {
    let authority = uri.authority().ok_or(Failure::unsent(Kind::Protocol))?;
    let url = Url::parse(&uri.to_string()).map_err(|_| Failure::unsent(Kind::Blocked))?;
    if authority.as_str().contains('@') || !matches!(url.scheme(), "http" | "https") {
        return Err(Failure::unsent(Kind::Blocked));
    }
    Ok(url)
}

/// Nothing was asked to be encoded, and a small encoded body may be a huge one.
fn is_encoded(headers: &HeaderMap) -> bool {
    let plain =
        |value: &[u8]| value.trim_ascii().is_empty() || value.trim_ascii().eq_ignore_ascii_case(b"identity");
    headers.get_all(CONTENT_ENCODING).iter().any(|value| !value.as_bytes().split(|c| *c == b',').all(plain))
}

/// Over HTTP/1 the bound of the connection's buffer holds only roughly, so the headers are counted again.
fn weight(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_its_host_in_one_spelling_and_no_user() {
        for (uri, expected) in [
            ("http://0x7f.1/a?b=c", Ok("http://127.0.0.1/a?b=c")),
            ("http://017700000001/", Ok("http://127.0.0.1/")),
            ("https://EXAMPLE.org:443", Ok("https://example.org/")),
            ("http://user@example.org/", Err(Kind::Blocked)),
            ("http://user:secret@example.org/", Err(Kind::Blocked)),
            ("ftp://example.org/", Err(Kind::Blocked)),
            ("/relative", Err(Kind::Protocol)),
        ] {
            let found = target(&uri.parse().unwrap()).map_err(|failure| failure.kind);
            assert_eq!(found, expected.map(|url| Url::parse(url).unwrap()), "{uri}");
        }
    }

    #[test]
    fn every_encoding_but_identity_is_one() {
        for (value, encoded) in [
            ("identity", false),
            (" Identity ", false),
            ("", false),
            ("gzip", true),
            ("identity, gzip", true),
            ("br", true),
        ] {
            let headers = HeaderMap::from_iter([(CONTENT_ENCODING, value.parse().unwrap())]);
            assert_eq!(is_encoded(&headers), encoded, "{value}");
        }
        assert!(!is_encoded(&HeaderMap::new()));
    }

    #[test]
    fn a_request_is_bounded_by_default() {
        let second = Duration::from_secs(1);
        let expected = Options {
            headers: 60 * second,
            idle: 60 * second,
            limit: Some(16_777_216),
            redirects: Redirects::Follow,
        };
        assert_eq!(Options::default(), expected);
    }

    #[test]
    fn a_client_keeps_few_connections_and_asks_whether_they_live() {
        assert_eq!((SPARE_CONNECTIONS, SPARE_DEADLINE.as_secs()), (8, 60));
        assert_eq!((PING_INTERVAL.as_secs(), PING_DEADLINE.as_secs()), (30, 20));
    }
}
