//! The guard on real sockets: what is not allowed gets no connection, and a flipped name leads nowhere.

use std::sync::Arc;

use mcp::egress::{Guard, Rules};
use mcp::web::{Client, Kind, Options};
use tokio::net::TcpListener;

use super::server::{Server, answer, ok};
use super::{Flipping, fetch, get, guard, kind, text};

fn once(request: &str) -> Vec<u8> {
    match super::server::path(request) {
        "/away" => answer("307 Temporary Redirect", "location: /next\r\nconnection: close\r\n", ""),
        _ => answer("200 OK", "connection: close\r\n", "{}"),
    }
}

/// A server on 127.0.0.1, which the client may reach, and one on the same port of 127.0.0.2, which it may not.
async fn neighbours() -> (Server, Server) {
    loop {
        let allowed = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = allowed.local_addr().unwrap().port();
        if let Ok(private) = TcpListener::bind(("127.0.0.2", port)).await {
            return (Server::at(allowed, once), Server::at(private, ok));
        }
    }
}

#[tokio::test]
async fn no_url_of_this_machine_gets_a_connection() {
    let server = Server::plain(ok).await;
    let client = Client::new(Guard::new(Rules::default()));
    let port = server.address.port();
    let hosts = [
        "127.0.0.1",
        "[::ffff:127.0.0.1]",
        "0x7f.1",
        "017700000001",
        "localhost",
        "localhost.",
        "2130706433",
    ];
    for host in hosts.into_iter().chain(["user@127.0.0.1", "user:secret@localhost", "0"]) {
        let failure = fetch(&client, &format!("http://{host}:{port}/")).await.err().unwrap();
        assert_eq!(failure.kind, Kind::Blocked, "{host}");
        assert_eq!(format!("{failure}"), "the address is not allowed");
        assert!(!failure.maybe_sent());
    }
    assert_eq!(kind(&client, "http://169.254.169.254/latest/meta-data").await, Kind::Blocked);
    assert_eq!(server.seen.connections(), 0);
}

#[tokio::test]
async fn a_user_in_the_url_is_refused_even_on_an_allowed_host() {
    let server = Server::plain(ok).await;
    let client = Client::new(guard(&["example.test"]));
    let url = format!("http://user:secret@example.test:{}/", server.address.port());
    assert_eq!(kind(&client, &url).await, Kind::Blocked);
    assert_eq!(server.seen.connections(), 0);
}

#[tokio::test]
async fn a_name_is_resolved_once_per_connection_and_blocked_when_it_flips() {
    let (allowed, private) = neighbours().await;
    let names = Flipping::new(&[[127, 0, 0, 1], [127, 0, 0, 2], [127, 0, 0, 2]]);
    let client = Client::new(guard(&["127.0.0.1"]).with_resolver(names.clone()));
    assert_eq!(text(fetch(&client, &allowed.url("/")).await.unwrap()).await, "{}");
    assert_eq!(names.asked(), 1);
    assert_eq!(kind(&client, &allowed.url("/")).await, Kind::Blocked);
    assert_eq!((allowed.seen.connections(), private.seen.connections()), (1, 0));
}

#[tokio::test]
async fn a_name_that_flips_between_two_hops_is_blocked() {
    let (allowed, private) = neighbours().await;
    let names = Flipping::new(&[[127, 0, 0, 1], [127, 0, 0, 2], [127, 0, 0, 2]]);
    let client = Client::new(guard(&["127.0.0.1"]).with_resolver(names));
    let failure = client.send(get(&allowed.url("/away")), Options::default()).await.err().unwrap();
    assert_eq!(failure.kind, Kind::Blocked);
    assert!(failure.maybe_sent(), "the first hop got the request");
    assert_eq!((allowed.seen.connections(), private.seen.connections()), (1, 0));
}

#[tokio::test]
async fn an_allowed_network_opens_the_way_to_its_addresses_only() {
    let (allowed, private) = neighbours().await;
    let client = Client::new(guard(&["127.0.0.1/32"]).with_resolver(Arc::new(super::Silent)));
    let port = allowed.address.port();
    assert_eq!(text(fetch(&client, &format!("http://0x7f.1:{port}/")).await.unwrap()).await, "{}");
    assert_eq!(kind(&client, &format!("http://127.0.0.2:{port}/")).await, Kind::Blocked);
    assert_eq!(private.seen.connections(), 0);
}
