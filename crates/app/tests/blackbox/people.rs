//! People: organizations, tokens, rights that are asked about, granted and taken back, and what was refused.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::http::{Request, Response};
use testkit::outfitter::Output;
use testkit::{Daemon, Http};

use crate::stage::{Stage, manifest};

/// Someone who has nothing but a token.
struct Holder<'a> {
    stage: &'a Stage,
    token: String,
}

impl Holder<'_> {
    fn run(&self, args: &[&str]) -> Output {
        self.run_with(args, "")
    }

    fn run_with(&self, args: &[&str], stdin: &str) -> Output {
        let invocation = self.stage.person.invocation(args).stdin(stdin);
        let invocation = invocation.env("OUTFITTER_SERVER", self.stage.daemon.url());
        invocation.env("OUTFITTER_TOKEN", &self.token).run().unwrap()
    }

    fn done(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.code, Some(0), "{args:?}: {}{}", output.stdout, output.stderr);
        output.stdout
    }

    fn apply(&self, text: &str, extra: &[&str]) -> Output {
        self.run_with(&[&["apply", "-f", "-"], extra].concat(), text)
    }

    fn http(&self) -> Http {
        Http::tcp(self.stage.daemon.address()).bearer(&self.token)
    }
}

/// Makes a token with these words.
fn holder<'a>(stage: &'a Stage, words: &[&str]) -> Holder<'a> {
    let printed = stage.done(&[&["token", "create"], words].concat());
    let token = printed.strip_suffix('\n').unwrap();
    assert!(token.starts_with("oft_") && !token.contains(char::is_whitespace), "{printed}");
    Holder { stage, token: token.to_owned() }
}

/// A server that is reached by its URL, so that nothing is started.
fn remote(name: &str, description: &str) -> String {
    manifest("McpServer", name, &format!("description: {description}\nhttp: {{url: \"https://mcp.test/x\"}}"))
}

fn program(name: &str) -> String {
    manifest("McpServer", name, "stdio: {command: \"true\"}")
}

const ACME: [&str; 4] = ["--scope", "organization", "--org", "acme"];

/// Organization `acme` with a server `github`.
fn acme() -> Stage {
    let stage = Stage::set();
    stage.done(&["org", "create", "acme"]);
    stage.done_with(&[&["apply", "-f", "-"][..], &ACME].concat(), &remote("github", "first"));
    stage
}

#[track_caller]
fn refused(output: &Output, code: i32, words: &[&str]) {
    assert_eq!(output.code, Some(code), "{}{}", output.stdout, output.stderr);
    for word in words {
        assert!(output.stderr.contains(word), "{word}: {}", output.stderr);
    }
}

/// The id of the only token with a label.
fn id_of(stage: &Stage, label: &str) -> String {
    let listed: Value = serde_json::from_str(&stage.done(&["token", "list", "-o", "json"])).unwrap();
    let found = listed.as_array().unwrap().iter().find(|token| token["label"] == label).unwrap();
    found["id"].as_str().unwrap().to_owned()
}

/// The newest denials once one of them fits; they are kept a moment after they are answered.
fn denied(stage: &Stage, fits: impl Fn(&Value) -> bool) -> Value {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let listed: Value = serde_json::from_str(&stage.done(&["audit", "denials", "-o", "json"])).unwrap();
        if let Some(found) = listed.as_array().unwrap().iter().find(|denial| fits(denial)) {
            return found.clone();
        }
        assert!(Instant::now() < deadline, "{listed}");
    }
}

