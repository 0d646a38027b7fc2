//! The OAuth client's requests: through the guard, bounded, and never to another origin.

use std::sync::Arc;
use std::time::Duration;

use http::{Request, StatusCode};
use mcp::egress::{Guard, Rules};
use mcp::web::{Client, Kind, OAuthClient, Redirects};
use rmcp::transport::auth::AuthorizationManager;
use tokio::time::Instant;

use super::server::{Server, answer, path};
use super::{Silent, client, guard};

/// An authorization server; `/body/N` has a body of N bytes, `/moved` leads to `/body/2`, `/away` to another origin.
fn authorization(request: &str) -> Vec<u8> {
    let host = request.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    match path(request) {
        "/.well-known/oauth-authorization-server" => {
            let body = format!(
                r#"{{"issuer":"http://{host}","authorization_endpoint":"http://{host}/a","token_endpoint":"http://{host}/t",
                "response_types_supported":["code"],"code_challenge_methods_supported":["S256"]}}"#
            );
            answer("200 OK", "content-type: application/json\r\n", &body)
        }
        "/moved" => answer("307 Temporary Redirect", "location: /body/2\r\n", ""),
        "/away" => answer("307 Temporary Redirect", "location: http://other.test/\r\n", ""),
        "/silent" => Vec::new(),
        other => match other.strip_prefix("/body/") {
            Some(size) => answer("200 OK", "", &"x".repeat(size.parse().unwrap())),
            None => answer("404 Not Found", "", ""),
        },
    }
}

fn get(url: &str) -> Request<Vec<u8>> {
    Request::get(url).body(Vec::new()).unwrap()
}

#[tokio::test]
async fn metadata_is_discovered_through_the_guard() {
    let server = Server::plain(authorization).await;
    let through =
        |client| AuthorizationManager::new_with_oauth_http_client(server.url("/"), Arc::new(client));
    let manager = through(OAuthClient::new(client())).await.unwrap();
    let found = manager.resolve_metadata().await.unwrap();
    assert_eq!(found.metadata.token_endpoint, server.url("/t"));

    let before = server.seen.connections();
    let blocked = Guard::new(Rules::default()).with_resolver(Arc::new(super::Names));
    let manager = through(OAuthClient::new(Client::new(blocked))).await.unwrap();
    assert!(manager.resolve_metadata().await.is_err());
    assert_eq!(server.seen.connections(), before);
}

#[tokio::test]
async fn an_answer_has_at_most_one_mebibyte() {
    let server = Server::plain(authorization).await;
    let client = OAuthClient::new(client());
    let fetch = |size: u32| client.fetch(get(&server.url(&format!("/body/{size}"))), Redirects::Follow, None);
    assert_eq!(fetch(1_048_576).await.unwrap().into_body().len(), 1_048_576);
    assert_eq!(fetch(1_048_577).await.err().unwrap().kind, Kind::TooLarge);
}

#[tokio::test]
async fn redirects_are_followed_as_asked_but_never_to_another_origin() {
    let server = Server::plain(authorization).await;
    let client = OAuthClient::new(client());
    let fetch = |path: &str, redirects| client.fetch(get(&server.url(path)), redirects, None);
    assert_eq!(fetch("/moved", Redirects::Follow).await.unwrap().body(), b"xx");
    assert_eq!(fetch("/moved", Redirects::Stop).await.unwrap().status(), StatusCode::TEMPORARY_REDIRECT);
    assert_eq!(fetch("/away", Redirects::Follow).await.err().unwrap().kind, Kind::Redirect);
}

#[tokio::test]
async fn the_deadline_asked_for_is_kept() {
    let server = Server::plain(authorization).await;
    let client = OAuthClient::new(client());
    let answer = client.fetch(get(&server.url("/silent")), Redirects::Stop, Some(Duration::from_millis(200)));
    assert_eq!(answer.await.err().unwrap().kind, Kind::Timeout);
}

#[tokio::test(start_paused = true)]
async fn without_a_deadline_thirty_seconds_are_enough() {
    let hour = Duration::from_hours(1);
    let client = Client::new(guard(&[]).with_resolver(Arc::new(Silent)).with_deadline(hour));
    let started = Instant::now();
    let answer = OAuthClient::new(client).fetch(get("http://example.test/"), Redirects::Stop, None).await;
    assert_eq!(answer.err().unwrap().kind, Kind::Timeout);
    assert_eq!(started.elapsed(), Duration::from_secs(30));
}
