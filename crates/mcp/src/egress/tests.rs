//! The guard before any packet leaves: what it resolves, what it lets through, when it gives up.

use std::future::pending;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::time::Instant;

use super::*;

/// Gives its answers one after the other, the last one forever, and counts the questions.
struct Answers {
    answers: Mutex<Vec<Vec<IpAddr>>>,
    asked: AtomicUsize,
}

impl Answers {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let read = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
        Arc::new(Self { answers: Mutex::new(answers.iter().map(read).collect()), asked: AtomicUsize::new(0) })
    }
}

impl Resolve for Answers {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
        Box::pin(async move { Ok(answer) })
    }
}

struct Silent;

impl Resolve for Silent {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        Box::pin(pending())
    }
}

struct Unknown;

impl Resolve for Unknown {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        Box::pin(async { Err(io::Error::other("no such host 10.0.0.53")) })
    }
}

fn guard(allow: &[&str], resolver: Arc<dyn Resolve>) -> Guard {
    let entries: Vec<_> = allow.iter().map(ToString::to_string).collect();
    Guard::new(Rules::parse(&entries).unwrap()).with_resolver(resolver)
}

async fn judged(guard: &Guard, uri: &str) -> Result<Vec<String>, Error> {
    let destination = Destination::read(&uri.parse().unwrap()).ok_or(Error::Blocked)?;
    Ok(guard.addresses(&destination).await?.iter().map(ToString::to_string).collect())
}

#[tokio::test]
async fn no_spelling_of_a_private_address_is_dialled() {
    let guard = guard(&[], Answers::new(&[&["1.1.1.1"]]));
    for host in [
        "169.254.169.254",
        "[::ffff:127.0.0.1]",
        "[::ffff:a9fe:a9fe]",
        "0x7f.1",
        "017700000001",
        "2130706433",
        "127.1",
        "0",
        "localhost",
        "localhost.",
        "LOCALHOST",
        "user@1.1.1.1",
        "user:secret@example.org",
        "[::1]",
        "[::]",
        "[fd00:ec2::254]",
        "[64:ff9b::7f00:1]",
    ] {
        assert_eq!(judged(&guard, &format!("http://{host}/")).await, Err(Error::Blocked), "{host}");
    }
}

#[tokio::test]
async fn a_public_address_is_judged_once_and_dialled_at_its_port() {
    let answers = Answers::new(&[&["93.184.216.34"], &["127.0.0.1"]]);
    let guard = guard(&[], answers.clone());
    assert_eq!(judged(&guard, "https://example.org/").await, Ok(vec!["93.184.216.34:443".to_owned()]));
    assert_eq!(answers.asked.load(Ordering::SeqCst), 1);
    assert_eq!(judged(&guard, "https://example.org/").await, Err(Error::Blocked), "the name flipped");
}

#[tokio::test]
async fn of_a_mixed_answer_only_the_allowed_addresses_are_dialled() {
    let guard = guard(&[], Answers::new(&[&["10.0.0.1", "93.184.216.34", "::ffff:127.0.0.1"]]));
    assert_eq!(judged(&guard, "http://example.org:8080/").await, Ok(vec!["93.184.216.34:8080".to_owned()]));
}

#[tokio::test]
async fn an_allowed_host_may_have_any_address_and_an_allowed_network_any_name() {
    let guard = guard(&["tools.internal", "10.0.0.0/8"], Answers::new(&[&["10.1.2.3", "192.168.0.1"]]));
    let both = Ok(vec!["10.1.2.3:80".to_owned(), "192.168.0.1:80".to_owned()]);
    assert_eq!(judged(&guard, "http://Tools.Internal./").await, both);
    assert_eq!(judged(&guard, "http://example.org/").await, Ok(vec!["10.1.2.3:80".to_owned()]));
    assert_eq!(judged(&guard, "http://10.9.9.9/").await, Ok(vec!["10.9.9.9:80".to_owned()]));
    assert_eq!(judged(&guard, "http://192.168.0.1/").await, Err(Error::Blocked));
}

#[tokio::test]
async fn the_names_of_this_machine_are_its_loopback_without_asking() {
    let guard = guard(&["127.0.0.1", "tools.localhost"], Answers::new(&[&["93.184.216.34"]]));
    for host in ["localhost", "localhost.", "LocalHost", "a.localhost."] {
        let found = judged(&guard, &format!("http://{host}/")).await;
        assert_eq!(found, Ok(vec!["127.0.0.1:80".to_owned()]), "{host}");
    }
    let both = Ok(vec!["127.0.0.1:80".to_owned(), "[::1]:80".to_owned()]);
    assert_eq!(judged(&guard, "http://tools.localhost/").await, both);
    assert_eq!(judged(&guard, "http://notlocalhost/").await, Ok(vec!["93.184.216.34:80".to_owned()]));
}

#[tokio::test]
async fn a_host_without_an_address_is_a_fault_of_the_name() {
    let uri = Uri::from_static("http://example.org/");
    assert_eq!(guard(&[], Arc::new(Unknown)).connect(&uri).await.err(), Some(Error::Dns));
    assert_eq!(guard(&[], Answers::new(&[&[]])).connect(&uri).await.err(), Some(Error::Dns));
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_given_up_after_thirty_seconds() {
    let started = Instant::now();
    let failed = guard(&[], Arc::new(Silent)).connect(&Uri::from_static("http://example.org/")).await;
    assert_eq!(failed.err(), Some(Error::Timeout));
    assert_eq!(started.elapsed(), Duration::from_secs(30));
}

#[test]
fn a_blocked_address_has_one_text() {
    assert_eq!(Error::Blocked.to_string(), "the address is not allowed");
}
