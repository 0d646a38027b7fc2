//! Rights that change while they are being used: what is written was allowed when it was written.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::Http;
use testkit::http::Request;

use crate::stage::Stage;

const ACME: &str = "scope=organization&org=acme";

fn caller(stage: &Stage, account: &str) -> Http {
    let made = stage.http().post("/api/v1/tokens", &json!({ "account": account })).unwrap().json();
    Http::tcp(stage.daemon.address()).bearer(made["token"].as_str().unwrap())
}

fn acme(stage: &Stage) {
    let mut operator = stage.http();
    assert_eq!(operator.post("/api/v1/organizations", &json!({"name": "acme"})).unwrap().status, 201);
    let path = "/api/v1/organizations/acme/members/boss";
    assert_eq!(operator.put(path, &json!({"role": "admin"})).unwrap().status, 200);
}

fn document(kind: &str, name: &str, spec: &Value) -> Value {
    json!({"apiVersion": "agentic.stigmer.ai/v1", "kind": kind, "metadata": {"name": name}, "spec": spec})
}

#[test]
fn an_admin_who_is_removed_cannot_put_themselves_back() {
    let stage = Stage::set();
    acme(&stage);
    let path = "/api/v1/organizations/acme/members/boss";
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut boss = caller(&stage, "boss");
                while !over.load(Ordering::Relaxed) {
                    let _ = boss.put(path, &json!({"role": "admin"}));
                }
            });
        }
        let mut operator = stage.http();
        for round in 0..5 {
            thread::sleep(Duration::from_millis(50));
            assert_eq!(operator.delete(path).unwrap().status, 200, "round {round}");
            thread::sleep(Duration::from_millis(100));
            let acme = operator.get("/api/v1/organizations/acme").unwrap().json();
            assert_eq!(acme["admins"].as_array().map(Vec::len), Some(1), "round {round}: {acme}");
            assert_eq!(operator.put(path, &json!({"role": "admin"})).unwrap().status, 200);
        }
        over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn two_operators_who_remove_each_other_leave_one() {
    let stage = Stage::set();
    let mut operator = stage.http();
    let root = operator.get("/api/v1/whoami").unwrap().json()["account"].as_str().unwrap().to_owned();
    assert_eq!(operator.post("/api/v1/users", &json!({"name": "mel"})).unwrap().status, 201);
    for _ in 0..10 {
        for name in [root.as_str(), "mel"] {
            let grant = json!({"verb": "operate", "kind": "platform", "to": name});
            let granted = [&mut operator, &mut caller_of(&stage, "mel")]
                .map(|http| http.post("/api/v1/grants", &grant).map_or(0, |answer| answer.status));
            assert!(granted.contains(&201), "{granted:?}");
        }
        let remove = |mut http: Http, name: String| {
            let path = format!("/api/v1/grants?kind=platform&verb=operate&from={name}");
            http.delete(&path).unwrap().status
        };
        let (one, other) = (stage.http(), caller_of(&stage, "mel"));
        let name = root.clone();
        let (first, second) = thread::scope(|scope| {
            let first = scope.spawn(|| remove(one, "mel".to_owned()));
            let second = scope.spawn(|| remove(other, name));
            (first.join().unwrap(), second.join().unwrap())
        });
        assert!([first, second].contains(&200) && (first, second) != (200, 200), "{first} {second}");
    }
}

/// A token made while there was an operator to make it.
fn caller_of(stage: &Stage, account: &str) -> Http {
    let home = stage.daemon.data_dir().join(format!("{account}.token"));
    if let Ok(token) = std::fs::read_to_string(&home) {
        return Http::tcp(stage.daemon.address()).bearer(&token);
    }
    let made = stage.http().post("/api/v1/tokens", &json!({ "account": account })).unwrap().json();
    let token = made["token"].as_str().unwrap();
    std::fs::write(home, token).unwrap();
    Http::tcp(stage.daemon.address()).bearer(token)
}

