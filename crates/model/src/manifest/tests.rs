//! Documents as people write them: sound ones of every kind, and every mistake with its place and hint.

use super::*;
use crate::{Account, SecretWrite};

fn check(text: &str) -> Checked {
    let documents = read(Some("f.yaml"), text, Format::Yaml).unwrap();
    assert_eq!(documents.len(), 1, "{text}");
    documents[0].check(Rules::default())
}

fn server(spec: &str) -> String {
    let spec = spec.replace('\n', "\n  ");
    format!("apiVersion: agentic.stigmer.ai/v1\nkind: McpServer\nmetadata:\n  name: x\nspec:\n  {spec}\n")
}

fn of_kind(kind: &str, spec: &str) -> String {
    server(spec).replace("McpServer", kind)
}

/// All problems, one per line, as a person sees them.
fn report(text: &str) -> String {
    let problems = check(text).problems;
    let silent = problems.iter().find(|problem| problem.hint.as_ref().is_none_or(String::is_empty));
    assert_eq!(silent, None, "every problem says what to do");
    problems.iter().fold(String::new(), |all, problem| all + &problem.to_string() + "\n")
}

#[test]
fn every_template_is_sound_as_it_is() {
    let templates = [Template::Stdio, Template::Http, Template::Docker];
    for wanted in templates.into_iter().chain(Kind::ALL.map(Template::Other)) {
        for name in [None, Some("github".parse().unwrap())] {
            let text = template(wanted, name.as_ref());
            assert_eq!(report(&text), "", "{text}");
        }
    }
}

