//! Organizations, accounts, tokens and rights, against a scripted daemon.

use cli::exit;

use super::{daemon, home_with, typed};

#[test]
fn an_organization_is_made_with_what_to_do_next() {
    let home = home_with(&[]);
    let asked = daemon(home.path(), &[(201, r#"{"name":"acme"}"#), (200, r#"{"name":"acme"}"#)]);
    let done = typed(home.path(), &["org", "create", "acme"]);
    assert_eq!((done.code, done.err.as_str()), (exit::DONE, ""));
    insta::assert_snapshot!(done.out, @r"
    ✓ Organization `acme` created; you are its admin

    Next steps:
      - Add people: outfitter org add-member acme USER
      - Give it a server: outfitter mcpserver apply -f FILE --scope organization --org acme
    ");
    typed(home.path(), &["org", "add-member", "acme", "ana@x.test", "--role", "admin"]);
    let asked = asked.lock().unwrap();
    assert!(asked[0].starts_with("POST /api/v1/organizations ") && asked[0].ends_with(r#"{"name":"acme"}"#));
    assert!(asked[1].starts_with("PUT /api/v1/organizations/acme/members/ana@x.test "), "{}", asked[1]);
    assert!(asked[1].ends_with(r#"{"role":"admin"}"#), "{}", asked[1]);
}

#[test]
fn a_new_token_is_alone_on_standard_output() {
    let home = home_with(&[]);
    let made = r#"{"token":"oft_canary","id":"tok_1","account":"ana","label":"ci","read_only":true,"org":"acme","expires_at":"2030-01-01T00:00:00Z","created_at":"","created_by":""}"#;
    let asked = daemon(home.path(), &[(201, made), (201, r#"{"id":"tok_1"}"#)]);
    let words = ["token", "create", "--for", "ana", "--label", "ci", "--read-only", "--org", "acme"];
    let done = typed(home.path(), &[&words[..], &["--expires", "30d"]].concat());
    assert_eq!((done.code, done.out.as_str()), (exit::DONE, "oft_canary\n"));
    insta::assert_snapshot!(done.err, @r"
    ✓ Token created for `ana`; it is not shown again

      ID:       tok_1
      Label:    ci
      Good for: reading in organization acme
      Expires:  2030-01-01T00:00:00Z

    Next steps:
      - Use it: set OUTFITTER_TOKEN to it, and name the daemon with --server URL
      - End it: outfitter token revoke tok_1
    ");
    let request = asked.lock().unwrap()[0].clone();
    let body: serde_json::Value = serde_json::from_str(request.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!((&body["expires_in"], &body["account"]), (&2_592_000.into(), &"ana".into()), "{request}");
    let none = typed(home.path(), &["token", "create"]);
    assert_eq!((none.code, none.out.as_str()), (exit::UNREACHABLE, ""), "no token is no success");
}

#[test]
fn what_is_no_tokens_id_never_leaves_and_is_not_repeated() {
    let home = home_with(&[]);
    for text in ["oft_canary", "tok_canary/../../users", "tok_canary?x=1", "canary"] {
        let done = typed(home.path(), &["token", "revoke", text]);
        assert_eq!(done.code, exit::USAGE, "{text}");
        assert!(!done.err.contains("canary") && done.err.contains("token list"), "{}", done.err);
    }
}

#[test]
fn can_i_reads_yes_or_no_first_and_its_code_one_means_no() {
    let home = home_with(&[]);
    let yes = r#"{"allowed":true,"account":"ana","relation":"can_edit","target":"mcp_server:organization/acme/github","path":[{"object":"mcp_server:organization/acme/github","relation":"can_edit","because":"includes owner"},{"object":"organization:acme\u001b[2J","relation":"admin","because":"holds\nana"}]}"#;
    let no = r#"{"allowed":false,"account":"bob","relation":"can_edit","target":"mcp_server:platform/github","reason":"only operators may","path":[]}"#;
    let answers = [(200, yes), (200, no), (200, no), (400, r#"{"error":"bad"}"#), (200, "{}")];
    let asked = daemon(home.path(), &answers);
    let ask =
        |extra: &[&str]| typed(home.path(), &[&["can-i", "edit", "McpServer", "github"], extra].concat());
    let done = ask(&["--org", "acme", "--as", "ana"]);
    assert_eq!(done.code, exit::DONE);
    insta::assert_snapshot!(done.out, @r"
    yes
      mcp_server:organization/acme/github can_edit: includes owner
      organization:acme\u{1b}[2J admin: holds\nana
    ");
    let done = ask(&[]);
    assert_eq!(done.code, 1);
    insta::assert_snapshot!(done.out, @r"
    no
      mcp_server:platform/github can_edit: not bob
      only operators may
    ");
    let done = ask(&["-o", "json"]);
    assert!(done.code == 1 && done.out.contains("\"allowed\": false"), "{done:?}");
    assert_eq!(ask(&[]).code, exit::USAGE, "a problem in the question is not a no");
    assert_eq!(ask(&[]).code, exit::UNREACHABLE, "neither is an answer that says nothing");
    let expected =
        "GET /api/v1/can-i?verb=edit&kind=mcpserver&name=github&scope=organization&org=acme&as=ana ";
    assert!(asked.lock().unwrap()[0].starts_with(expected), "{}", asked.lock().unwrap()[0]);
}

#[test]
fn grants_read_as_they_are_typed_and_the_context_says_where() {
    let home = home_with(&[]);
    let grant = r#"{"object":"mcp_server:organization/acme/github","relation":"editor","subject":"organization:tools#member"}"#;
    let listed = format!(r#"{{"items":[{grant}]}}"#);
    let asked = daemon(
        home.path(),
        &[(201, grant), (200, r#"{"done":true}"#), (200, &listed), (200, r#"{"items":[]}"#)],
    );
    assert_eq!(typed(home.path(), &["context", "set", "--org", "acme"]).code, exit::DONE);
    let done = typed(home.path(), &["grant", "edit", "mcpserver", "github", "--to", "org:tools"]);
    insta::assert_snapshot!(done.out, @r"
    ✓ org:tools may edit mcp_server:organization/acme/github

    Next steps:
      - See all grants on it: outfitter grants mcpserver github --org acme
    ");
    let done = typed(home.path(), &["revoke", "edit", "mcpserver", "github", "--from", "ana"]);
    insta::assert_snapshot!(done.out, @r"
    ✓ Revoked from ana: edit on mcpserver github --org acme

    Next steps:
      - See whether something else still allows it: outfitter can-i edit mcpserver github --org acme --as ana
    ");
    insta::assert_snapshot!(typed(home.path(), &["grants", "mcpserver", "github"]).out, @r"
    SUBJECT    MAY   ON
    org:tools  edit  mcp_server:organization/acme/github
    ");
    let none = typed(home.path(), &["grants", "platform"]);
    assert!(none.out.is_empty() && none.err.contains("Nothing was granted"), "{none:?}");
    let asked = asked.lock().unwrap();
    assert!(asked[0].contains(r#""org":"acme""#) && asked[0].contains(r#""scope":"organization""#));
    let expected =
        "DELETE /api/v1/grants?verb=edit&kind=mcpserver&name=github&scope=organization&org=acme&from=ana ";
    assert!(asked[1].starts_with(expected), "{}", asked[1]);
    assert!(asked[3].starts_with("GET /api/v1/grants?kind=platform "), "{}", asked[3]);
}

#[test]
fn denials_are_read_to_the_end_and_the_newest_are_kept() {
    let home = home_with(&[]);
    let denial = |n: u8| {
        format!(
            r#"{{"at":"t{n}","account":"bob","via":"socket","relation":"can_use_secret","target":"platform:x","reason":"no\u001b[{n}m"}}"#
        )
    };
    let first = format!(r#"{{"items":[{},{}],"next_cursor":"2.den"}}"#, denial(1), denial(2));
    let last = format!(r#"{{"items":[{}]}}"#, denial(3));
    let asked = daemon(home.path(), &[(200, &first), (200, &last)]);
    let done = typed(home.path(), &["audit", "denials", "--limit", "2"]);
    insta::assert_snapshot!(done.out, @r"
    TIME  ACCOUNT  VIA     WANTED TO   TARGET      REASON
    t2    bob      socket  use-secret  platform:x  no\u{1b}[2m
    t3    bob      socket  use-secret  platform:x  no\u{1b}[3m
    ");
    assert!(done.err.contains("The newest 2"), "{}", done.err);
    assert!(asked.lock().unwrap()[1].starts_with("GET /api/v1/denials?limit=1000&cursor=2.den "));
}

#[test]
fn whoami_tells_what_the_token_is_good_for() {
    let home = home_with(&[]);
    let narrow = r#"{"account":"ana","operator":false,"via":"token tok_1","read_only":true,"within":"organization/acme","expires_at":"2030-01-01T00:00:00Z","version":"1"}"#;
    let whole = r#"{"account":"ana","operator":true,"via":"socket","read_only":false,"version":"1"}"#;
    daemon(home.path(), &[(200, narrow), (200, whole)]);
    let done = typed(home.path(), &["whoami"]);
    for line in [
        "Via:       token tok_1",
        "Read-only: yes",
        "Within:    organization/acme",
        "Expires:   2030-01-01T00:00:00Z",
    ] {
        assert!(done.out.contains(&format!("  {line}\n")), "{}", done.out);
    }
    let done = typed(home.path(), &["whoami"]);
    assert!(!done.out.contains("Read-only") && !done.out.contains("Within") && !done.out.contains("Expires"));
}
