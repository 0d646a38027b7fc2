//! For each operation of the API: how to call it, and what each kind of caller must get.

use serde_json::{Value, json};

use super::people::{ACME, Who, document};
use crate::stage::server;

/// Answers of [`Who::SIGNED_IN`], in that order.
type Answers = [u16; 8];

/// Stands for 403 or 404: the token reaches the thing for reading only in part.
pub const REFUSED: u16 = 0;

const EVERYONE: Answers = [200; 8];
/// What is for operators alone.
const OPERATORS: Answers = [403, 403, 403, 403, 403, 403, 403, 200];
const OPERATORS_MAKE: Answers = [403, 403, 403, 403, 403, 403, 403, 201];
/// Reading what belongs to acme.
const ACME_READS: Answers = [404, 404, 200, 200, 200, 404, 404, 200];
/// Changing what belongs to acme, for its admins.
const ACME_CHANGES: Answers = [404, 404, 403, 200, 403, 404, 404, 200];
const ACME_MAKES: Answers = [404, 404, 403, 201, 403, 404, 404, 201];
/// Changing what belongs to everyone.
const PLATFORM_CHANGES: Answers = [403, 403, 403, 403, 403, REFUSED, 404, 200];

/// Something that must be there before the call.
#[derive(Clone, Debug)]
pub struct Before {
    pub by: Who,
    pub method: &'static str,
    pub path: String,
    pub body: Value,
}

/// One way to call an operation. In path, body and target `{who}` is the caller's word, `{account}` their account, and
/// `{id}` the id of what was made before.
#[derive(Clone, Debug)]
pub struct Rule {
    pub operation: &'static str,
    pub method: &'static str,
    pub path: String,
    pub body: Value,
    /// What a denial is about.
    pub target: String,
    pub answers: Answers,
    pub before: Option<Before>,
}

impl Rule {
    fn body(mut self, body: Value) -> Self {
        self.body = body;
        self
    }

    fn about(mut self, target: &str) -> Self {
        target.clone_into(&mut self.target);
        self
    }

    fn after(mut self, by: Who, method: &'static str, path: impl Into<String>, body: Value) -> Self {
        self.before = Some(Before { by, method, path: path.into(), body });
        self
    }

    /// Whether it needs no token.
    pub fn is_open(&self) -> bool {
        ["healthz", "readyz"].contains(&self.operation)
    }

    /// What `who` must get.
    pub fn answer_for(&self, who: Who) -> u16 {
        match who {
            Who::Nobody if self.is_open() => 200,
            Who::Nobody | Who::Revoked => 401,
            who => {
                let column = Who::SIGNED_IN.iter().position(|known| *known == who);
                self.answers[column.expect("everyone else is signed in")]
            }
        }
    }
}

fn rule(operation: &'static str, method: &'static str, path: impl Into<String>, answers: Answers) -> Rule {
    let (path, body) = (path.into(), Value::Null);
    Rule { operation, method, path, body, target: "platform:outfitter".to_owned(), answers, before: None }
}

/// Every rule.
pub fn rules() -> Vec<Rule> {
    [daemon(), people(), tokens(), grants(), reading(), writing(), deleting()].concat()
}

fn daemon() -> Vec<Rule> {
    vec![
        rule("healthz", "GET", "/healthz", EVERYONE),
        rule("readyz", "GET", "/readyz", EVERYONE),
        rule("metrics", "GET", "/metrics", OPERATORS),
        rule("whoami", "GET", "/api/v1/whoami", EVERYONE),
        rule("watch", "GET", "/api/v1/watch?from=0", EVERYONE),
        rule("backup", "GET", "/api/v1/backup", OPERATORS),
        rule("rotateKey", "POST", "/api/v1/secrets/rotate-key", OPERATORS).body(json!({})),
        rule("listDenials", "GET", "/api/v1/denials?limit=1", OPERATORS),
    ]
}

fn people() -> Vec<Rule> {
    let acme = "organization:acme";
    let guest = "/api/v1/organizations/acme/members/guest-{who}";
    let role = json!({"role": "member"});
    vec![
        rule("listUsers", "GET", "/api/v1/users", EVERYONE),
        rule("createUser", "POST", "/api/v1/users", OPERATORS_MAKE).body(json!({"name": "new-{who}"})),
        rule("listOrganizations", "GET", "/api/v1/organizations", EVERYONE),
        rule("createOrganization", "POST", "/api/v1/organizations", OPERATORS_MAKE)
            .body(json!({"name": "new-{who}"})),
        rule("createOrganization", "POST", "/api/v1/organizations", [403, 403, 403, 403, 403, 403, 403, 409])
            .body(json!({"name": "acme"})),
        rule("getOrganization", "GET", "/api/v1/organizations/acme", ACME_READS).about(acme),
        rule("addMember", "PUT", guest, ACME_CHANGES).body(role.clone()).about(acme),
        rule("removeMember", "DELETE", guest, ACME_CHANGES).about(acme).after(
            Who::Operator,
            "PUT",
            guest,
            role,
        ),
    ]
}

fn tokens() -> Vec<Rule> {
    let of_mel = [404, 404, 200, 404, 404, 404, 404, 200];
    let for_mel = [404, 404, 201, 404, 403, 403, 403, 201];
    vec![
        rule("listTokens", "GET", "/api/v1/tokens", EVERYONE),
        rule("createToken", "POST", "/api/v1/tokens", [201, 201, 201, 201, 403, REFUSED, REFUSED, 201])
            .body(json!({"label": "{who}"}))
            .about("identity_account:{account}"),
        rule("createToken", "POST", "/api/v1/tokens", for_mel)
            .body(json!({"account": "mel"}))
            .about("identity_account:mel"),
        rule("revokeToken", "DELETE", "/api/v1/tokens/{id}", of_mel).about("identity_account:mel").after(
            Who::Operator,
            "POST",
            "/api/v1/tokens",
            json!({"account": "mel"}),
        ),
    ]
}