#[test]
fn a_member_sees_what_her_organization_has_and_an_admin_changes_it() {
    let stage = acme();
    stage.done(&["user", "create", "ana", "--oidc-subject", "00u1"]);
    let ana = holder(&stage, &["--for", "ana"]);
    assert!(!ana.done(&["mcpserver", "list"]).contains("github"), "she does not belong to it yet");
    refused(&ana.run(&["org", "get", "acme"]), 3, &["organization `acme` does not exist", "org list"]);

    let said = stage.done(&["org", "add-member", "acme", "ana"]);
    assert!(said.contains("✓ `ana` is a member of organization `acme`"), "{said}");
    assert!(ana.done(&["mcpserver", "list"]).contains("organization/acme"));
    assert!(ana.done(&["org", "list"]).contains("acme  member"));
    let edit = || ana.apply(&remote("github", "second"), &ACME);
    refused(&edit(), 4, &["ana may not write in scope organization/acme", "only admins"]);
    refused(&ana.run(&["org", "add-member", "acme", "eve"]), 4, &["may not decide who may"]);

    stage.done(&["org", "add-member", "acme", "ana", "--role", "admin"]);
    assert_eq!(edit().code, Some(0), "{}", edit().stderr);
    ana.done(&["org", "add-member", "acme", "eve"]);
    let shown = ana.done(&["org", "get", "acme"]);
    assert!(shown.contains("Members:   eve\n") && shown.contains("Your role: admin\n"), "{shown}");

    stage.done(&["org", "remove-member", "acme", "ana"]);
    assert!(!ana.done(&["mcpserver", "list"]).contains("github"));
    refused(&stage.run(&["org", "remove-member", "acme", "ana"]), 3, &["is not a member"]);
    let users = stage.done(&["user", "list"]);
    assert!(users.contains("ana") && users.contains("00u1"), "{users}");
    refused(&stage.run(&["user", "create", "ana"]), 5, &[]);
    refused(&stage.run(&["org", "create", "acme"]), 5, &[]);
    refused(&ana.run(&["user", "create", "mallory"]), 4, &["only operators may"]);
}

#[test]
fn a_token_is_shown_once_and_refused_once_it_is_revoked() {
    let stage = Stage::set();
    let made = stage.run(&["token", "create", "--for", "ana", "--label", "laptop"]);
    assert_eq!(made.stdout.lines().count(), 1, "{}", made.stdout);
    let (token, id) = (made.stdout.trim_end(), id_of(&stage, "laptop"));
    for expected in [id.as_str(), "it is not shown again", "`ana`", "everything", "never", "token revoke"] {
        assert!(made.stderr.contains(expected), "{expected}: {}", made.stderr);
    }
    assert!(!made.stderr.contains(token));
    let ana = Holder { stage: &stage, token: token.to_owned() };
    let shown = ana.done(&["whoami"]);
    assert!(shown.contains("ana\n") && shown.contains(&format!("token {id}\n")), "{shown}");
    assert!(!shown.contains("Read-only") && !shown.contains("Expires"), "{shown}");
    for words in [&["token", "list"][..], &["token", "list", "-o", "json"], &["token", "list", "-o", "yaml"]]
    {
        let listed = ana.done(words);
        assert!(listed.contains(&id) && !listed.contains(token), "{listed}");
    }
    let pasted = stage.run(&["token", "revoke", token]);
    refused(&pasted, 2, &["token list"]);
    assert!(!pasted.stderr.contains(token), "the secret is not repeated");
    ana.done(&["token", "revoke", &id]);
    refused(&ana.run(&["whoami"]), 4, &["OUTFITTER_TOKEN"]);
    assert_eq!(ana.http().get("/api/v1/whoami").unwrap().status, 401);
    refused(&stage.run(&["token", "revoke", &id]), 3, &["does not exist"]);
}

