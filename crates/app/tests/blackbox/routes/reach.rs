//! A right is good for what it says, for as long as its thing exists, and for nothing more.

use serde_json::{Value, json};

use super::people::{ACME, People, Who, document};
use crate::stage::server;

const TOOLS: &str = "/api/v1/mcpservers/tools?scope=organization&org=acme";

fn grant_on(people: &mut People, verb: &str, kind: &str, name: &str, to: &str) {
    let wanted = json!({"verb": verb, "kind": kind, "name": name, "scope": "organization", "org": "acme",
        "to": to});
    people.operate("POST", "/api/v1/grants", &wanted);
}

#[test]
fn leave_to_edit_is_not_leave_to_start_programs_nor_to_delete_or_grant() {
    let mut people = People::gather();
    grant_on(&mut people, "edit", "mcpserver", "tools", "stranger");
    grant_on(&mut people, "edit", "agent", "helper", "stranger");
    let remote = document("McpServer", "tools", &json!({"http": {"url": "https://example.com/mcp"}}));
    let docker = document("McpServer", "tools", &json!({"docker": {"image": "example/tools"}}));
    let inline = json!({"client": "codex", "mcp_servers": [{"name": "x", "stdio": {"command": "true"}}]});
    let helper = format!("/api/v1/agents/helper?{ACME}");
    let plain = document("Agent", "helper", &json!({"client": "codex", "description": "edited"}));
    let inline = document("Agent", "helper", &inline);
    let mut placed = server("tools");
    placed["metadata"] = json!({"name": "tools", "scope": "organization", "org": "acme"});
    let another = json!({"verb": "view", "kind": "mcpserver", "name": "tools", "scope": "organization",
        "org": "acme", "to": "gil"});
    for (method, path, body, status) in [
        ("PUT", TOOLS, &server("tools"), 403),
        ("PUT", TOOLS, &docker, 403),
        ("POST", "/api/v1/apply", &json!([placed]), 403),
        ("PUT", TOOLS, &remote, 200),
        ("PUT", &helper, &inline, 403),
        ("PUT", &helper, &plain, 200),
        ("DELETE", TOOLS, &Value::Null, 403),
        ("POST", "/api/v1/grants", &another, 403),
    ] {
        let answer = people.ask(Who::Stranger, method, path, body);
        assert_eq!(answer.status, status, "{method} {path} {body}: {}", answer.text());
    }
    assert_eq!(people.ask(Who::Ada, "PUT", &helper, &inline).status, 200, "the document itself is right");
}

#[test]
fn a_grant_ends_with_its_thing_and_does_not_pass_to_another_of_that_name() {
    let mut people = People::gather();
    people.grant("stranger");
    assert_eq!(people.http(Who::Stranger).get(TOOLS).unwrap().status, 200);
    people.operate("DELETE", TOOLS, &Value::Null);
    assert_eq!(people.http(Who::Stranger).get(TOOLS).unwrap().status, 404);
    people.operate("PUT", TOOLS, &server("tools"));
    assert_eq!(people.http(Who::Stranger).get(TOOLS).unwrap().status, 404);
    let path = format!("/api/v1/grants?kind=mcpserver&name=tools&{ACME}");
    assert_eq!(people.operate("GET", &path, &Value::Null)["items"], json!([]));
}

#[test]
fn a_role_that_is_changed_counts_from_the_next_call() {
    let mut people = People::gather();
    assert_eq!(people.ask(Who::Mel, "PUT", TOOLS, &server("tools")).status, 403);
    people.join("acme", "mel", "admin");
    assert_eq!(people.ask(Who::Mel, "PUT", TOOLS, &server("tools")).status, 200);
    people.join("acme", "ada", "member");
    assert_eq!(people.ask(Who::Ada, "PUT", TOOLS, &server("tools")).status, 403);
    assert_eq!(people.ask(Who::Ada, "GET", TOOLS, &Value::Null).status, 200);
    let members = people.ask(Who::Ada, "GET", "/api/v1/organizations/acme", &Value::Null).json();
    assert_eq!((&members["admins"], &members["members"]), (&json!(["mel"]), &json!(["ada"])));
}

