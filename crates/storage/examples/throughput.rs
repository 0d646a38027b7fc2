//! How fast commits are on this machine, beside what its disk can do: `cargo run --release --example throughput`.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a program for a person at a terminal")]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use model::{Body, Key, Kind, Organizations, Revision, Scope, Timestamp, Visibility};
use storage::{Actor, Database, Edit, Expected, Keyring, Options, Put, Query, Retention, Store, Write};
use tokio_util::sync::CancellationToken;

fn put(name: &str, value: usize) -> Edit {
    Edit::Put(Box::new(Put {
        key: Key { kind: Kind::McpServer, name: name.parse().unwrap(), scope: Scope::Platform },
        body: Body {
            spec: serde_json::json!({"http": {"url": "https://example.com/mcp", "n": value}}),
            ..Body::default()
        },
        tags: vec![format!("tag-{}", value % 100)],
        search: name.to_owned(),
        mentions: vec![],
        secrets: BTreeMap::new(),
        expected: Expected::Any,
        compares_secrets: true,
    }))
}

fn write(edits: Vec<Edit>) -> Write {
    let actor = Actor { account: "alice".parse().unwrap(), via: "bench".to_owned() };
    Write { actor, at: Timestamp::from_millis(1_763_200_000_000), edits, strict: false, decided_at: None }
}

fn fdatasyncs_per_second(directory: &Path) -> f64 {
    let mut file = std::fs::File::create(directory.join("baseline")).unwrap();
    let started = Instant::now();
    let mut count = 0_u32;
    while started.elapsed() < Duration::from_secs(1) {
        file.write_all(&[7; 4096]).unwrap();
        file.sync_data().unwrap();
        count += 1;
    }
    f64::from(count) / started.elapsed().as_secs_f64()
}

async fn commits_per_second(store: &Store, clients: u32) -> f64 {
    let started = Instant::now();
    let tasks = (0..clients).map(|client| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut count = 0_u32;
            while started.elapsed() < Duration::from_secs(2) {
                let name = format!("c{client}-{}", count % 500);
                store.commit(write(vec![put(&name, count as usize)])).await.unwrap();
                count += 1;
            }
            count
        })
    });
    let mut total = 0;
    for task in tasks.collect::<Vec<_>>() {
        total += task.await.unwrap();
    }
    f64::from(total) / started.elapsed().as_secs_f64()
}

async fn page_by_tag(store: &Store) -> Duration {
    let query = Query {
        kind: Kind::McpServer,
        visibility: Visibility {
            platform: true,
            organizations: Organizations::All,
            account: None,
            also: vec![],
        },
        scope: None,
        org: None,
        tags: vec!["tag-7".to_owned()],
        search: None,
        after: None,
        limit: 50,
    };
    let started = Instant::now();
    for _ in 0..100 {
        store.list(&query).await.unwrap();
    }
    started.elapsed() / 100
}

#[tokio::main]
async fn main() {
    let directory = tempfile::tempdir_in(".").unwrap();
    let keyring = Keyring::load_or_create(&directory.path().join("keys"), None).unwrap();
    let database = match std::env::args().nth(1) {
        Some(url) => Database::Postgres(url),
        None => Database::Sqlite(directory.path().join("data.db")),
    };
    let retention = Retention { history: Duration::MAX, audit: Duration::MAX };
    let (store, service) = Store::open(Options { database, retention }, keyring).await.unwrap();
    let shutdown = CancellationToken::new();
    let running = tokio::spawn(service.run(shutdown.clone()));

    println!("baseline: 4 KiB write + fdatasync  {:>9.0} /s", fdatasyncs_per_second(directory.path()));
    println!("commits, 1 client                  {:>9.0} /s", commits_per_second(&store, 1).await);
    println!("commits, 64 clients                {:>9.0} /s", commits_per_second(&store, 64).await);
    let watching = store.clone();
    let from = store.revision().await.unwrap();
    let seen = tokio::spawn(async move {
        watching.watch(from).next().await.unwrap();
        Instant::now()
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    store.commit(write(vec![put("watched", 1)])).await.unwrap();
    let committed = Instant::now();
    println!(
        "commit to watch                    {:>9.3} ms",
        (seen.await.unwrap() - committed).as_secs_f64() * 1e3
    );
    for count in [1_000, 10_000, 90_000] {
        let edits = (0..count).map(|n| put(&format!("bulk{count}-{n:06}"), n)).collect();
        let started = Instant::now();
        store.commit(write(edits)).await.unwrap();
        let took = started.elapsed();
        println!("one write of {count:>6} puts           {:>9.0} ms", took.as_secs_f64() * 1e3);
        println!(
            "  page of 50 by tag                {:>9.3} ms",
            page_by_tag(&store).await.as_secs_f64() * 1e3
        );
    }
    let newest = store.revision().await.unwrap();
    assert!(newest > Revision(0));
    shutdown.cancel();
    running.await.unwrap();
}
