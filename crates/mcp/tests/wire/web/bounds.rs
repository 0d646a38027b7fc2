//! Answers that are too large, at the bound and one beyond it.

use std::time::Duration;

use mcp::web::{Client, Kind, Options};

use super::server::{Certificate, Server, answer, path};
use super::{client, fetch, get, guard, kind};

/// `/bytes/N` has a header of N bytes, `/count/N` N headers in all, `/body/N` a body of N bytes,
/// `/announced/N` only speaks of one, `/chunks` has no end.
fn sized(request: &str) -> Vec<u8> {
    let (what, size) = path(request).trim_start_matches('/').split_once('/').unwrap_or(("chunks", "0"));
    let size: usize = size.parse().unwrap();
    match what {
        "bytes" => answer("200 OK", &format!("x-large: {}\r\n", "x".repeat(size)), "{}"),
        "count" => answer("200 OK", &"x-a: b\r\n".repeat(size - 1), "{}"),
        "announced" => format!("HTTP/1.1 200 OK\r\ncontent-length: {size}\r\n\r\n").into_bytes(),
        "body" => answer("200 OK", "", &"x".repeat(size)),
        _ => {
            let chunk = format!("400\r\n{}\r\n", "x".repeat(1024));
            format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{}", chunk.repeat(1024))
                .into_bytes()
        }
    }
}

#[tokio::test]
async fn headers_of_64_kib_are_read_and_more_are_not() {
    let server = Server::plain(sized).await;
    // Beside the value there are `x-large`, `content-length` and `2`.
    assert!(fetch(&client(), &server.url("/bytes/65514")).await.is_ok());
    for size in [65_515, 1_000_000] {
        assert_eq!(kind(&client(), &server.url(&format!("/bytes/{size}"))).await, Kind::TooLarge, "{size}");
    }
}

#[tokio::test]
async fn headers_over_http2_have_the_same_bound() {
    let certificate = Certificate::new();
    let server = Server::h2(&certificate).await;
    let client = Client::new(guard(&["example.test"]).with_roots(vec![certificate.der]));
    assert!(fetch(&client, &server.secure_url("/bytes/65000")).await.is_ok());
    assert!(fetch(&client, &server.secure_url("/bytes/65700")).await.is_err());
}

#[tokio::test]
async fn an_answer_has_at_most_128_headers() {
    let server = Server::plain(sized).await;
    assert!(fetch(&client(), &server.url("/count/128")).await.is_ok());
    assert_eq!(kind(&client(), &server.url("/count/129")).await, Kind::TooLarge);
}

#[tokio::test]
async fn a_body_is_collected_up_to_its_cap() {
    let server = Server::plain(sized).await;
    let body = || async { fetch(&client(), &server.url("/body/1000")).await.unwrap().into_body() };
    assert_eq!(body().await.collect(1000).await.unwrap().len(), 1000);
    assert_eq!(body().await.collect(999).await.err().unwrap().kind, Kind::TooLarge);
}

#[tokio::test]
async fn a_body_that_is_announced_as_too_large_is_not_waited_for() {
    let server = Server::plain(sized).await;
    let options = Options { idle: Duration::from_millis(300), ..Options::default() };
    let answer = client().send(get(&server.url("/announced/1000")), options).await.unwrap();
    assert_eq!(answer.into_body().collect(999).await.err().unwrap().kind, Kind::TooLarge);
}

#[tokio::test]
async fn a_body_without_end_is_cut_at_its_cap() {
    let server = Server::plain(sized).await;
    let body = fetch(&client(), &server.url("/chunks")).await.unwrap().into_body();
    assert_eq!(body.collect(100_000).await.err().unwrap().kind, Kind::TooLarge);
    server.seen.end().await;
}

#[tokio::test]
async fn the_limit_of_a_request_holds_for_its_body() {
    let server = Server::plain(sized).await;
    for (limit, fits) in [(1000, true), (999, false)] {
        let options = Options { limit: Some(limit), ..Options::default() };
        let answer = client().send(get(&server.url("/body/1000")), options).await.unwrap();
        assert_eq!(answer.into_body().collect(1 << 20).await.is_ok(), fits, "{limit}");
    }
}