#[test]
fn a_narrow_token_reaches_no_further_than_it_says() {
    let stage = acme();
    stage.done(&["org", "add-member", "acme", "ana", "--role", "admin"]);
    stage.done_with(
        &["apply", "-f", "-", "--scope", "platform"],
        &manifest("Agent", "coder", "client: codex"),
    );
    let whole = holder(&stage, &["--for", "ana"]);
    assert_eq!(whole.apply(&remote("notes", "mine"), &[]).code, Some(0));

    let reader = holder(&stage, &["--for", "ana", "--read-only", "--expires", "1h"]);
    let shown = reader.done(&["whoami"]);
    assert!(shown.contains("Read-only: yes\n") && shown.contains("Expires:"), "{shown}");
    assert!(reader.done(&["mcpserver", "list"]).contains("notes"));
    refused(&reader.apply(&remote("notes", "changed"), &[]), 4, &["the token is read-only"]);
    refused(&reader.run(&["token", "create"]), 4, &["not allowed"]);

    let bound = holder(&stage, &["--for", "ana", "--org", "acme"]);
    assert!(bound.done(&["whoami"]).contains("organization/acme\n"));
    let listed = bound.done(&["mcpserver", "list"]);
    assert!(listed.contains("github") && !listed.contains("notes"), "{listed}");
    assert_eq!(bound.apply(&remote("github", "bound"), &ACME).code, Some(0));
    refused(&bound.run(&["mcpserver", "get", "notes"]), 3, &[]);

    let agent = holder(&stage, &["--for", "ana", "--agent", "coder", "--agent-scope", "platform"]);
    assert!(agent.done(&["whoami"]).contains("coder"));
    assert!(agent.done(&["agent", "get", "coder"]).contains("codex"));
    for args in [&["mcpserver", "get", "github", "--org", "acme"][..], &["org", "get", "acme"]] {
        refused(&agent.run(args), 3, &["does not exist"]);
    }
    refused(&stage.run(&["token", "create", "--agent", "ghost"]), 3, &["ghost"]);
    refused(
        &stage.run(&["token", "create", "--agent", "coder", "--org", "acme"]),
        2,
        &["cannot be used with"],
    );
}

#[test]
fn an_expired_token_is_refused_and_its_use_is_on_record() {
    let stage = Stage::set();
    let ana = holder(&stage, &["--for", "ana", "--label", "short", "--expires", "1s"]);
    let deadline = Instant::now() + Duration::from_secs(20);
    while ana.run(&["whoami"]).code != Some(4) {
        assert!(Instant::now() < deadline, "it still works");
    }
    let denial = denied(&stage, |denial| denial["relation"] == "sign_in");
    assert!(denial["reason"].as_str().unwrap().contains("expired"), "{denial}");
    assert_eq!(
        (&denial["account"], denial["via"].as_str().unwrap()),
        (&json!("ana"), &*format!("token {}", id_of(&stage, "short")))
    );
    for wrong in ["0s", "4000d", "soon"] {
        refused(&stage.run(&["token", "create", "--expires", wrong]), 2, &["--expires"]);
    }
}

#[test]
fn can_i_says_which_relations_decide_or_why_not() {
    let stage = acme();
    for (user, role) in [("ana", "admin"), ("bob", "member")] {
        stage.done(&["org", "add-member", "acme", user, "--role", role]);
    }
    let (ana, bob) = (holder(&stage, &["--for", "ana"]), holder(&stage, &["--for", "bob"]));
    let yes = ana.done(&["can-i", "edit", "mcpserver", "github", "--org", "acme"]);
    let lines: Vec<&str> = yes.lines().collect();
    assert_eq!(
        lines[..2],
        ["yes", "  mcp_server:organization/acme/github can_edit: includes owner"],
        "{yes}"
    );
    assert!(yes.contains("organization:acme admin: ") && lines.len() >= 4, "{yes}");

    let no = bob.run(&["can-i", "edit", "McpServer", "github", "--org", "acme"]);
    assert_eq!((no.code, no.stderr.as_str()), (Some(1), ""));
    assert!(
        no.stdout.starts_with("no\n") && no.stdout.contains("only admins of the organization"),
        "{}",
        no.stdout
    );
    let about = ["can-i", "edit", "mcpserver", "github", "--org", "acme", "--as", "ana"];
    refused(&bob.run(&about), 4, &["ask for others"]);
    assert!(stage.done(&about).starts_with("yes\n"));
    let asked = stage.run(&["can-i", "operate", "platform", "--as", "bob", "-o", "json"]);
    let answer: Value = serde_json::from_str(&asked.stdout).unwrap();
    assert_eq!((asked.code, &answer["allowed"], &answer["account"]), (Some(1), &json!(false), &json!("bob")));
    assert!(bob.done(&["can-i", "view", "organization", "acme"]).starts_with("yes\n"));
    for (args, word) in [
        (&["can-i", "edit", "mcpserver"][..], "name is missing"),
        (&["can-i", "operate", "platform", "x"], "has no name"),
        (&["can-i", "view", "organization", "acme", "--org", "acme"], "in no scope"),
        (&["can-i", "view", "mcpserver", "a", "--owner", "ana", "--scope", "platform"], "--owner"),
        (&["can-i", "view", "mcpserver", "BAD NAME"], "lower case"),
        (&["can-i", "fly", "mcpserver", "a"], "use-secret"),
        (&["can-i", "view", "teapot", "a"], "mcpserver"),
    ] {
        refused(&stage.run(args), 2, &[word]);
    }
}

