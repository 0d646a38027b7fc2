//! Each class of failure, caused for real.

use std::sync::Arc;
use std::time::Duration;

use mcp::web::{Client, Kind, Options};
use tokio::net::TcpListener;
use tokio::time::Instant;

use super::server::{Certificate, Server, answer, ok};
use super::{Silent, client, fetch, get, guard, kind};

fn silent(_: &str) -> Vec<u8> {
    Vec::new()
}

fn soon() -> Options {
    Options { headers: Duration::from_millis(300), ..Options::default() }
}

#[tokio::test]
async fn a_closed_port_refuses() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let failure = fetch(&client(), &format!("http://127.0.0.1:{port}/")).await.err().unwrap();
    assert_eq!((failure.kind, failure.maybe_sent()), (Kind::Refused, false));
}

#[tokio::test]
async fn an_unknown_host_has_no_address() {
    let failure = fetch(&client(), "http://unknown.test/").await.err().unwrap();
    assert_eq!((failure.kind, failure.maybe_sent()), (Kind::Dns, false));
}

#[tokio::test]
async fn a_server_that_says_nothing_is_left_when_the_headers_are_due() {
    let server = Server::plain(silent).await;
    let failure = client().send(get(&server.url("/")), soon()).await.err().unwrap();
    assert_eq!((failure.kind, failure.maybe_sent()), (Kind::Timeout, true));
    server.seen.end().await;
}

#[tokio::test(start_paused = true)]
async fn headers_are_due_after_a_minute() {
    let hour = Duration::from_hours(1);
    let client = Client::new(guard(&[]).with_resolver(Arc::new(Silent)).with_deadline(hour));
    let started = Instant::now();
    assert_eq!(kind(&client, "http://example.test/").await, Kind::Timeout);
    assert_eq!(started.elapsed(), Duration::from_mins(1));
}

#[tokio::test]
async fn a_listener_that_never_shakes_hands_is_left_at_the_deadline() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://127.0.0.1:{}/", listener.local_addr().unwrap().port());
    let client = Client::new(guard(&["127.0.0.1"]).with_deadline(Duration::from_millis(300)));
    let failure = fetch(&client, &url).await.err().unwrap();
    assert_eq!((failure.kind, failure.maybe_sent()), (Kind::Timeout, false));
}

#[tokio::test]
async fn a_certificate_nobody_vouches_for_is_not_trusted() {
    let server = Server::secure(ok, &Certificate::new()).await;
    let failure = fetch(&client(), &server.secure_url("/")).await.err().unwrap();
    assert_eq!((failure.kind, failure.maybe_sent()), (Kind::Tls, false));
    assert!(server.seen.requests().is_empty());
}

#[tokio::test]
async fn a_certificate_for_another_name_is_not_trusted() {
    let certificate = Certificate::new();
    let server = Server::secure(ok, &certificate).await;
    let client = Client::new(guard(&["*.test", "127.0.0.1"]).with_roots(vec![certificate.der]));
    for host in ["other.test", "127.0.0.1"] {
        let url = format!("https://{host}:{}/", server.address.port());
        assert_eq!(kind(&client, &url).await, Kind::Tls, "{host}");
    }
    assert!(server.seen.requests().is_empty());
}

#[tokio::test]
async fn a_server_without_tls_is_a_fault_of_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://127.0.0.1:{}/", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        let (mut tcp, _) = listener.accept().await.unwrap();
        let complaint = answer("400 Bad Request", "", "speak plainly");
        tokio::io::AsyncWriteExt::write_all(&mut tcp, &complaint).await.unwrap();
    });
    assert_eq!(kind(&client(), &url).await, Kind::Tls);
}

#[tokio::test]
async fn a_server_that_hangs_up_before_the_headers_closed_the_connection() {
    let server = Server::plain(|_| b"HTTP/1.1 200 OK\r\nconnection: close".to_vec()).await;
    let failure = fetch(&client(), &server.url("/")).await.err().unwrap();
    assert_eq!((failure.kind, failure.maybe_sent()), (Kind::Closed, true));
}

#[tokio::test]
async fn a_server_that_hangs_up_within_the_body_closed_the_connection() {
    let server =
        Server::plain(|_| b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\n{".to_vec())
            .await;
    let answer = fetch(&client(), &server.url("/")).await.unwrap();
    assert_eq!(answer.into_body().collect(100).await.err().unwrap().kind, Kind::Closed);
}

#[tokio::test]
async fn a_stream_that_is_reset_within_the_body_closed_the_connection() {
    let certificate = Certificate::new();
    let server = Server::h2(&certificate).await;
    let client = Client::new(guard(&["example.test"]).with_roots(vec![certificate.der]));
    let answer = fetch(&client, &server.secure_url("/broken")).await.unwrap();
    assert_eq!(answer.into_body().collect(100).await.err().unwrap().kind, Kind::Closed);
}

#[tokio::test]
async fn a_malformed_chunk_is_a_fault_of_the_protocol() {
    let server =
        Server::plain(|_| b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_vec()).await;
    let answer = fetch(&client(), &server.url("/")).await.unwrap();
    assert_eq!(answer.into_body().collect(100).await.err().unwrap().kind, Kind::Protocol);
}

#[tokio::test]
async fn an_answer_that_is_not_http_is_a_fault_of_the_protocol() {
    let server = Server::plain(|_| b"SSH-2.0-OpenSSH_9.9\r\n\r\n".to_vec()).await;
    assert_eq!(kind(&client(), &server.url("/")).await, Kind::Protocol);
}

#[tokio::test]
async fn an_encoded_answer_is_refused() {
    for encoding in ["gzip", "br", "identity, gzip"] {
        let script: super::server::Script = match encoding {
            "gzip" => |_| answer("200 OK", "content-encoding: gzip\r\n", "bomb"),
            "br" => |_| answer("200 OK", "content-encoding: br\r\n", "bomb"),
            _ => |_| answer("200 OK", "content-encoding: identity\r\ncontent-encoding: gzip\r\n", "bomb"),
        };
        let server = Server::plain(script).await;
        assert_eq!(kind(&client(), &server.url("/")).await, Kind::Protocol, "{encoding}");
    }
    let server = Server::plain(|_| answer("200 OK", "content-encoding: identity\r\n", "{}")).await;
    assert!(fetch(&client(), &server.url("/")).await.is_ok());
}

#[tokio::test]
async fn a_switch_of_protocols_nobody_asked_for_is_refused() {
    let server = Server::plain(|_| b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n".to_vec()).await;
    assert_eq!(kind(&client(), &server.url("/")).await, Kind::Protocol);
}
