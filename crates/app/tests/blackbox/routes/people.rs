//! Two organizations and the people around them, each with a token of their own.

use std::collections::HashMap;

use serde_json::{Value, json};
use testkit::http::{Events, Request, Response};
use testkit::{Daemon, Http};

use crate::stage::{Stage, server};

/// Who asks, and with what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Who {
    /// No token.
    Nobody,
    /// A token of Ada's that was revoked.
    Revoked,
    /// Someone with an account and nothing else.
    Stranger,
    /// Admin of globex.
    Gil,
    /// Member of acme.
    Mel,
    /// Admin of acme.
    Ada,
    /// Ada with a token for reading only.
    Reader,
    /// Ada with a token for globex only.
    Elsewhere,
    /// Ada with a token for acme's agent only.
    Bound,
    /// The operator, who is in neither organization.
    Operator,
}

impl Who {
    /// Those whose token holds, in the order of the tables.
    pub const SIGNED_IN: [Self; 8] = [
        Self::Stranger,
        Self::Gil,
        Self::Mel,
        Self::Ada,
        Self::Reader,
        Self::Elsewhere,
        Self::Bound,
        Self::Operator,
    ];

    /// A word that may stand in a resource's name.
    pub fn word(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// What a person holds.
#[derive(Clone, Debug)]
pub struct Held {
    pub account: String,
    /// How the daemon calls what they signed in with.
    pub via: String,
    /// The token's id.
    pub id: String,
    pub token: String,
}

/// The people, and clients that speak for them.
pub struct People {
    pub stage: Stage,
    held: HashMap<Who, Held>,
    clients: HashMap<Who, Http>,
}

impl People {
    /// On SQLite in a fresh data directory.
    pub fn gather() -> Self {
        Self::at(Stage::set())
    }

    /// On a new PostgreSQL database.
    pub fn gather_on_postgres() -> Self {
        let url = testkit::postgres::Postgres::shared().database();
        Self::at(Stage::with(Daemon::builder().database(url)))
    }

    /// At a daemon that has just been made.
    pub fn at(stage: Stage) -> Self {
        let whoami = stage.http().get("/api/v1/whoami").unwrap().json();
        let operator = Held {
            account: whoami["account"].as_str().unwrap().to_owned(),
            via: "token".to_owned(),
            id: String::new(),
            token: stage.daemon.token().unwrap(),
        };
        let mut people = Self { stage, held: HashMap::new(), clients: HashMap::new() };
        people.add(Who::Operator, operator);
        people.found_organizations();
        people.declare();
        people.hand_out_tokens();
        people
    }

    fn found_organizations(&mut self) {
        for name in ["ada", "mel", "gil", "stranger"] {
            self.operate("POST", "/api/v1/users", &json!({"name": name}));
        }
        let operator = self.held(Who::Operator).account.clone();
        for (org, admin) in [("acme", "ada"), ("globex", "gil")] {
            self.operate("POST", "/api/v1/organizations", &json!({"name": org}));
            self.join(org, admin, "admin");
            self.operate("DELETE", &format!("/api/v1/organizations/{org}/members/{operator}"), &Value::Null);
        }
        self.join("acme", "mel", "member");
    }

    fn declare(&mut self) {
        for (name, place) in [("tools", ACME), ("shared", "scope=platform"), ("gadgets", GLOBEX)] {
            self.operate("PUT", &format!("/api/v1/mcpservers/{name}?{place}"), &server(name));
        }
        let values = document("Environment", "values", &json!({"data": {"K": {"value": "v"}}}));
        self.operate("PUT", &format!("/api/v1/environments/values?{ACME}"), &values);
        let helper = document("Agent", "helper", &json!({"client": "codex"}));
        self.operate("PUT", &format!("/api/v1/agents/helper?{ACME}"), &helper);
    }

    fn hand_out_tokens(&mut self) {
        for (who, wanted) in [
            (Who::Stranger, json!({"account": "stranger"})),
            (Who::Gil, json!({"account": "gil"})),
            (Who::Mel, json!({"account": "mel"})),
            (Who::Ada, json!({"account": "ada"})),
            (Who::Reader, json!({"account": "ada", "read_only": true})),
            (Who::Elsewhere, json!({"account": "ada", "org": "globex"})),
            (
                Who::Bound,
                json!({"account": "ada", "agent": "helper", "agent_scope": "organization", "agent_org": "acme"}),
            ),
            (Who::Revoked, json!({"account": "ada"})),
        ] {
            let held = self.token(&wanted);
            self.add(who, held);
        }
        let revoked = self.held(Who::Revoked).id.clone();
        self.operate("DELETE", &format!("/api/v1/tokens/{revoked}"), &Value::Null);
        let own = self.http(Who::Ada).put("/api/v1/mcpservers/diary", &server("diary")).unwrap();
        assert_eq!(own.status, 201, "{}", own.text());
        self.clients.insert(Who::Nobody, Http::tcp(self.stage.daemon.address()));
    }

    fn add(&mut self, who: Who, held: Held) {
        self.clients.insert(who, Http::tcp(self.stage.daemon.address()).bearer(&held.token));
        self.held.insert(who, held);
    }

    /// Speaks to the daemon where it listens now.
    pub fn reconnect(&mut self) {
        for (who, held) in self.held.clone() {
            self.add(who, held);
        }
    }

    /// Makes a token as the operator.
    pub fn token(&mut self, wanted: &Value) -> Held {
        let made = self.operate("POST", "/api/v1/tokens", wanted);
        let text = |field: &str| made[field].as_str().unwrap().to_owned();
        let id = text("id");
        Held { account: text("account"), via: format!("token {id}"), id, token: text("token") }
    }

    pub fn held(&self, who: Who) -> &Held {
        &self.held[&who]
    }

    /// The client that speaks for someone.
    pub fn http(&mut self, who: Who) -> &mut Http {
        self.clients.get_mut(&who).unwrap()
    }

    /// Everything that changes from now on, as someone sees it.
    pub fn watch(&mut self, who: Who) -> Events {
        self.http(who).events(&Request::new("GET", "/api/v1/watch")).unwrap()
    }

    /// Asks as the operator for something that must succeed.
    pub fn operate(&mut self, method: &str, path: &str, body: &Value) -> Value {
        let done = self.ask(Who::Operator, method, path, body);
        assert!((200..300).contains(&done.status), "{method} {path}: {} {}", done.status, done.text());
        done.json()
    }

    /// Asks as someone; null is no body.
    pub fn ask(&mut self, who: Who, method: &str, path: &str, body: &Value) -> Response {
        let request = Request::new(method, path);
        let request = if body.is_null() { request } else { request.json(body) };
        self.http(who).send(&request).unwrap_or_else(|error| panic!("{who:?} {method} {path}: {error}"))
    }

    /// Makes someone a member or an admin.
    pub fn join(&mut self, org: &str, account: &str, role: &str) {
        let path = format!("/api/v1/organizations/{org}/members/{account}");
        self.operate("PUT", &path, &json!({"role": role}));
    }

    /// Takes someone out.
    pub fn leave(&mut self, org: &str, account: &str) {
        let path = format!("/api/v1/organizations/{org}/members/{account}");
        self.operate("DELETE", &path, &Value::Null);
    }

    /// Lets someone view acme's server `tools`.
    pub fn grant(&mut self, to: &str) {
        let wanted = json!({"verb": "view", "kind": "mcpserver", "name": "tools",
            "scope": "organization", "org": "acme", "to": to});
        self.operate("POST", "/api/v1/grants", &wanted);
    }

    /// Takes that back.
    pub fn revoke(&mut self, from: &str) {
        let path = format!("/api/v1/grants?verb=view&kind=mcpserver&name=tools&{ACME}&from={from}");
        self.operate("DELETE", &path, &Value::Null);
    }
}

/// The address of what belongs to acme.
pub const ACME: &str = "scope=organization&org=acme";
/// The address of what belongs to globex.
pub const GLOBEX: &str = "scope=organization&org=globex";

/// A document of any kind, as JSON.
pub fn document(kind: &str, name: &str, spec: &Value) -> Value {
    json!({"apiVersion": "agentic.stigmer.ai/v1", "kind": kind, "metadata": {"name": name}, "spec": spec})
}
