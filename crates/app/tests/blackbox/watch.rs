//! The watch stream: from any revision, nothing skipped, nothing repeated.

use std::time::Duration;

use serde_json::json;
use testkit::Daemon;
use testkit::http::Request;

use crate::stage::{Stage, server};

const SOON: Duration = Duration::from_secs(10);

fn follow(stage: &Stage, query: &str) -> testkit::http::Events {
    stage.http().events(&Request::new("GET", &format!("/api/v1/watch?{query}"))).unwrap()
}

#[test]
fn changes_come_in_order_with_their_ids_and_resume_within_a_revision() {
    let stage = Stage::set();
    let mut http = stage.http();
    http.post("/api/v1/apply", &json!([server("a"), server("b"), server("c")])).unwrap();
    http.delete("/api/v1/mcpservers/b?scope=identity_account").unwrap();

    let mut stream = follow(&stage, "from=0");
    let seen: Vec<(String, String, String)> = (0..4)
        .map(|_| {
            let event = stream.next(SOON).unwrap().unwrap();
            let name = event.json()["resource"]["metadata"]["name"].as_str().unwrap().to_owned();
            (event.id.clone().unwrap_or_default(), event.name.clone(), name)
        })
        .collect();
    let expected = [("1.1", "put", "a"), ("1.2", "put", "b"), ("1.3", "put", "c"), ("2.1", "delete", "b")];
    for (got, (id, event, name)) in seen.iter().zip(expected) {
        assert_eq!((got.0.as_str(), got.1.as_str(), got.2.as_str()), (id, event, name));
    }

    let request = Request::new("GET", "/api/v1/watch").header("last-event-id", "1.2");
    let mut resumed = stage.http().events(&request).unwrap();
    assert_eq!(resumed.next(SOON).unwrap().unwrap().id.as_deref(), Some("1.3"));
    assert_eq!(resumed.next(SOON).unwrap().unwrap().id.as_deref(), Some("2.1"));

    http.put("/api/v1/mcpservers/d", &server("d")).unwrap();
    assert_eq!(resumed.next(SOON).unwrap().unwrap().id.as_deref(), Some("3.1"), "and goes on live");
}

#[test]
fn a_stream_can_be_narrowed_to_kinds() {
    let stage = Stage::set();
    let mut stream = follow(&stage, "from=0&kind=Environment");
    let environment = json!({
        "apiVersion": "agentic.stigmer.ai/v1", "kind": "Environment", "metadata": {"name": "e"}, "spec": {},
    });
    stage.http().post("/api/v1/apply", &json!([server("a"), environment])).unwrap();
    let event = stream.next(SOON).unwrap().unwrap();
    assert_eq!(
        (event.id.as_deref(), event.json()["resource"]["kind"].as_str()),
        (Some("1.2"), Some("Environment"))
    );
}

#[test]
fn a_revision_that_is_no_longer_kept_is_gone_and_the_lists_revision_works() {
    let mut stage = Stage::with(Daemon::builder().arg("--keep-history").arg("0s"));
    let mut http = stage.http();
    for name in ["a", "b", "c"] {
        http.put(&format!("/api/v1/mcpservers/{name}"), &server(name)).unwrap();
    }
    stage.daemon.terminate().unwrap();
    stage.daemon.restart().unwrap();
    let mut http = stage.http();
    let gone = http.get("/api/v1/watch?from=0").unwrap();
    assert_eq!(gone.status, 410, "{}", gone.text());
    assert!(gone.text().contains("no longer kept"), "{}", gone.text());
    let revision = stage.revision();
    let mut stream = follow(&stage, &format!("from={revision}"));
    http.put("/api/v1/mcpservers/d", &server("d")).unwrap();
    assert_eq!(stream.next(SOON).unwrap().unwrap().id, Some(format!("{}.1", revision + 1)));
}

#[test]
fn a_quiet_stream_says_how_far_it_is() {
    let stage = Stage::set();
    stage.http().put("/api/v1/mcpservers/a", &server("a")).unwrap();
    let mut stream = follow(&stage, "");
    let event = stream.next(Duration::from_secs(25)).unwrap().unwrap();
    assert_eq!((event.name.as_str(), event.id.as_deref()), ("bookmark", Some("1")));
}
