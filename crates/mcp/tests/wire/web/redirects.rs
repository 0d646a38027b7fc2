//! Redirects over the wire: where they lead, and which headers go along.

use bytes::Bytes;
use http::{Request, StatusCode};
use mcp::web::{Kind, Options, Redirects};

use super::server::{Server, answer, ok, path};
use super::{client, fetch, text};

/// `/N` leads N hops further; `/to/PORT` leads to that port of another host.
fn leading(request: &str) -> Vec<u8> {
    let path = path(request);
    let location = match path.strip_prefix("/to/") {
        Some(port) => format!("http://other.test:{port}/"),
        None => match path.trim_start_matches('/').parse::<u8>().unwrap_or(0) {
            0 => return ok(request),
            left => format!("/{}", left - 1),
        },
    };
    answer("307 Temporary Redirect", &format!("location: {location}\r\n"), "")
}

fn post(url: &str) -> Request<Bytes> {
    let request = Request::post(url).header("authorization", "Bearer secret").header("x-api-key", "secret");
    request.body(Bytes::from_static(b"{\"id\":1}")).unwrap()
}

#[tokio::test]
async fn a_redirect_to_another_origin_is_not_followed_and_no_header_leaves() {
    let thief = Server::plain(ok).await;
    let server = Server::plain(leading).await;
    let url = server.url(&format!("/to/{}", thief.address.port()));
    for request in [post(&url), super::get(&url)] {
        let failure = client().send(request, Options::default()).await.err().unwrap();
        assert_eq!(failure.kind, Kind::Redirect);
        assert!(failure.maybe_sent());
    }
    assert_eq!(server.seen.requests().len(), 2);
    assert_eq!((thief.seen.connections(), thief.seen.requests()), (0, vec![]));
}

#[tokio::test]
async fn a_redirect_within_the_origin_takes_method_headers_and_body_along() {
    let server = Server::plain(leading).await;
    let answer = client().send(post(&server.url("/1")), Options::default()).await.unwrap();
    assert_eq!(text(answer).await, "{}");
    let seen = server.seen.requests();
    assert_eq!(seen.len(), 2);
    assert!(seen[1].starts_with("post /0 ") && seen[1].ends_with("{\"id\":1}"), "{}", seen[1]);
    assert!(seen[1].contains("authorization: bearer secret\r\n"), "{}", seen[1]);
}

#[tokio::test]
async fn five_redirects_are_followed_and_a_sixth_is_not() {
    let server = Server::plain(leading).await;
    assert_eq!(text(fetch(&client(), &server.url("/5")).await.unwrap()).await, "{}");
    assert_eq!(server.seen.requests().len(), 6);
    assert_eq!(super::kind(&client(), &server.url("/6")).await, Kind::Redirect);
    assert_eq!(server.seen.requests().len(), 12);
}

#[tokio::test]
async fn a_redirect_is_the_answer_when_none_is_to_be_followed() {
    let server = Server::plain(leading).await;
    let options = Options { redirects: Redirects::Stop, ..Options::default() };
    let answer = client().send(super::get(&server.url("/to/1")), options).await.unwrap();
    assert_eq!(answer.status(), StatusCode::TEMPORARY_REDIRECT);
    assert_eq!(answer.headers()["location"], "http://other.test:1/");
}
