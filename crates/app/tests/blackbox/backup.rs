//! Backup while the daemon runs, and restore into an empty store.

use testkit::{Daemon, Outfitter};

use crate::stage::{BINARY, Stage, manifest};

#[test]
fn a_backup_taken_online_restores_everything_with_the_key_apart() {
    let stage = Stage::set();
    let documents = [
        manifest("McpServer", "gh", "stdio: {command: npx}\ntags: [git]"),
        manifest("Environment", "prod", "data: {T: {is_secret: true, value: s3}}"),
    ];
    stage.done_with(&["apply", "-f", "-"], &documents.join("---\n"));
    stage.done(&["backup", "store.backup"]);
    let backup = stage.person.home().join("store.backup");
    let before = stage.http().get("/api/v1/mcpservers").unwrap().json();

    let mut fresh = Daemon::builder().binary(BINARY).prepare().unwrap();
    let restore = |file: &std::path::Path, data: &std::path::Path| {
        let person = Outfitter::with_binary(BINARY).unwrap();
        person.run(["restore", file.to_str().unwrap(), "--data-dir", data.to_str().unwrap()]).unwrap()
    };
    let done = restore(&backup, &fresh.data_dir());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.contains("2 resources and 1 secrets"), "{}", done.stdout);
    assert!(done.stderr.contains("master.key"), "it says what is still missing: {}", done.stderr);
    std::fs::copy(stage.daemon.data_dir().join("master.key"), fresh.data_dir().join("master.key")).unwrap();
    fresh.restart().unwrap();
    assert_eq!(fresh.http().unwrap().get("/api/v1/mcpservers").unwrap().json(), before);
    let restored = Stage { daemon: fresh, person: Outfitter::with_binary(BINARY).unwrap() };
    assert!(
        restored.done_with(&["apply", "-f", "-"], &documents.join("---\n")).contains("2 unchanged"),
        "the secret too"
    );

    let again = restore(&backup, &stage.daemon.data_dir());
    assert_eq!(again.code, Some(1), "a store in use is refused: {}", again.stderr);
}

#[test]
fn a_stalled_backup_holds_up_neither_reads_nor_writes() {
    let stage = Stage::set();
    let mut large = crate::stage::server("large");
    large["spec"]["description"] = "x".repeat(4000).into();
    for n in 0..400 {
        large["metadata"]["name"] = format!("s{n}").into();
        stage.http().put(&format!("/api/v1/mcpservers/s{n}"), &large).unwrap();
    }
    let request = testkit::Request::new("GET", "/api/v1/backup");
    let stalled = stage.http().events(&request);
    assert!(stalled.is_ok(), "the answer has begun and is not read");
    assert_eq!(stage.http().get("/api/v1/backup").unwrap().status, 503, "one at a time");
    assert_eq!(stage.http().get("/api/v1/mcpservers").unwrap().status, 200);
    assert_eq!(
        stage.http().put("/api/v1/mcpservers/after", &crate::stage::server("after")).unwrap().status,
        201
    );
}

#[test]
fn a_damaged_backup_restores_nothing() {
    let stage = Stage::set();
    stage.done_with(&["apply", "-f", "-"], &manifest("McpServer", "gh", "stdio: {command: npx}"));
    stage.done(&["backup", "store.backup"]);
    let whole = std::fs::read_to_string(stage.person.home().join("store.backup")).unwrap();
    let cut = whole.lines().take(3).fold(String::new(), |text, line| text + line + "\n");
    for (name, text) in [("altered", whole.replace("npx", "evil")), ("cut", cut)] {
        let file = stage.file(name, &text);
        let mut fresh = Daemon::builder().binary(BINARY).prepare().unwrap();
        let output = stage
            .person
            .run(["restore", file.to_str().unwrap(), "--data-dir", fresh.data_dir().to_str().unwrap()])
            .unwrap();
        assert_eq!(output.code, Some(1), "{name}: {}", output.stdout);
        fresh.restart().unwrap();
        assert_eq!(
            fresh.http().unwrap().get("/api/v1/mcpservers").unwrap().json()["items"],
            serde_json::json!([]),
            "{name}"
        );
    }
}

#[test]
fn a_backup_moves_a_store_to_postgresql() {
    let stage = Stage::set();
    stage.done_with(&["apply", "-f", "-"], &manifest("McpServer", "gh", "stdio: {command: npx}"));
    stage.done(&["backup", "store.backup"]);
    let url = testkit::postgres::Postgres::shared().database();
    let mut moved = Daemon::builder().binary(BINARY).database(&url).prepare().unwrap();
    let data = moved.data_dir();
    let output = stage
        .person
        .run(["restore", "store.backup", "--data-dir", data.to_str().unwrap(), "--database", &url])
        .unwrap();
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    std::fs::copy(stage.daemon.data_dir().join("master.key"), data.join("master.key")).unwrap();
    moved.restart().unwrap();
    assert_eq!(moved.http().unwrap().get("/api/v1/mcpservers/gh").unwrap().status, 200);
}
