//! Open streams and the next call follow every change of rights: at once on the same daemon, soon on another.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::http::{Event, Events, Request};
use testkit::{Daemon, Http, Outfitter};

use crate::routes::people::{ACME, Held, People, Who};
use crate::stage::{BINARY, Stage, server};

const SECOND: Duration = Duration::from_secs(1);
const SOON: Duration = Duration::from_secs(5);
const TOOLS: &str = "/api/v1/mcpservers/tools?scope=organization&org=acme";

fn put(people: &mut People, name: &str, place: &str) {
    people.operate("PUT", &format!("/api/v1/mcpservers/{name}?{place}"), &server(name));
}

fn name_of(event: &Event) -> String {
    event.json()["resource"]["metadata"]["name"].as_str().unwrap_or_default().to_owned()
}

/// Reads until `reset`, which must come within a second of `since` and be the last event; says the reason.
fn ended(stream: &mut Events, since: Instant) -> String {
    let event = stream.next(SOON).unwrap().expect("the stream tells why it ends");
    assert_eq!(event.name, "reset", "{event:?}");
    assert!(since.elapsed() < SECOND, "{:?}", since.elapsed());
    let closed = Instant::now();
    assert_eq!(stream.next(SOON).unwrap(), None);
    assert!(closed.elapsed() < SECOND, "the stream is still open");
    let reason = event.json()["reason"].as_str().unwrap().to_owned();
    assert!(!reason.is_empty());
    reason
}

/// Whether the stream still tells of what everyone may see.
fn goes_on(people: &mut People, stream: &mut Events, name: &str) {
    put(people, name, "scope=platform");
    let event = stream.next(SOON).unwrap().expect("the stream goes on");
    assert_eq!((event.name.as_str(), name_of(&event).as_str()), ("put", name));
}

#[test]
fn a_stream_ends_when_its_reader_leaves_the_organization_and_others_go_on() {
    let mut people = People::gather();
    let mut stream = people.watch(Who::Mel);
    let mut other = people.watch(Who::Gil);
    goes_on(&mut people, &mut stream, "first");
    assert_eq!(other.next(SOON).unwrap().map(|event| name_of(&event)).as_deref(), Some("first"));
    let since = Instant::now();
    people.leave("acme", "mel");
    assert!(ended(&mut stream, since).contains("list again"));
    put(&mut people, "unseen", ACME);
    goes_on(&mut people, &mut other, "second");
}

#[test]
fn a_stream_ends_with_the_revocation_of_its_token_and_no_other_token() {
    let mut people = People::gather();
    let another = people.token(&json!({"account": "mel"}));
    let mut other = Http::tcp(people.stage.daemon.address())
        .bearer(&another.token)
        .events(&Request::new("GET", "/api/v1/watch"))
        .unwrap();
    let mut stream = people.watch(Who::Mel);
    goes_on(&mut people, &mut stream, "first");
    assert_eq!(other.next(SOON).unwrap().map(|event| name_of(&event)).as_deref(), Some("first"));
    let id = people.held(Who::Mel).id.clone();
    let since = Instant::now();
    people.operate("DELETE", &format!("/api/v1/tokens/{id}"), &Value::Null);
    assert!(ended(&mut stream, since).contains("revoked"));
    assert_eq!(people.http(Who::Mel).get("/api/v1/whoami").unwrap().status, 401);
    goes_on(&mut people, &mut other, "second");
}

#[test]
fn a_stream_ends_with_a_grant_that_its_reader_needed() {
    let mut people = People::gather();
    people.grant("stranger");
    let mut stream = people.watch(Who::Stranger);
    let mut other = people.watch(Who::Mel);
    people.operate("PUT", TOOLS, &changed("once"));
    for stream in [&mut stream, &mut other] {
        assert_eq!(stream.next(SOON).unwrap().map(|event| name_of(&event)).as_deref(), Some("tools"));
    }
    let since = Instant::now();
    people.revoke("stranger");
    ended(&mut stream, since);
    people.operate("PUT", TOOLS, &changed("twice"));
    assert_eq!(other.next(SOON).unwrap().map(|event| name_of(&event)).as_deref(), Some("tools"));
}

