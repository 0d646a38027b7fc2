//! What may not be seen answers, byte for byte, like what does not exist.

use serde_json::{Value, json};

use super::people::{ACME, People, Who, document};
use super::{Bare, unrecorded};
use crate::stage::server;

/// A request about something hidden, with `@` for its name.
struct Question {
    who: Who,
    method: &'static str,
    path: String,
    body: Value,
    /// The hidden thing's name, and one as long that nothing has.
    names: [String; 2],
}

impl Question {
    /// The answer for each of the names, in which the second name reads as the first.
    fn answers(&self, people: &mut People) -> [Bare; 2] {
        let [hidden, absent] = &self.names;
        assert_eq!(hidden.len(), absent.len());
        [hidden, absent].map(|name| {
            let body = serde_json::from_str(&self.body.to_string().replace('@', name)).unwrap();
            let answer = people.ask(self.who, self.method, &self.path.replace('@', name), &body);
            let mut bare = Bare::of(&answer);
            bare.body = bare.body.replace(absent.as_str(), hidden);
            bare
        })
    }
}

fn question(who: Who, names: [&str; 2], method: &'static str, path: &str, body: &Value) -> Question {
    Question { who, method, path: path.to_owned(), body: body.clone(), names: names.map(str::to_owned) }
}

/// Asks each, and says which told something.
fn told(people: &mut People, questions: &[Question]) -> Vec<String> {
    let mut differ = Vec::new();
    for question in questions {
        let [hidden, absent] = question.answers(people);
        if hidden != absent {
            let Question { who, method, path, body, .. } = question;
            differ.push(format!("{who:?} {method} {path} {body}:\n  {hidden:?}\n  {absent:?}"));
        }
    }
    differ
}

fn about_resources(who: Who) -> Vec<Question> {
    let ask = |names, method, path: &str, body: &Value| question(who, names, method, path, body);
    let none = &Value::Null;
    let tools = ["tools", "tonic"];
    let on_tools = format!("kind=mcpserver&name=@&{ACME}");
    let grant = json!({"verb": "view", "kind": "mcpserver", "name": "@", "scope": "organization",
        "org": "acme", "to": "stranger"});
    let mut placed = server("@");
    placed["metadata"] = json!({"name": "@", "scope": "organization", "org": "acme"});
    let mut questions = vec![
        ask(tools, "GET", &format!("/api/v1/mcpservers/@?{ACME}"), none),
        ask(tools, "GET", "/api/v1/mcpservers/@?org=acme", none),
        ask(tools, "PUT", &format!("/api/v1/mcpservers/@?{ACME}"), &server("@")),
        ask(tools, "PUT", &format!("/api/v1/mcpservers/@?{ACME}&dry_run=true"), &server("@")),
        ask(tools, "POST", "/api/v1/apply", &json!([placed])),
        ask(tools, "DELETE", &format!("/api/v1/mcpservers/@?{ACME}"), none),
        ask(tools, "DELETE", &format!("/api/v1/mcpservers/@?{ACME}&force=true"), none),
        ask(tools, "GET", &format!("/api/v1/grants?{on_tools}"), none),
        ask(tools, "POST", "/api/v1/grants", &grant),
        ask(tools, "DELETE", &format!("/api/v1/grants?verb=view&from=mel&{on_tools}"), none),
        ask(tools, "GET", &format!("/api/v1/can-i?verb=operate&{on_tools}&as=mel"), none),
        ask(["values", "valves"], "GET", &format!("/api/v1/environments/@?{ACME}"), none),
        ask(["values", "valves"], "DELETE", &format!("/api/v1/environments/@?{ACME}"), none),
    ];
    for verb in ["view", "use", "edit", "delete", "spawn", "use-secret", "approve", "grant", "operate"] {
        questions.push(ask(tools, "GET", &format!("/api/v1/can-i?verb={verb}&{on_tools}"), none));
        let diary = format!("/api/v1/can-i?verb={verb}&kind=mcpserver&name=@&owner=ada");
        questions.push(ask(["diary", "dairy"], "GET", &diary, none));
    }
    questions
}