#[test]
fn a_grant_takes_effect_at_the_next_call_and_so_does_its_end() {
    let stage = acme();
    stage.done(&["org", "create", "tools"]);
    stage.done(&["org", "add-member", "tools", "tom"]);
    let (eve, tom) = (holder(&stage, &["--for", "eve"]), holder(&stage, &["--for", "tom"]));
    let on = ["mcpserver", "github", "--org", "acme"];
    let change = |verb: &[&str], who: &[&str]| stage.done(&[verb, &on, who].concat());
    let sees = |who: &Holder<'_>| who.run(&[&["mcpserver", "get"], &on[1..]].concat()).code == Some(0);
    let edits = |who: &Holder<'_>| who.apply(&remote("github", "changed"), &ACME).code == Some(0);
    for (who, subject) in [(&eve, "eve"), (&tom, "org:tools")] {
        assert!(!sees(who) && !edits(who), "{subject}");
        let said = change(&["grant", "view"], &["--to", subject]);
        assert!(
            said.contains(&format!("✓ {subject} may view mcp_server:organization/acme/github")),
            "{said}"
        );
        assert!(sees(who) && !edits(who), "{subject}");
        change(&["grant", "edit"], &["--to", subject]);
        assert!(edits(who), "{subject}");
        let listed = change(&["grants"], &[]);
        for verb in ["view", "edit"] {
            let row = format!("{subject}{verb}mcp_server:organization/acme/github");
            assert!(listed.lines().any(|line| line.replace(' ', "") == row), "{listed}");
        }
        change(&["revoke", "edit"], &["--from", subject]);
        assert!(sees(who) && !edits(who), "{subject}");
        change(&["revoke", "view"], &["--from", subject]);
        assert!(!sees(who), "{subject}");
        let again = stage.run(&[&["revoke", "view"], &on[..], &["--from", subject]].concat());
        refused(&again, 3, &["no such grant", "outfitter grants mcpserver github --org acme"]);
    }
    let nothing = stage.run(&[&["grants"], &on[..]].concat());
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(0), ""), "{}", nothing.stderr);
    refused(&eve.run(&["grant", "edit", "mcpserver", "github", "--org", "acme", "--to", "eve"]), 3, &[]);
    refused(&stage.run(&["grant", "view", "organization", "acme", "--to", "eve"]), 1, &["add-member"]);
    refused(
        &stage.run(&["grant", "view", "mcpserver", "github", "--org", "acme", "--to", "org:Bad"]),
        1,
        &["org:Bad"],
    );
    stage.done(&["grant", "operate", "platform", "--to", "eve"]);
    assert!(eve.done(&["whoami"]).contains("Operator: yes"));
    stage.done(&["revoke", "operate", "platform", "--from", "eve"]);
    assert!(eve.done(&["whoami"]).contains("Operator: no"));
}

#[test]
fn a_program_is_declared_only_by_those_who_may_start_it() {
    let stage = acme();
    stage.done(&["org", "add-member", "acme", "bob"]);
    stage.done(&["grant", "edit", "mcpserver", "github", "--org", "acme", "--to", "bob"]);
    let bob = holder(&stage, &["--for", "bob"]);
    assert_eq!(bob.apply(&remote("github", "by bob"), &ACME).code, Some(0), "he may edit the text");
    let spawn = [
        "may not declare programs that the daemon starts",
        "only admins of the organization and operators may",
    ];
    refused(&bob.apply(&program("github"), &ACME), 4, &spawn);
    refused(&bob.apply(&program("new"), &ACME), 4, &["bob", "only admins of the organization"]);
    let own = bob.apply(&program("mine"), &[]);
    assert_eq!(own.code, Some(0), "on loopback, for himself: {}", own.stderr);

    let strict = Stage::with(Daemon::builder().arg("--personal-spawn").arg("false"));
    let bob = holder(&strict, &["--for", "bob"]);
    refused(&bob.apply(&program("mine"), &[]), 4, &["personal_spawn is off"]);
    assert_eq!(bob.apply(&remote("mine", "a URL starts nothing"), &[]).code, Some(0));
}