#[test]
fn a_stream_ends_when_its_token_expires() {
    let mut people = People::gather();
    let brief = people.token(&json!({"account": "mel", "expires_in": 2}));
    let expiry = Instant::now() + Duration::from_secs(2);
    let mut http = Http::tcp(people.stage.daemon.address()).bearer(&brief.token);
    let mut stream = http.events(&Request::new("GET", "/api/v1/watch")).unwrap();
    goes_on(&mut people, &mut stream, "first");
    let event = stream.next(SOON).unwrap().expect("the stream tells why it ends");
    assert_eq!(event.name, "reset");
    assert!(event.data.contains("expired"), "{}", event.data);
    // The token began a moment before its text arrived here.
    assert!(Instant::now() + Duration::from_millis(500) > expiry, "too early");
    assert!(Instant::now() < expiry + SECOND, "too late");
    let closed = Instant::now();
    assert_eq!(stream.next(SOON).unwrap(), None);
    assert!(closed.elapsed() < SECOND);
    assert_eq!(http.get("/api/v1/whoami").unwrap().status, 401);
}

fn changed(description: &str) -> Value {
    let mut server = server("tools");
    server["spec"]["description"] = json!(description);
    server
}

#[test]
fn a_stream_whose_reader_gains_rights_goes_on_and_tells_of_what_they_see_now() {
    let mut people = People::gather();
    let mut stream = people.watch(Who::Stranger);
    put(&mut people, "before", ACME);
    people.join("acme", "stranger", "member");
    put(&mut people, "after", ACME);
    let event = stream.next(SOON).unwrap().unwrap();
    assert_eq!((event.name.as_str(), name_of(&event).as_str()), ("put", "after"), "{event:?}");
    let gil = people.watch(Who::Gil);
    people.grant("gil");
    people.operate("PUT", TOOLS, &changed("for gil"));
    for mut stream in [stream, gil] {
        let event = stream.next(SOON).unwrap().unwrap();
        assert_eq!(name_of(&event), "tools", "{event:?}");
    }
}

/// Each answer holds for the very next call.
fn answers_hold_at_once(people: &mut People) {
    for turn in 0..100 {
        people.grant("stranger");
        let seen = people.http(Who::Stranger).get(TOOLS).unwrap().status;
        people.revoke("stranger");
        let unseen = people.http(Who::Stranger).get(TOOLS).unwrap().status;
        assert_eq!((seen, unseen), (200, 404), "grant, turn {turn}");
    }
    for turn in 0..25 {
        people.join("acme", "stranger", "member");
        let seen = people.http(Who::Stranger).get(TOOLS).unwrap().status;
        people.leave("acme", "stranger");
        let unseen = people.http(Who::Stranger).get(TOOLS).unwrap().status;
        assert_eq!((seen, unseen), (200, 404), "membership, turn {turn}");
    }
    for turn in 0..25 {
        let Held { id, token, .. } = people.token(&json!({"account": "mel"}));
        let mut http = Http::tcp(people.stage.daemon.address()).bearer(&token);
        let seen = http.get(TOOLS).unwrap().status;
        people.operate("DELETE", &format!("/api/v1/tokens/{id}"), &Value::Null);
        assert_eq!((seen, http.get(TOOLS).unwrap().status), (200, 401), "token, turn {turn}");
    }
}

#[test]
fn the_next_call_is_decided_by_what_was_answered_on_sqlite() {
    answers_hold_at_once(&mut People::gather());
}

#[test]
fn the_next_call_is_decided_by_what_was_answered_on_postgresql() {
    answers_hold_at_once(&mut People::gather_on_postgres());
}

/// A second daemon on the people's database.
fn second(url: &str, first: &Stage) -> Stage {
    let mut daemon = Daemon::builder().binary(BINARY).database(url).prepare().unwrap();
    std::fs::copy(first.daemon.data_dir().join("master.key"), daemon.data_dir().join("master.key")).unwrap();
    daemon.restart().unwrap();
    Stage { daemon, person: Outfitter::with_binary(BINARY).unwrap() }
}

/// People at one daemon, and another daemon on the same database.
fn pair() -> (People, Stage) {
    let url = testkit::postgres::Postgres::shared().database();
    let people = People::at(Stage::with(Daemon::builder().database(&url)));
    let other = second(&url, &people.stage);
    (people, other)
}

