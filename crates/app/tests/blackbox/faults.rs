//! The ground gives way: full disks, locks, read-only files, a database that goes and comes back.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::{Daemon, Outfitter, skip};

use crate::stage::{BINARY, Stage, server};

/// A small file system of its own, gone when dropped.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(at: &'a Path, size: &str) -> Option<Self> {
        let options = format!("size={size},mode=700");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(at).status();
        mounted.is_ok_and(|status| status.success()).then_some(Self(at))
    }

    fn remount(&self, how: &str) {
        let done =
            Command::new("mount").args(["-o", &format!("remount,{how}")]).arg(self.0).status().unwrap();
        assert!(done.success());
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

fn until_written(stage: &Stage, name: &str, within: Duration) {
    let begun = Instant::now();
    loop {
        let status = stage
            .http()
            .put(&format!("/api/v1/mcpservers/{name}"), &server(name))
            .map(|answer| answer.status);
        match status {
            Ok(200 | 201) => return,
            _ if begun.elapsed() > within => panic!("{name}: still {status:?} after {within:?}"),
            _ => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}

#[test]
fn a_full_disk_refuses_writes_keeps_reads_and_recovers_by_itself() {
    let mut daemon = Daemon::builder().binary(BINARY).prepare().unwrap();
    let data = daemon.data_dir();
    let Some(_disk) = SmallDisk::mount(&data, "3m") else {
        return skip(
            "a_full_disk_refuses_writes_keeps_reads_and_recovers_by_itself",
            "mounting a tmpfs needs root",
        );
    };
    daemon.restart().unwrap();
    let stage = Stage { daemon, person: Outfitter::with_binary(BINARY).unwrap() };
    let mut http = stage.http();
    assert_eq!(http.put("/api/v1/mcpservers/first", &server("first")).unwrap().status, 201);
    let filler = data.join("filler");
    let _ = std::fs::write(&filler, vec![0; 8 * 1024 * 1024]);
    let mut acked = Vec::new();
    let refused = (0..200).find_map(|n| {
        let mut large = server(&format!("s{n}"));
        large["spec"]["description"] = json!("x".repeat(4000));
        let answer = http.put(&format!("/api/v1/mcpservers/s{n}"), &large).unwrap();
        if answer.status == 201 {
            acked.push(n);
            return None;
        }
        Some(answer)
    });
    let refused = refused.expect("the disk is full at some time");
    assert_eq!(refused.status, 503, "{}", refused.text());
    assert!(refused.text().contains("full"), "{}", refused.text());
    assert!(refused.header("retry-after").is_some());
    assert_eq!(http.get("/api/v1/mcpservers/first").unwrap().status, 200, "reads go on");
    std::fs::remove_file(&filler).unwrap();
    until_written(&stage, "after", Duration::from_secs(10));
    for n in acked {
        assert_eq!(stage.http().get(&format!("/api/v1/mcpservers/s{n}")).unwrap().status, 200, "s{n}");
    }
}

#[test]
fn a_read_only_disk_refuses_writes_and_recovers_by_itself() {
    let mut daemon = Daemon::builder().binary(BINARY).prepare().unwrap();
    let data = daemon.data_dir();
    let Some(disk) = SmallDisk::mount(&data, "16m") else {
        return skip("a_read_only_disk_refuses_writes_and_recovers_by_itself", "mounting a tmpfs needs root");
    };
    daemon.restart().unwrap();
    daemon.http().unwrap().put("/api/v1/mcpservers/a", &server("a")).unwrap();
    daemon.terminate().unwrap();
    let database = data.join("outfitter.db");
    disk.remount("ro");
    let error = daemon.restart().unwrap_err().to_string();
    assert!(error.to_lowercase().contains("read-only"), "{error}");
    disk.remount("rw");
    daemon.restart().unwrap();
    assert!(database.exists());
    assert_eq!(daemon.http().unwrap().get("/api/v1/mcpservers/a").unwrap().status, 200);
}

#[test]
fn postgresql_may_go_and_come_back() {
    let cluster = testkit::postgres::Postgres::start_private();
    let stage = Stage::with(Daemon::builder().database(cluster.database()));
    until_written(&stage, "before", Duration::from_secs(5));
    cluster.stop();
    let mut http = stage.http();
    let begun = Instant::now();
    let refused = http.put("/api/v1/mcpservers/during", &server("during")).unwrap();
    assert_eq!(refused.status, 503, "{}", refused.text());
    assert_eq!(http.get("/api/v1/mcpservers/before").unwrap().status, 503);
    assert_eq!(http.get("/readyz").unwrap().status, 503);
    assert_eq!(http.get("/healthz").unwrap().status, 200);
    assert!(begun.elapsed() < Duration::from_secs(25), "{:?}", begun.elapsed());
    cluster.start();
    until_written(&stage, "after", Duration::from_secs(10));
    assert_eq!(stage.http().get("/api/v1/mcpservers/before").unwrap().status, 200);
}

#[test]
fn two_daemons_share_a_postgresql_database() {
    let url = testkit::postgres::Postgres::shared().database();
    let first = Stage::with(Daemon::builder().database(&url));
    let key = first.daemon.data_dir().join("master.key");
    let mut daemon = Daemon::builder().binary(BINARY).database(&url).prepare().unwrap();
    std::fs::copy(key, daemon.data_dir().join("master.key")).unwrap();
    daemon.restart().unwrap();
    let second = Stage { daemon, person: Outfitter::with_binary(BINARY).unwrap() };
    let mut stream = second.http().events(&testkit::Request::new("GET", "/api/v1/watch?from=0")).unwrap();
    first.http().put("/api/v1/mcpservers/a", &server("a")).unwrap();
    second.http().put("/api/v1/mcpservers/b", &server("b")).unwrap();
    for id in ["1.1", "2.1"] {
        assert_eq!(stream.next(Duration::from_secs(10)).unwrap().unwrap().id.as_deref(), Some(id));
    }
    assert_eq!(first.http().get("/api/v1/mcpservers/b").unwrap().status, 200);
}

#[test]
fn a_file_that_is_no_database_and_a_data_path_that_is_no_directory_are_named() {
    let mut daemon = Daemon::builder().binary(BINARY).prepare().unwrap();
    std::fs::write(
        daemon.data_dir().join("outfitter.db"),
        "this is not a database, but it is long enough to look",
    )
    .unwrap();
    let error = daemon.restart().unwrap_err().to_string();
    assert!(error.contains("database"), "{error}");

    let person = Outfitter::with_binary(BINARY).unwrap();
    let file = person.home().join("file");
    std::fs::write(&file, "").unwrap();
    let output = person.run(["serve", "--data-dir", file.to_str().unwrap()]).unwrap();
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("file"), "{}", output.stderr);
}

#[test]
fn the_doctor_finds_a_sound_store_sound() {
    let mut stage = Stage::set();
    stage.http().put("/api/v1/mcpservers/a", &server("a")).unwrap();
    stage.daemon.kill9();
    let data = stage.daemon.data_dir();
    let output = stage.person.run(["doctor", "--data-dir", data.to_str().unwrap()]).unwrap();
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert!(output.stdout.contains("sound: 1 resources, revision 1"), "{}", output.stdout);
}