#[test]
fn what_was_refused_is_listed_with_who_and_why() {
    let stage = acme();
    stage.done(&["org", "add-member", "acme", "bob"]);
    let bob = holder(&stage, &["--for", "bob", "--label", "b"]);
    refused(&bob.apply(&remote("github", "x"), &ACME), 4, &[]);
    let denial = denied(&stage, |denial| denial["relation"] == "can_edit");
    assert_eq!(denial["account"], "bob");
    assert_eq!(denial["target"], "mcp_server:organization/acme/github");
    assert_eq!(denial["via"], format!("token {}", id_of(&stage, "b")));
    assert!(denial["reason"].as_str().unwrap().starts_with("only admins of the organization"), "{denial}");
    refused(&bob.run(&["mcpserver", "get", "later", "--scope", "organization", "--org", "acme2"]), 3, &[]);
    denied(&stage, |denial| denial["target"] == "mcp_server:organization/acme2/later");
    let newest = stage.run(&["audit", "denials", "--limit", "1"]);
    let lines: Vec<&str> = newest.stdout.lines().collect();
    assert!(
        lines.len() == 2 && lines[0].starts_with("TIME") && lines[1].contains("acme2"),
        "{}",
        newest.stdout
    );
    assert!(newest.stderr.contains("--limit"), "{}", newest.stderr);
    refused(&bob.run(&["audit", "denials"]), 4, &["only operators may"]);
}

/// Everything of an answer that a stranger could tell two things apart by.
fn seen(answer: &Response, asked: &str) -> (u16, Vec<(String, String)>, String) {
    let headers = answer.headers.iter().filter(|(name, _)| name != "date").cloned().collect();
    (answer.status, headers, answer.text().replace(asked, "?"))
}