#[test]
fn accounts_made_at_once_never_share_a_subject() {
    let stage = Stage::set();
    for round in 0..5 {
        let statuses: Vec<u16> = thread::scope(|scope| {
            let makers: Vec<_> = (0..6)
                .map(|number| {
                    let stage = &stage;
                    scope.spawn(move || {
                        let user = json!({"name": format!("w{round}-{number}"), "oidc_subject": format!("s{round}")});
                        stage.http().post("/api/v1/users", &user).unwrap().status
                    })
                })
                .collect();
            makers.into_iter().map(|maker| maker.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    }
}

#[test]
fn a_secret_cannot_be_guessed_by_who_may_edit_and_not_use_it() {
    let stage = Stage::set();
    acme(&stage);
    let path = format!("/api/v1/environments/prod?{ACME}");
    let holding = |value: &str| {
        document("Environment", "prod", &json!({"data": {"KEY": {"value": value, "is_secret": true}}}))
    };
    let mut boss = caller(&stage, "boss");
    assert_eq!(boss.put(&path, &holding("right")).unwrap().status, 201);
    let outcome = |http: &mut Http, value: &str| {
        let answer = http.put(&format!("{path}&dry_run=true"), &holding(value)).unwrap().json();
        answer["results"][0]["outcome"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (outcome(&mut boss, "right"), outcome(&mut boss, "wrong")),
        ("unchanged".into(), "updated".into())
    );
    let grant =
        json!({"verb": "edit", "kind": "environment", "name": "prod", "org": "acme", "to": "mallory"});
    assert_eq!(boss.post("/api/v1/grants", &grant).unwrap().status, 201);
    let mut mallory = caller(&stage, "mallory");
    assert_eq!(outcome(&mut mallory, "right"), outcome(&mut mallory, "wrong"));
}

#[test]
fn a_bare_reference_does_not_tell_what_is_hidden() {
    let stage = Stage::set();
    acme(&stage);
    let mut boss = caller(&stage, "boss");
    let server = document("McpServer", "hidden", &json!({"http": {"url": "https://example.com/mcp"}}));
    assert_eq!(boss.put(&format!("/api/v1/mcpservers/hidden?{ACME}"), &server).unwrap().status, 201);
    let path = format!("/api/v1/agents/helper?{ACME}");
    let agent = |name: &str| {
        let usages = json!({"client": "codex", "mcp_server_usages": [{"mcp_server_ref": name}]});
        document("Agent", "helper", &usages)
    };
    assert_eq!(boss.put(&path, &agent("hidden")).unwrap().status, 201);
    let grant = json!({"verb": "edit", "kind": "agent", "name": "helper", "org": "acme", "to": "mallory"});
    assert_eq!(boss.post("/api/v1/grants", &grant).unwrap().status, 201);
    let mut mallory = caller(&stage, "mallory");
    let mut ask = |name: &str| {
        let answer = mallory.put(&format!("{path}&dry_run=true&strict=true"), &agent(name)).unwrap();
        (answer.status, answer.text().replace(name, "X"))
    };
    assert_eq!(ask("hidden"), ask("absent"));
}

#[test]
fn a_grant_does_not_show_what_had_the_name_before() {
    let stage = Stage::set();
    acme(&stage);
    let mut boss = caller(&stage, "boss");
    let path = format!("/api/v1/mcpservers/crm?{ACME}");
    let told = |text: &str| {
        document(
            "McpServer",
            "crm",
            &json!({"description": text, "http": {"url": "https://example.com/mcp"}}),
        )
    };
    assert_eq!(boss.put(&path, &told("OLD DEAL")).unwrap().status, 201);
    assert_eq!(boss.delete(&path).unwrap().status, 200);
    assert_eq!(boss.put(&path, &told("new")).unwrap().status, 201);
    let grant = json!({"verb": "view", "kind": "mcpserver", "name": "crm", "org": "acme", "to": "mallory"});
    assert_eq!(boss.post("/api/v1/grants", &grant).unwrap().status, 201);
    let mallory = caller(&stage, "mallory");
    let mut events = mallory.events(&Request::new("GET", "/api/v1/watch?from=0")).unwrap();
    let first = events.next(Duration::from_secs(5)).unwrap().unwrap();
    assert_eq!(first.json()["resource"]["spec"]["description"], "new", "{}", first.json());
}
