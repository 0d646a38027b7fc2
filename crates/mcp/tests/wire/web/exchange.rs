//! A request and its answer when all goes well.

use bytes::Bytes;
use futures_util::StreamExt;
use http::{Request, Version};
use mcp::web::{Client, Options};

use super::server::{Certificate, Server, ok};
use super::{client, fetch, guard, text};

#[tokio::test]
async fn a_json_body_is_posted_and_a_json_body_is_read() {
    let server = Server::plain(ok).await;
    let request = Request::post(server.url("/mcp?a=b"))
        .header("content-type", "application/json")
        .header("x-key", "secret")
        .body(Bytes::from_static(b"{\"id\":1}"))
        .unwrap();
    let answer = client().send(request, Options::default()).await.unwrap();
    assert_eq!(answer.headers()["content-type"], "application/json");
    assert_eq!(text(answer).await, "{}");
    let seen = server.seen.requests().remove(0);
    assert!(seen.starts_with("post /mcp?a=b http/1.1\r\n") && seen.ends_with("{\"id\":1}"), "{seen}");
    assert!(seen.contains("x-key: secret\r\n") && seen.contains("content-length: 8\r\n"), "{seen}");
}

#[tokio::test]
async fn what_belongs_to_the_connection_is_not_for_callers_to_say() {
    let server = Server::plain(ok).await;
    let wrong =
        [("accept-encoding", "gzip"), ("host", "evil.test"), ("content-length", "100"), ("te", "trailers")];
    let more =
        [("connection", "upgrade"), ("upgrade", "h2c"), ("expect", "100-continue"), ("trailer", "x-a")];
    let mut request = Request::post(server.url("/"));
    for (name, value) in wrong.into_iter().chain(more).chain([("transfer-encoding", "chunked")]) {
        request = request.header(name, value);
    }
    client().send(request.body(Bytes::from_static(b"{}")).unwrap(), Options::default()).await.unwrap();
    let expected = format!(
        "post / http/1.1\r\nhost: example.test:{}\r\ncontent-length: 2\r\n\r\n{{}}",
        server.address.port()
    );
    let sorted = |request: &str| {
        let mut lines: Vec<_> = request.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&server.seen.requests()[0]), sorted(&expected));
}

#[tokio::test]
async fn a_connection_serves_one_request_after_the_other() {
    let server = Server::plain(ok).await;
    let client = client();
    for _ in 0..3 {
        text(fetch(&client.clone(), &server.url("/")).await.unwrap()).await;
    }
    assert_eq!((server.seen.requests().len(), server.seen.connections()), (3, 1));
}

#[tokio::test]
async fn a_server_that_chose_http2_serves_many_requests_at_once_over_one_connection() {
    let certificate = Certificate::new();
    let server = Server::h2(&certificate).await;
    let client = Client::new(guard(&["example.test"]).with_roots(vec![certificate.der]));
    let mut first = fetch(&client, &server.secure_url("/endless")).await.unwrap();
    assert_eq!(first.version(), Version::HTTP_2);
    assert_eq!(first.body_mut().next().await.unwrap().unwrap(), "hello");
    assert_eq!(text(fetch(&client, &server.secure_url("/")).await.unwrap()).await, "hello");
    assert_eq!(server.seen.connections(), 1);
}

#[tokio::test]
async fn a_server_that_chose_http1_over_tls_is_trusted_by_its_name() {
    let certificate = Certificate::new();
    let server = Server::secure(ok, &certificate).await;
    let client = Client::new(guard(&["*.test"]).with_roots(vec![certificate.der]));
    for _ in 0..2 {
        let answer = fetch(&client, &server.secure_url("/")).await.unwrap();
        assert_eq!(answer.version(), Version::HTTP_11);
        assert_eq!(text(answer).await, "{}");
    }
    assert_eq!(server.seen.connections(), 1);
}