#[test]
fn a_stranger_cannot_tell_what_exists_from_what_does_not() {
    let stage = acme();
    let ana = holder(&stage, &["--for", "ana", "--label", "hers"]);
    assert_eq!(ana.apply(&remote("github", "hers"), &[]).code, Some(0));
    let coder = manifest("Agent", "github", "client: codex");
    stage.done_with(&[&["apply", "-f", "-"][..], &ACME].concat(), &coder);
    let mut stranger = holder(&stage, &["--for", "eve"]).http();
    for path in ["organizations/acme", "mcpservers/github?org=acme", "agents/github?org=acme"] {
        assert_eq!(stage.http().get(&format!("/api/v1/{path}")).unwrap().status, 200, "{path} exists");
    }
    let token = id_of(&stage, "hers");
    let revoke = format!("/api/v1/tokens/{token}");
    let both = &["acme", "github"][..];
    for (method, path, body, names) in [
        ("GET", "/api/v1/organizations/acme", "", &["acme"][..]),
        ("PUT", "/api/v1/organizations/acme/members/eve", r#"{"role":"admin"}"#, &["acme"]),
        ("DELETE", "/api/v1/organizations/acme/members/eve", "", &["acme"]),
        ("GET", "/api/v1/mcpservers?scope=organization&org=acme", "", &["acme"]),
        ("GET", "/api/v1/mcpservers/github?scope=organization&org=acme", "", both),
        ("GET", "/api/v1/mcpservers/github?org=acme", "", both),
        ("GET", "/api/v1/mcpservers/github?owner=ana", "", &["ana", "github"]),
        ("PUT", "/api/v1/mcpservers/github?scope=organization&org=acme", HTTP_SERVER, both),
        ("DELETE", "/api/v1/mcpservers/github?scope=organization&org=acme", "", both),
        ("DELETE", "/api/v1/mcpservers/github?scope=identity_account&owner=ana", "", &["ana", "github"]),
        ("GET", "/api/v1/can-i?verb=view&kind=mcpserver&name=github&scope=organization&org=acme", "", both),
        ("GET", "/api/v1/can-i?verb=edit&kind=mcpserver&name=github&owner=ana", "", &["ana", "github"]),
        ("GET", "/api/v1/can-i?verb=view&kind=organization&name=acme", "", &["acme"]),
        ("GET", "/api/v1/can-i?verb=view&kind=user&name=ana", "", &["ana"]),
        ("GET", "/api/v1/can-i?verb=view&kind=platform&as=ana", "", &["ana"]),
        ("GET", "/api/v1/grants?kind=mcpserver&name=github&scope=organization&org=acme", "", both),
        ("GET", "/api/v1/grants?kind=organization&name=acme", "", &["acme"]),
        ("POST", "/api/v1/grants", GRANT, both),
        ("POST", "/api/v1/tokens", r#"{"account":"ana"}"#, &["ana"]),
        ("POST", "/api/v1/tokens", r#"{"org":"acme"}"#, &["acme"]),
        ("POST", "/api/v1/tokens", AGENT_BOUND, both),
        ("DELETE", &revoke, "", &[&token]),
    ] {
        for name in names {
            // As long as the other, so that the length of the answer must not differ either.
            let other = format!("{}{}", &name[..name.len() - 1], if name.ends_with('0') { '1' } else { '0' });
            let mut ask = |path: &str, body: &str| {
                let request = Request::new(method, path);
                let request = if body.is_empty() { request } else { request.body("application/json", body) };
                stranger.send(&request).unwrap()
            };
            let there = ask(path, body);
            let nowhere = ask(&path.replace(name, &other), &body.replace(name, &other));
            assert_eq!(seen(&there, name), seen(&nowhere, &other), "{method} {path} {body}");
            assert!(matches!(there.status, 200 | 403 | 404), "{method} {path}: {}", there.text());
        }
    }
}

const HTTP_SERVER: &str = r#"{"apiVersion":"agentic.stigmer.ai/v1","kind":"McpServer","metadata":{"name":"github"},"spec":{"http":{"url":"https://mcp.test/x"}}}"#;
const GRANT: &str =
    r#"{"verb":"view","kind":"mcpserver","name":"github","scope":"organization","org":"acme","to":"eve"}"#;
const AGENT_BOUND: &str = r#"{"agent":"github","agent_scope":"organization","agent_org":"acme"}"#;

#[test]
fn what_a_person_lets_another_edit_stays_in_its_owners_scope() {
    let stage = Stage::set();
    let (mel, eve) = (holder(&stage, &["--for", "mel"]), holder(&stage, &["--for", "eve"]));
    assert_eq!(mel.apply(&remote("notes", "by mel"), &[]).code, Some(0));
    refused(&eve.run(&["mcpserver", "get", "notes", "--owner", "mel"]), 3, &["does not exist"]);
    mel.done(&["grant", "edit", "mcpserver", "notes", "--to", "eve"]);
    assert!(eve.done(&["mcpserver", "get", "notes", "--owner", "mel"]).contains("by mel"));
    let token = stage.done(&["token", "create", "--for", "eve"]);
    let mut http = Http::tcp(stage.daemon.address()).bearer(token.trim());
    let changed = serde_json::json!({
        "apiVersion": "agentic.stigmer.ai/v1", "kind": "McpServer", "metadata": {"name": "notes"},
        "spec": {"description": "by eve", "http": {"url": "https://example.com/mcp"}},
    });
    let answer = http.put("/api/v1/mcpservers/notes?owner=mel", &changed).unwrap();
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(mel.done(&["mcpserver", "get", "notes"]).contains("by eve"));
    refused(&eve.run(&["mcpserver", "get", "notes", "--scope", "identity_account"]), 3, &[]);
    let elsewhere = http.put("/api/v1/mcpservers/notes?owner=mel&scope=platform", &changed).unwrap();
    assert_eq!(elsewhere.status, 400, "{}", elsewhere.text());
    assert_eq!(http.delete("/api/v1/mcpservers/notes?scope=identity_account&owner=mel").unwrap().status, 403);
}
