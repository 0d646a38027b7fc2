//! How an exchange ends: by silence, or because nobody wants the answer any more.

use std::time::Duration;

use futures_util::StreamExt;
use mcp::web::{Client, Kind, Options};
use tokio::time::{Instant, timeout};

use super::server::{Certificate, Server, ok, path};
use super::{client, fetch, get, guard, text};

fn events(request: &str) -> Vec<u8> {
    match path(request) {
        "/events" => b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {}\n\n".to_vec(),
        "/chunked" => b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\ndata: {}\n\n\r\n".to_vec(),
        "/silent" => Vec::new(),
        _ => ok(request),
    }
}

fn endless() -> Options {
    Options { limit: None, ..Options::default() }
}

#[tokio::test]
async fn a_stream_that_falls_silent_ends_after_a_minute() {
    let server = Server::plain(events).await;
    let client = client();
    let mut body = client.send(get(&server.url("/events")), endless()).await.unwrap().into_body();
    assert_eq!(body.next().await.unwrap().unwrap(), "data: {}\n\n");
    tokio::time::pause();
    let started = Instant::now();
    assert_eq!(body.next().await.unwrap().err().unwrap().kind, Kind::Timeout);
    assert_eq!(started.elapsed().as_secs(), 60);
    assert!(body.next().await.is_none(), "nothing follows a failure");
    tokio::time::resume();
    server.seen.end().await;
}

#[tokio::test]
async fn a_stream_that_speaks_now_and_then_is_not_silent() {
    let certificate = Certificate::new();
    let server = Server::h2(&certificate).await;
    let client = Client::new(guard(&["example.test"]).with_roots(vec![certificate.der]));
    let options = Options { idle: Duration::from_millis(1500), ..endless() };
    let answer = client.send(get(&server.secure_url("/drip")), options).await.unwrap();
    assert_eq!(text(answer).await, "drip", "it took longer than the idle deadline in all");
}

#[tokio::test]
async fn dropping_a_silent_stream_closes_its_connection() {
    let server = Server::plain(events).await;
    let client = client();
    for path in ["/events", "/chunked"] {
        let mut body = client.send(get(&server.url(path)), endless()).await.unwrap().into_body();
        assert!(body.next().await.unwrap().is_ok());
        // The reader waits for more when it loses interest.
        assert!(timeout(Duration::from_millis(50), body.next()).await.is_err());
        drop(body);
        server.seen.end().await;
    }
}

#[tokio::test]
async fn dropping_a_silent_stream_over_tls_closes_its_connection() {
    let certificate = Certificate::new();
    let server = Server::secure(events, &certificate).await;
    let client = Client::new(guard(&["example.test"]).with_roots(vec![certificate.der]));
    let mut body = client.send(get(&server.secure_url("/events")), endless()).await.unwrap().into_body();
    assert!(body.next().await.unwrap().is_ok());
    assert!(timeout(Duration::from_millis(50), body.next()).await.is_err());
    drop(body);
    server.seen.end().await;
}

#[tokio::test]
async fn dropping_a_stream_of_http2_resets_it_and_keeps_the_connection() {
    let certificate = Certificate::new();
    let server = Server::h2(&certificate).await;
    let client = Client::new(guard(&["example.test"]).with_roots(vec![certificate.der]));
    let mut body = client.send(get(&server.secure_url("/endless")), endless()).await.unwrap().into_body();
    assert!(body.next().await.unwrap().is_ok());
    drop(body);
    server.seen.end().await;
    assert_eq!(text(fetch(&client, &server.secure_url("/")).await.unwrap()).await, "hello");
    assert_eq!(server.seen.connections(), 1);
}

#[tokio::test]
async fn giving_up_before_the_headers_closes_the_connection() {
    let server = Server::plain(events).await;
    let client = client();
    let url = server.url("/silent");
    assert!(timeout(Duration::from_millis(200), fetch(&client, &url)).await.is_err());
    server.seen.end().await;
    assert_eq!(server.seen.requests().len(), 1);
}