fn turns(http: &mut Http, status: u16) {
    let begun = Instant::now();
    while http.get(TOOLS).unwrap().status != status {
        assert!(begun.elapsed() < SECOND, "not {status} within a second");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn another_daemon_on_the_database_follows_within_a_second() {
    let (mut people, other) = pair();
    let at_other = |people: &People, who| Http::tcp(other.daemon.address()).bearer(&people.held(who).token);
    let (mut stranger, mut mel) = (at_other(&people, Who::Stranger), at_other(&people, Who::Mel));
    for _ in 0..20 {
        people.grant("stranger");
        turns(&mut stranger, 200);
        people.revoke("stranger");
        turns(&mut stranger, 404);
    }
    let mut stream = mel.events(&Request::new("GET", "/api/v1/watch")).unwrap();
    assert_eq!(mel.get(TOOLS).unwrap().status, 200);
    let since = Instant::now();
    people.leave("acme", "mel");
    ended(&mut stream, since);
    turns(&mut mel, 404);
    let id = people.held(Who::Mel).id.clone();
    people.operate("DELETE", &format!("/api/v1/tokens/{id}"), &Value::Null);
    turns(&mut mel, 401);
}

/// The events that a stranger's stream at `other` tells until `reset`, quiet, or the end.
fn told(stream: &mut Events) -> Vec<(String, String)> {
    let mut events = Vec::new();
    while let Some(event) = stream.next(SECOND).unwrap() {
        let last = event.name == "reset";
        events.push((event.name.clone(), event.json()["resource"]["spec"]["description"].to_string()));
        if last {
            break;
        }
    }
    events
}

#[test]
fn a_stream_at_another_daemon_never_tells_of_what_came_after_a_revocation() {
    let (mut people, other) = pair();
    let token = people.held(Who::Stranger).token.clone();
    let mut http = Http::tcp(other.daemon.address()).bearer(&token);
    for turn in 0..40 {
        people.grant("stranger");
        turns(&mut http, 200);
        let mut stream = http.events(&Request::new("GET", "/api/v1/watch")).unwrap();
        people.revoke("stranger");
        people.operate("PUT", TOOLS, &changed(&format!("hidden {turn}")));
        let events = told(&mut stream);
        assert!(!events.iter().any(|(name, _)| name == "put"), "turn {turn}: {events:?}");
        assert_eq!(events.last().map(|(name, _)| name.as_str()), Some("reset"), "turn {turn}");
    }
}

#[test]
fn a_stream_at_another_daemon_misses_nothing_that_came_after_a_grant() {
    let (mut people, other) = pair();
    let token = people.held(Who::Stranger).token.clone();
    let mut http = Http::tcp(other.daemon.address()).bearer(&token);
    for turn in 0..40 {
        turns(&mut http, 404);
        let mut stream = http.events(&Request::new("GET", "/api/v1/watch")).unwrap();
        people.grant("stranger");
        people.operate("PUT", TOOLS, &changed(&format!("shown {turn}")));
        let event = stream.next(SOON).unwrap();
        let shown = event.map(|event| event.json()["resource"]["spec"]["description"].clone());
        assert_eq!(shown, Some(json!(format!("shown {turn}"))), "turn {turn}");
        people.revoke("stranger");
    }
}

#[test]
fn a_change_written_at_the_same_moment_but_after_a_revocation_is_not_told() {
    let mut people = People::gather();
    let mut after = 0;
    for turn in 0..60 {
        people.grant("stranger");
        let mut stream = people.watch(Who::Stranger);
        let before = people.stage.revision();
        let mut writer = people.stage.http();
        let write = std::thread::spawn(move || {
            let written = writer.put(TOOLS, &changed(&format!("turn {turn}"))).unwrap();
            written.header("etag").unwrap().trim_matches('"').parse::<i64>().unwrap()
        });
        people.revoke("stranger");
        let events = told(&mut stream);
        // The one commit besides the write is the revocation.
        if write.join().unwrap() == before + 2 {
            after += 1;
            assert!(!events.iter().any(|(name, _)| name == "put"), "turn {turn}: {events:?}");
        }
    }
    assert!(after > 0, "no write came after its revocation");
}

#[test]
fn what_was_acknowledged_is_decided_the_same_after_a_kill() {
    let mut people = People::gather();
    for turn in 0..5 {
        let name = format!("kept-{turn}");
        put(&mut people, &name, ACME);
        let wanted = json!({"verb": "edit", "kind": "mcpserver", "name": name, "scope": "organization",
            "org": "acme", "to": "stranger"});
        people.operate("POST", "/api/v1/grants", &wanted);
        if turn % 2 == 0 {
            people.grant("gil");
        } else {
            people.revoke("gil");
        }
        people.stage.daemon.kill9();
        people.stage.daemon.restart().unwrap();
        people.reconnect();
        let path = format!("/api/v1/mcpservers/{name}?{ACME}");
        for (who, status) in [(Who::Stranger, 200), (Who::Gil, 404), (Who::Mel, 200), (Who::Revoked, 401)] {
            assert_eq!(people.http(who).get(&path).unwrap().status, status, "{who:?}, turn {turn}");
        }
        let mut edited = server(&name);
        edited["spec"] = json!({"http": {"url": "https://example.com"}});
        assert_eq!(people.http(Who::Stranger).put(&path, &edited).unwrap().status, 200, "turn {turn}");
        let gil = people.http(Who::Gil).get(TOOLS).unwrap().status;
        assert_eq!(gil, if turn % 2 == 0 { 200 } else { 404 }, "turn {turn}");
    }
}