fn grants() -> Vec<Rule> {
    let tools = "mcp_server:organization/acme/tools";
    let on_tools = format!("kind=mcpserver&name=tools&{ACME}");
    let viewer = json!({"verb": "view", "kind": "mcpserver", "name": "tools", "scope": "organization",
        "org": "acme", "to": "guest-{who}"});
    let operator = json!({"verb": "operate", "kind": "platform", "to": "guest-{who}"});
    let asked = format!("/api/v1/can-i?verb=edit&{on_tools}");
    vec![
        rule("listGrants", "GET", format!("/api/v1/grants?{on_tools}"), ACME_CHANGES).about(tools),
        rule("listGrants", "GET", "/api/v1/grants?kind=platform", OPERATORS),
        rule("grant", "POST", "/api/v1/grants", ACME_MAKES).body(viewer.clone()).about(tools),
        rule("grant", "POST", "/api/v1/grants", OPERATORS_MAKE).body(operator.clone()),
        rule(
            "revoke",
            "DELETE",
            format!("/api/v1/grants?verb=view&{on_tools}&from=guest-{{who}}"),
            ACME_CHANGES,
        )
        .about(tools)
        .after(Who::Operator, "POST", "/api/v1/grants", viewer),
        rule("revoke", "DELETE", "/api/v1/grants?verb=operate&kind=platform&from=guest-{who}", OPERATORS)
            .after(Who::Operator, "POST", "/api/v1/grants", operator),
        rule("canI", "GET", &asked, EVERYONE),
        rule("canI", "GET", format!("{asked}&as=mel"), [403, 403, 200, 200, 403, 403, 403, 200])
            .about("identity_account:mel"),
    ]
}

fn reading() -> Vec<Rule> {
    let get = |path: &str, answers| rule("get", "GET", format!("/api/v1/{path}"), answers);
    vec![
        rule("list", "GET", "/api/v1/mcpservers", EVERYONE),
        rule("list", "GET", format!("/api/v1/environments?{ACME}"), EVERYONE),
        get(&format!("mcpservers/tools?{ACME}"), ACME_READS).about("mcp_server:organization/acme/tools"),
        get(&format!("environments/values?{ACME}"), ACME_READS).about("environment:organization/acme/values"),
        get(&format!("agents/helper?{ACME}"), [404, 404, 200, 200, 200, 404, 200, 200])
            .about("agent:organization/acme/helper"),
        get("mcpservers/shared?scope=platform", [200, 200, 200, 200, 200, 200, 404, 200])
            .about("mcp_server:platform/shared"),
        get("mcpservers/diary?owner=ada", [404, 404, 404, 200, 200, 404, 404, 404])
            .about("mcp_server:identity_account/ada/diary"),
    ]
}

fn writing() -> Vec<Rule> {
    let put = |path: &str, answers| rule("put", "PUT", format!("/api/v1/{path}"), answers);
    let mut placed = server("tools");
    placed["metadata"] = json!({"name": "tools", "scope": "organization", "org": "acme"});
    let helper = document("Agent", "helper", &json!({"client": "codex"}));
    let values = document("Environment", "values", &json!({"data": {"K": {"value": "v"}}}));
    let tools = "mcp_server:organization/acme/tools";
    vec![
        put(&format!("mcpservers/tools?{ACME}"), ACME_CHANGES).body(server("tools")).about(tools),
        put(&format!("mcpservers/new-{{who}}?{ACME}"), ACME_MAKES)
            .body(server("new-{who}"))
            .about("mcp_server:organization/acme/new-{who}"),
        put(&format!("environments/values?{ACME}"), ACME_CHANGES)
            .body(values)
            .about("environment:organization/acme/values"),
        put(&format!("agents/helper?{ACME}"), [404, 404, 403, 200, 403, 404, REFUSED, 200])
            .body(helper)
            .about("agent:organization/acme/helper"),
        put("mcpservers/shared?scope=platform", PLATFORM_CHANGES)
            .body(server("shared"))
            .about("mcp_server:platform/shared"),
        put("mcpservers/own-{who}?scope=identity_account", [201, 201, 201, 201, 403, 404, 404, 201])
            .body(server("own-{who}"))
            .about("mcp_server:identity_account/{account}/own-{who}"),
        rule("apply", "POST", "/api/v1/apply", ACME_CHANGES).body(json!([placed])).about(tools),
        rule("apply", "POST", "/api/v1/apply?dry_run=true", ACME_CHANGES).body(json!([placed])).about(tools),
    ]
}

fn deleting() -> Vec<Rule> {
    let doomed = |place: &str, by: Who, answers| {
        let path = format!("/api/v1/mcpservers/doomed-{{who}}?{place}");
        rule("delete", "DELETE", path, answers).after(
            by,
            "PUT",
            format!("/api/v1/mcpservers/doomed-{{who}}?{}", place.trim_end_matches("&owner=ada")),
            server("doomed-{who}"),
        )
    };
    let ada_alone = [404, 404, 404, 200, 403, 404, 404, 404];
    vec![
        doomed(ACME, Who::Operator, ACME_CHANGES).about("mcp_server:organization/acme/doomed-{who}"),
        doomed("scope=platform", Who::Operator, PLATFORM_CHANGES).about("mcp_server:platform/doomed-{who}"),
        doomed("scope=identity_account&owner=ada", Who::Ada, ada_alone)
            .about("mcp_server:identity_account/ada/doomed-{who}"),
    ]
}