fn about_people(who: Who, token: &str) -> Vec<Question> {
    let ask = |names, method, path: &str, body: &Value| question(who, names, method, path, body);
    let none = &Value::Null;
    let (acme, mel) = (["acme", "acne"], ["mel", "nel"]);
    let (head, tail) = token.split_at(token.len() - 1);
    let other = format!("{head}{}", if tail == "0" { "1" } else { "0" });
    vec![
        ask(acme, "GET", "/api/v1/organizations/@", none),
        ask(acme, "PUT", "/api/v1/organizations/@/members/guest", &json!({"role": "admin"})),
        ask(acme, "DELETE", "/api/v1/organizations/@/members/mel", none),
        ask(acme, "GET", "/api/v1/mcpservers?scope=organization&org=@&search=nothing", none),
        ask(acme, "GET", "/api/v1/mcpservers/tools?scope=organization&org=@", none),
        ask(acme, "PUT", "/api/v1/mcpservers/fresh?scope=organization&org=@", &server("fresh")),
        ask(acme, "GET", "/api/v1/can-i?verb=view&kind=organization&name=@", none),
        ask(acme, "GET", "/api/v1/grants?kind=organization&name=@", none),
        ask(acme, "POST", "/api/v1/tokens", &json!({"org": "@"})),
        ask(mel, "POST", "/api/v1/tokens", &json!({"account": "@"})),
        ask(mel, "GET", "/api/v1/can-i?verb=view&kind=user&name=@", none),
        ask(mel, "GET", "/api/v1/can-i?verb=view&kind=platform&as=@", none),
        ask(mel, "GET", "/api/v1/grants?kind=user&name=@", none),
        ask(mel, "GET", "/api/v1/mcpservers/diary?owner=@", none),
        ask([token, &other], "DELETE", "/api/v1/tokens/@", none),
    ]
}

#[test]
fn a_refusal_gives_nothing_away() {
    let mut people = People::gather();
    let token = people.held(Who::Mel).id.clone();
    let mut questions = Vec::new();
    for who in [Who::Stranger, Who::Gil, Who::Elsewhere, Who::Bound] {
        questions.extend(about_resources(who));
    }
    for who in [Who::Stranger, Who::Gil] {
        questions.extend(about_people(who, &token));
    }
    for who in [Who::Stranger, Who::Gil, Who::Mel, Who::Elsewhere, Who::Bound, Who::Operator] {
        for (method, path) in [
            ("GET", "/api/v1/mcpservers/@?owner=ada"),
            ("DELETE", "/api/v1/mcpservers/@?scope=identity_account&owner=ada"),
            ("GET", "/api/v1/grants?kind=mcpserver&name=@&owner=ada"),
        ] {
            questions.push(question(who, ["diary", "dairy"], method, path, &Value::Null));
        }
    }
    assert_eq!(told(&mut people, &questions), Vec::<String>::new());
    assert_eq!(people.http(Who::Ada).get("/api/v1/mcpservers/diary").unwrap().status, 200);
    assert_eq!(people.http(Who::Mel).get("/api/v1/whoami").unwrap().status, 200);
}

#[test]
fn a_token_asked_for_in_anothers_name_does_not_tell_which_agents_they_have() {
    let mut people = People::gather();
    let secret = document("Agent", "memoirs", &json!({"client": "codex"}));
    assert_eq!(people.ask(Who::Ada, "PUT", "/api/v1/agents/memoirs", &secret).status, 201);
    let wanted = json!({"account": "ada", "agent": "@"});
    let asked = [Who::Stranger, Who::Gil, Who::Mel]
        .map(|who| question(who, ["memoirs", "nemoirs"], "POST", "/api/v1/tokens", &wanted));
    assert_eq!(told(&mut people, &asked), Vec::<String>::new());
}

#[test]
fn a_reference_does_not_tell_what_another_organization_has() {
    let mut people = People::gather();
    let usage = json!({"scope": "organization", "org": "acme", "name": "@"});
    let probe = document("Agent", "probe", &json!({"mcp_server_usages": [{"mcp_server_ref": usage}]}));
    let mut asked = Vec::new();
    for query in ["?dry_run=true", "?dry_run=true&strict=true"] {
        let path = format!("/api/v1/agents/probe{query}");
        asked.extend(
            [Who::Stranger, Who::Gil].map(|who| question(who, ["tools", "tonic"], "PUT", &path, &probe)),
        );
    }
    assert_eq!(told(&mut people, &asked), Vec::<String>::new());
}

#[test]
fn a_refused_delete_does_not_name_what_the_caller_may_not_see() {
    let mut people = People::gather();
    let usage = json!({"scope": "organization", "org": "acme", "name": "tools"});
    let hidden = document("Agent", "moonlight", &json!({"mcp_server_usages": [{"mcp_server_ref": usage}]}));
    let put = people.ask(Who::Mel, "PUT", "/api/v1/agents/moonlight", &hidden);
    assert_eq!(put.status, 201, "{}", put.text());
    let refused = people.ask(Who::Ada, "DELETE", &format!("/api/v1/mcpservers/tools?{ACME}"), &Value::Null);
    assert!(!refused.text().contains("moonlight"), "{} {}", refused.status, refused.text());
}

#[test]
fn a_token_for_an_organization_one_may_not_see_is_a_denial_on_record() {
    let mut people = People::gather();
    assert_eq!(people.ask(Who::Stranger, "POST", "/api/v1/tokens", &json!({"org": "acme"})).status, 404);
    let via = people.held(Who::Stranger).via.clone();
    let denial = ("stranger".to_owned(), via, "organization:acme".to_owned());
    assert_eq!(unrecorded(&mut people, &[denial]), Vec::<String>::new());
}
