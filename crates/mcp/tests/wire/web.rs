//! The HTTP client and its egress guard against servers that answer well, badly or not at all.

mod bounds;
mod egress;
mod endings;
mod exchange;
mod failures;
mod oauth;
mod redirects;
mod server;

use std::collections::HashMap;
use std::future::pending;
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use mcp::egress::{Guard, Resolve, Resolving, Rules};
use mcp::web::{Body, Client, Failure, Kind, Options};

/// Knows `example.test` and `other.test`, which are this machine.
struct Names;

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> Resolving<'a> {
        let known = HashMap::from([("example.test", [127, 0, 0, 1]), ("other.test", [127, 0, 0, 1])]);
        let found = known.get(host).map(|address| vec![IpAddr::from(*address)]);
        Box::pin(async move { found.ok_or_else(|| io::Error::other("unknown")) })
    }
}

/// Never answers.
struct Silent;

impl Resolve for Silent {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        Box::pin(pending())
    }
}

/// Gives another answer to every question, and counts them.
struct Flipping {
    answers: Mutex<Vec<[u8; 4]>>,
    asked: AtomicUsize,
}

impl Flipping {
    fn new(answers: &[[u8; 4]]) -> Arc<Self> {
        let answers = Mutex::new(answers.iter().rev().copied().collect());
        Arc::new(Self { answers, asked: AtomicUsize::new(0) })
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Resolve for Flipping {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let answer = self.answers.lock().unwrap().pop();
        Box::pin(async move { Ok(answer.into_iter().map(IpAddr::from).collect()) })
    }
}

fn guard(allow: &[&str]) -> Guard {
    let entries: Vec<_> = allow.iter().map(ToString::to_string).collect();
    Guard::new(Rules::parse(&entries).unwrap()).with_resolver(Arc::new(Names))
}

fn client() -> Client {
    Client::new(guard(&["*.test", "127.0.0.1"]))
}

fn get(url: &str) -> Request<Bytes> {
    Request::get(url).body(Bytes::new()).unwrap()
}

async fn fetch(client: &Client, url: &str) -> Result<Response<Body>, Failure> {
    client.send(get(url), Options::default()).await
}

async fn kind(client: &Client, url: &str) -> Kind {
    fetch(client, url).await.err().expect("the request fails").kind
}

async fn text(answer: Response<Body>) -> String {
    String::from_utf8(answer.into_body().collect(1 << 20).await.unwrap().to_vec()).unwrap()
}