#[test]
fn secrets_are_for_admins_and_whom_they_grant_them_and_not_for_operators() {
    let mut people = People::gather();
    let path = format!("/api/v1/can-i?verb=use-secret&kind=environment&name=values&{ACME}");
    let allowed = |people: &mut People| {
        [Who::Stranger, Who::Mel, Who::Ada, Who::Reader, Who::Operator]
            .map(|who| people.ask(who, "GET", &path, &Value::Null).json()["allowed"].as_bool().unwrap())
    };
    assert_eq!(allowed(&mut people), [false, false, true, false, false]);
    grant_on(&mut people, "use-secret", "environment", "values", "mel");
    assert_eq!(allowed(&mut people), [false, true, true, false, false]);
}

#[test]
fn someone_always_operates() {
    let mut people = People::gather();
    let operator = people.held(Who::Operator).account.clone();
    let path = format!("/api/v1/grants?verb=operate&kind=platform&from={operator}");
    assert_eq!(people.ask(Who::Operator, "DELETE", &path, &Value::Null).status, 409);
    let grant = |to: &str| json!({"verb": "operate", "kind": "platform", "to": to});
    people.operate("POST", "/api/v1/grants", &grant("gill"));
    assert_eq!(people.ask(Who::Operator, "DELETE", &path, &Value::Null).status, 409, "gill has no account");
    people.operate("POST", "/api/v1/grants", &grant("gil"));
    assert_eq!(people.http(Who::Gil).get("/metrics").unwrap().status, 200);
    people.operate("DELETE", &path, &Value::Null);
    assert_eq!(people.http(Who::Operator).get("/metrics").unwrap().status, 403);
}

#[test]
fn people_start_programs_for_themselves_only_where_the_daemon_lets_them() {
    let builder = testkit::Daemon::builder().arg("--personal-spawn").arg("false");
    let stage = crate::stage::Stage::with(builder);
    let mut operator = stage.http();
    let token = operator.post("/api/v1/tokens", &json!({"account": "stranger"})).unwrap().json();
    let token = token["token"].as_str().unwrap();
    let mut stranger = testkit::Http::tcp(stage.daemon.address()).bearer(token);
    let path = "/api/v1/mcpservers/own";
    assert_eq!(stranger.put(path, &server("own")).unwrap().status, 403);
    let remote = document("McpServer", "own", &json!({"http": {"url": "https://example.com/mcp"}}));
    assert_eq!(stranger.put(path, &remote).unwrap().status, 201);
}

#[test]
fn what_a_narrowed_token_may_see_but_not_change_is_forbidden_and_not_missing() {
    let mut people = People::gather();
    let path = "/api/v1/mcpservers/shared?scope=platform";
    assert_eq!(people.ask(Who::Elsewhere, "GET", path, &Value::Null).status, 200);
    let helper = format!("/api/v1/agents/helper?{ACME}");
    assert_eq!(people.ask(Who::Bound, "GET", &helper, &Value::Null).status, 200);
    let users = people.ask(Who::Bound, "GET", "/api/v1/users", &Value::Null).json();
    assert_eq!(users["items"], json!([]), "an agent's token is not for looking at accounts");
    let agent = document("Agent", "helper", &json!({"client": "codex"}));
    let answers = [
        people.ask(Who::Elsewhere, "PUT", path, &server("shared")).status,
        people.ask(Who::Bound, "PUT", &helper, &agent).status,
        people.ask(Who::Bound, "POST", "/api/v1/tokens", &json!({})).status,
    ];
    assert_eq!(answers, [403; 3]);
}

#[test]
fn a_grant_is_acknowledged_only_if_it_is_one() {
    let mut people = People::gather();
    let wanted = json!({"verb": "operate", "kind": "platform", "to": "org:acme"});
    let answer = people.ask(Who::Operator, "POST", "/api/v1/grants", &wanted);
    let operates = people.http(Who::Mel).get("/metrics").unwrap().status == 200;
    assert_eq!(answer.status == 201, operates, "{}", answer.text());
}