#[test]
fn a_misspelt_field_names_the_nearest_known_one() {
    insta::assert_snapshot!(report(&server("stdio:\n  comand: npx\n  arg: [1]")), @r"
    f.yaml:7:5: spec.stdio.comand: is not a known field
      hint: did you mean `command`?
    f.yaml:8:5: spec.stdio.arg: is not a known field
      hint: did you mean `args`?
    f.yaml:6:3: spec.stdio.command: is required
      hint: add `command: …`
    ");
}

#[test]
fn all_problems_come_at_once_with_their_places() {
    let text = server(
        "http:\n  url: example.com\n  timeout_seconds: 301\n  headers:\n    \"A B\": x\n    Y: \"a\\r\\nb\"\ntags: [a, a]\nicon_url: 7\nmode: sharde",
    );
    insta::assert_snapshot!(report(&text), @r#"
    f.yaml:7:5: spec.http.url: is not a valid URL: missing scheme
      hint: for example `https://example.com/mcp`
    f.yaml:8:5: spec.http.timeout_seconds: 301 is out of range; it must be 0 to 300
      hint: write a number within these bounds
    f.yaml:10:7: spec.http.headers["A B"]: key is not a header name
      hint: for example `Authorization`
    f.yaml:11:7: spec.http.headers.Y: must not hold line breaks or control characters
      hint: write it on one line
    f.yaml:12:13: spec.tags[1]: is listed twice
      hint: keep one of them
    f.yaml:13:3: spec.icon_url: must be text, not a number
      hint: put it in quotes
    f.yaml:14:3: spec.mode: `sharde` is not known; use one of auto, shared, per_session
      hint: did you mean `shared`?
    "#);
}

#[test]
fn a_flood_of_problems_is_bounded_in_number_and_time() {
    let unknown =
        (0..100_000).fold(String::from("stdio: {command: a}"), |text, n| text + &format!("\nx{n}: 1"));
    let begun = std::time::Instant::now();
    assert_eq!(check(&server(&unknown)).problems.len(), crate::problem::MAX_PROBLEMS);
    let many = server(&format!("stdio: {{command: a}}\ntags: [{}]", "a, ".repeat(100_000)));
    assert_eq!(check(&many).problems.len(), 1);
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}

#[test]
fn a_server_has_exactly_one_transport() {
    insta::assert_snapshot!(report(&server("description: x")), @r"
    f.yaml:5:1: spec: server_type is required: must specify stdio, http, or docker
      hint: add `stdio:` with `command`, `http:` with `url`, or `docker:` with `image`
    ");
    insta::assert_snapshot!(
        report(&server("stdio: {command: a}\nhttp: {url: \"http://x\"}")),
        @r"
    f.yaml:5:1: spec: stdio and http exclude each other; keep exactly one
      hint: remove all but one of stdio, http
    "
    );
    assert!(report(&server("stdio:\ndocker: {image: a}")).is_empty(), "an empty field counts as absent");
}

#[test]
fn bounds_hold_at_their_edges() {
    let port = |port: &str| {
        server(&format!("docker:\n  image: a\n  ports: [{{host_port: {port}, container_port: 1}}]"))
    };
    let timeout = |n: &str| server(&format!("http: {{url: \"http://x\", timeout_seconds: {n}}}"));
    let volume = |path: &str| {
        server(&format!("docker: {{image: a, volumes: [{{host_path: data, container_path: {path}}}]}}"))
    };
    let name = |name: &str| server("stdio: {command: a}").replace("name: x", &format!("name: {name}"));
    for good in [port("1"), port("65535"), timeout("0"), timeout("300"), volume("/data"), name("a-1")] {
        assert_eq!(report(&good), "", "{good}");
    }
    let long = "a".repeat(10_000);
    for bad in [
        port("0"),
        port("65536"),
        port("-1"),
        port("1.5"),
        timeout("-1"),
        timeout("301"),
        volume("data"),
        volume("/a:b"),
        name("../etc"),
        name("\"a\\0\""),
        name(&long),
        name("GitHub"),
        name("1a"),
        name("\"\""),
    ] {
        assert_ne!(report(&bad), "", "{bad}");
    }
}

#[test]
fn shared_stdio_is_refused_in_the_contracts_words_unless_the_proxy_is_on() {
    let text = server("stdio: {command: a}\nmode: shared");
    assert!(report(&text).contains(
        "mcp server \"x\": shared mode requires HTTP/SSE/streamable HTTP transport (stdio is per-session only)"
    ));
    let documents = read(None, &text, Format::Yaml).unwrap();
    assert!(documents[0].check(Rules { stdio_proxy: true }).problems.is_empty());
}

#[test]
fn scope_and_organization_go_together() {
    let with = |metadata: &str| server("stdio: {command: a}").replace("name: x", metadata);
    assert!(report(&with("name: x\n  scope: organization")).contains("scope `organization` needs `org`"));
    assert!(
        report(&with("name: x\n  org: acme")).contains("`org` does not go with scope `identity_account`")
    );
    assert!(report(&with("name: x\n  scope: platfrom")).contains("did you mean `platform`?"));
    let environment = of_kind("Environment", "data: {}").replace("name: x", "name: x\n  scope: platform");
    assert!(report(&environment).contains("Environment cannot live in scope `platform`"));
}

#[test]
fn a_document_must_say_what_it_is() {
    for (text, expected) in [
        ("[1]", "a document must be a map, not a number"),
        ("kind: McpServer", "apiVersion: is required"),
        ("apiVersion: v1\nkind: McpServer", "`v1` is not known"),
        ("apiVersion: agentic.stigmer.ai/v1", "kind: is required"),
        ("apiVersion: agentic.stigmer.ai/v1\nkind: McpSever", "did you mean `McpServer`?"),
        ("apiVersion: agentic.stigmer.ai/v1\nkind: McpServer", "metadata: is required"),
    ] {
        assert!(report(text).contains(expected), "{text}: {}", report(text));
    }
}

#[test]
fn both_spellings_of_inline_servers_become_one_form() {
    let list = "mcp_servers:\n- name: gh\n  stdio: {command: npx, env_placeholders: {T: \"${T}\"}}\n- name: web\n  http: {url: \"https://x\", transport: sse}";
    let map =
        "mcp_servers:\n  gh: {command: npx, env: {T: \"${T}\"}}\n  web: {type: sse, url: \"https://x\"}";
    let read = |text| check(&of_kind("Agent", text)).resource.expect(text).spec.to_json();
    assert_eq!(read(list), read(map));
    assert_eq!(read(list)["mcp_servers"][0]["env"]["T"], "${T}");
}

#[test]
fn a_flat_definition_that_means_no_server_is_named_where_it_was_written() {
    let text = of_kind(
        "Agent",
        "mcp_servers:\n  ok: {command: a}\n  bad: {type: stdio, url: \"https://x\"}\n  none: {args: [a]}\n  late:\n    url: \"https://x\"\n    headers: {A: \"${B\"}",
    );
    insta::assert_snapshot!(report(&text), @r"
    f.yaml:8:5: spec.mcp_servers.bad: `url` does not go with type stdio
      hint: a program has `command` and `args`, a service `url` and `headers`, a container `image`
    f.yaml:9:5: spec.mcp_servers.none: needs `command`, `url` or `type`
      hint: a program has `command` and `args`, a service `url` and `headers`, a container `image`
    f.yaml:12:17: spec.mcp_servers.late.headers.A: `${` is not closed
      hint: write `${NAME}`, or `$${` for the characters themselves
    ");
}

#[test]
fn an_agents_servers_have_distinct_names_and_sub_agents_a_subset_of_them() {
    let text = of_kind(
        "Agent",
        "mcp_server_usages:\n- mcp_server_ref: github\n- mcp_server_ref: platform/github\n- mcp_server_ref: slack\n  alias: Chat\nsub_agents:\n- name: a\n  instructions: do it well please\n  mcp_servers: [githb]\nexecutor_overrides:\n  pc: {servers: {nope: {disabled: true}}}",
    );
    let schema = report(&text);
    assert!(schema.contains("spec.mcp_server_usages[2].alias: may hold only lower case"), "{schema}");
    let semantic = report(&text.replace("Chat", "chat"));
    assert!(
        semantic.contains("f.yaml:8:5: spec.mcp_server_usages[1].mcp_server_ref: `github` names another"),
        "{semantic}"
    );
    assert!(semantic.contains("hint: did you mean `github`?"), "{semantic}");
    assert!(semantic.contains("`nope` is not a server of this agent"), "{semantic}");
}

#[test]
fn a_reference_never_points_to_a_narrower_scope_or_another_kind() {
    let agent = |reference: &str| {
        of_kind("Agent", &format!("mcp_server_usages:\n- mcp_server_ref: {reference}")).replacen(
            "name: x",
            "name: x\n  scope: platform",
            1,
        )
    };
    assert!(
        report(&agent("organization/acme/x")).contains("may not refer to the narrower scope `organization`")
    );
    assert!(report(&agent("{kind: Agent, name: x}")).contains("must refer to a McpServer"));
    assert_eq!(report(&agent("{kind: mcp_server, slug: x}")), "");
}

#[test]
fn a_policy_is_checked_as_a_map_and_as_a_json_string() {
    let executor = |policy: &str| {
        of_kind("Executor", &format!("type: k8s\nconfig:\n  image: x\n  mcp_policy: {policy}"))
    };
    for (policy, expected) in [
        ("{allow_stdio: 1}", "must be true or false, not a number"),
        ("'{\"allow_stdoi\": true}'", "did you mean `allow_stdio`?"),
        ("'{'", "not valid JSON"),
        ("{allowlist_servers: [a], denylist_servers: [b]}", "exclude each other"),
        ("{url_rewrite: {localhost: \"http://x\"}}", "write `http://localhost`"),
    ] {
        assert!(report(&executor(policy)).contains(expected), "{policy}: {}", report(&executor(policy)));
    }
    let spec =
        check(&executor("'{\"http_url_rewrite\": {\"http://a\": \"http://b\"}}'")).resource.unwrap().spec;
    assert_eq!(spec.to_json()["config"]["mcp_policy"]["url_rewrite"]["http://a"], "http://b");
    assert_eq!(spec.to_json()["config"]["image"], "x");
}

#[test]
fn a_secret_in_the_clear_is_pointed_out_and_a_placeholder_is_not() {
    let clear = [
        server("stdio: {command: a}\nenv: {GITHUB_TOKEN: ghp_x}"),
        server("http: {url: \"https://x\", headers: {Authorization: Bearer x}}"),
        of_kind("Environment", "data: {DB_PASSWORD: {value: x}}"),
    ];
    for text in clear {
        assert!(report(&text).contains("in the clear"), "{text}");
        assert!(check(&text).resource.is_some(), "a warning stops nothing");
    }
    let fine = "stdio: {command: a}\nenv: {GITHUB_TOKEN: \"${T}\"}\nenv_spec: {data: {T: {is_secret: true}}}";
    assert_eq!(report(&server(fine)), "");
}

#[test]
fn secrets_are_taken_out_of_what_is_stored() {
    let text = of_kind(
        "Environment",
        "data:\n  A: {is_secret: true, value: canary}\n  B: {is_secret: true}\n  C: {is_secret: true, value: \"\"}\n  D: {value: plain}",
    );
    let mut spec = check(&text).resource.unwrap().spec;
    let writes = spec.take_secrets();
    assert!(
        matches!(&writes[0], (slot, SecretWrite::Set(text)) if slot == "spec.data.A" && text.expose() == "canary")
    );
    assert_eq!(writes[1], ("spec.data.B".into(), SecretWrite::Keep));
    assert_eq!(writes[2], ("spec.data.C".into(), SecretWrite::Clear));
    assert!(!spec.to_json().to_string().contains("canary"));
    assert!(!format!("{writes:?}").contains("canary"));
}

#[test]
fn a_resource_lives_where_its_document_says() {
    let caller: Account = "alice".parse().unwrap();
    let key = |metadata: &str| {
        let text = server("stdio: {command: a}").replace("name: x", metadata);
        check(&text).resource.unwrap().metadata.key(Kind::McpServer, &caller).scope.to_string()
    };
    assert_eq!(key("name: x"), "identity_account");
    assert_eq!(key("name: x\n  scope: platform"), "platform");
    assert_eq!(key("name: x\n  scope: organization\n  org: acme"), "organization/acme");
}

#[test]
fn a_list_and_a_resources_map_stand_for_their_items() {
    let one =
        r#"{"apiVersion":"agentic.stigmer.ai/v1","kind":"Environment","metadata":{"name":"a"},"spec":{}}"#;
    for text in [format!("[{one},{one}]"), format!("{{\"resources\":[{one},{one}]}}")] {
        assert_eq!(read(None, &text, Format::Json).unwrap().len(), 2);
    }
    assert_eq!(read(None, "---\n---\na: 1\n---\n", Format::Yaml).unwrap().len(), 1);
}
