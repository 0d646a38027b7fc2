//! `fga`, which needs no daemon.

use std::fs;

use cli::exit;

use super::{home_with, typed};

const MODEL: &str = "model
  schema 1.1

type user

type document
  relations
    define owner: [user]
    define viewer: [user, user:*] or owner
";

const STORE: &str = "name: documents
model_file: model.fga
tuple_file: tuples.yaml
tests:
  - name: owners view
    check:
      - {user: user:anne, object: document:1, assertions: {owner: true, viewer: true}}
    list_objects:
      - {user: user:anne, type: document, assertions: {viewer: [document:1]}}
  - name: others do not
    tuples: [{user: user:bob, relation: viewer, object: document:1}]
    list_users:
      - {object: document:1, user_filter: [{type: user}], assertions: {owner: {users: [user:anne]}}}
";

const TUPLES: &str = "- {user: user:anne, relation: owner, object: document:1}\n";

#[test]
fn a_store_file_is_run_with_the_files_beside_it() {
    let home = home_with(&[("d/s.fga.yaml", STORE), ("d/model.fga", MODEL), ("d/tuples.yaml", TUPLES)]);
    let done = typed(home.path(), &["fga", "test", "d/s.fga.yaml"]);
    assert_eq!((done.code, done.err.as_str()), (exit::DONE, ""));
    insta::assert_snapshot!(done.out, @r"
    # Test Summary # d/s.fga.yaml
    tests 2/2, check 2/2, list_objects 1/1, list_users 1/1
    4 passed, 0 failed
    ");
}

#[test]
fn a_wrong_answer_is_shown_with_its_question_and_fails_the_command() {
    let wrong = STORE.replace("viewer: true", "viewer: false").replace("users: [user:anne]", "users: []");
    let home = home_with(&[
        ("s.fga.yaml", &wrong),
        ("t.fga.yaml", STORE),
        ("model.fga", MODEL),
        ("tuples.yaml", TUPLES),
    ]);
    let done = typed(home.path(), &["fga", "test", "s.fga.yaml", "t.fga.yaml"]);
    assert_eq!((done.code, done.err.as_str()), (exit::INPUT, ""));
    insta::assert_snapshot!(done.out, @r"
    # Test Summary # s.fga.yaml
    ✗ owners view: 1 of 3 failed
      check user:anne viewer document:1
        expected false
        got      true
    ✗ others do not: 1 of 1 failed
      list_users document:1 owner user
        expected []
        got      [user:anne]
    tests 0/2, check 1/2, list_objects 1/1, list_users 0/1
    # Test Summary # t.fga.yaml
    tests 2/2, check 2/2, list_objects 1/1, list_users 1/1
    6 passed, 2 failed
    ");
    let by_pattern = typed(home.path(), &["fga", "test", "--tests", "?.fga.*"]);
    assert_eq!((by_pattern.code, by_pattern.out), (done.code, done.out));
}

#[test]
fn a_file_that_cannot_be_read_exits_with_two_and_stops_no_other() {
    let home = home_with(&[("s.fga.yaml", STORE), ("t.fga.yaml", STORE), ("model.fga", MODEL)]);
    let done = typed(home.path(), &["fga", "test", "absent.fga.yaml", "s.fga.yaml"]);
    assert_eq!(done.code, exit::USAGE);
    assert!(done.err.contains("absent.fga.yaml:1:1: cannot be read"), "{}", done.err);
    assert!(done.err.contains("s.fga.yaml:1:1: `tuples.yaml`: cannot be read"), "{}", done.err);
    assert_eq!(done.out, "0 passed, 0 failed, 2 files not run\n");
    fs::write(home.path().join("tuples.yaml"), TUPLES).unwrap();
    let done = typed(home.path(), &["fga", "test", "absent.fga.yaml", "s.fga.yaml"]);
    assert_eq!(done.code, exit::USAGE);
    assert!(done.out.ends_with("4 passed, 0 failed, 1 file not run\n"), "{}", done.out);
    let none = typed(home.path(), &["fga", "test", "--tests", "x/*.yaml"]);
    assert_eq!(none.code, exit::USAGE);
    assert!(none.err.contains("no file matches `x/*.yaml`"), "{}", none.err);
}

#[test]
fn a_store_file_that_is_not_valid_says_where_and_why() {
    let tuple = |text: &str| STORE.replace("[{user: user:bob, relation: viewer, object: document:1}]", text);
    let with = |from: &str, to: &str| STORE.replace(from, to);
    for (store, expected) in [
        (with("tests:", "test:"), "unknown field `test`"),
        (with("check:", "checks:"), "test `owners view`: unknown field `checks`"),
        (with("tuples.yaml", "tuples.csv"), "`tuples.csv`: .csv files are not supported"),
        (with("tuples.yaml", "torn.yaml"), "`torn.yaml`: line 1:"),
        (with("model.fga", "broken.fga"), "`broken.fga`: line 2, column 10"),
        (
            tuple("[{user: user:*, relation: owner, object: document:1}]"),
            "the tuple document:1#owner@user:* does not fit",
        ),
        (format!("{STORE}---\n{STORE}"), "holds 2 documents"),
        ("a: [".to_owned(), "s.fga.yaml:"),
    ] {
        let home = home_with(&[
            ("s.fga.yaml", &store),
            ("model.fga", MODEL),
            ("broken.fga", "model\n  schema 2.0\n"),
            ("tuples.yaml", TUPLES),
            ("torn.yaml", "[a"),
        ]);
        let done = typed(home.path(), &["fga", "test", "s.fga.yaml"]);
        assert_eq!(done.code, exit::INPUT, "{expected}: {}{}", done.out, done.err);
        assert!(done.err.contains(expected) && done.err.contains("s.fga.yaml"), "{expected}: {}", done.err);
    }
}

#[test]
fn a_model_is_converted_there_and_back() {
    let home = home_with(&[("m.fga", MODEL), ("m.txt", MODEL)]);
    let json = typed(home.path(), &["fga", "transform", "m.fga"]);
    assert_eq!((json.code, json.err.as_str()), (exit::DONE, ""));
    let value: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(value["schema_version"], "1.1");
    assert_eq!(value["type_definitions"][1]["type"], "document");
    fs::write(home.path().join("m.json"), &json.out).unwrap();
    fs::write(home.path().join("json.txt"), &json.out).unwrap();
    for words in [
        &["m.json"][..],
        &["json.txt"],
        &["json.txt", "--from", "json"],
        &["m.fga", "--to", "dsl"],
        &["m.txt", "--from", "dsl", "--to", "dsl"],
    ] {
        let dsl = typed(home.path(), &[&["fga", "transform"], words].concat());
        assert_eq!((dsl.code, dsl.out.trim_end()), (exit::DONE, MODEL.trim_end()), "{words:?}: {}", dsl.err);
    }
    assert_eq!(typed(home.path(), &["fga", "transform", "m.json", "--to", "json"]).out, json.out);
}

#[test]
fn a_model_that_is_not_valid_is_not_converted() {
    let home = home_with(&[
        ("syntax.fga", "model\n  schema 1.1\ntype user\n  relations\n    define : [user]\n"),
        ("meaning.fga", &MODEL.replace("or owner", "or boss or chief")),
        (
            "meaning.json",
            r#"{"schema_version": "1.1", "type_definitions": [{"type": "a", "relations": {"b": {"that": {}}}}]}"#,
        ),
        ("torn.json", "{\"a\": "),
        (
            "hidden.fga",
            &format!(
                "{}condition c(x: string) {{\n  x == \"\u{202e}\"\n}}\n",
                MODEL.replace("[user]", "[user with c]")
            ),
        ),
    ]);
    for (words, expected) in [
        (&["syntax.fga"][..], "syntax.fga:5:12: "),
        (&["meaning.fga"], "`boss` is not a relation"),
        (&["meaning.fga"], "`chief` is not a relation"),
        (&["meaning.json"], "meaning.json:1:1: "),
        (&["torn.json"], "torn.json:1:"),
        (&["torn.json", "--from", "dsl"], "torn.json:1:1: "),
        (&["hidden.fga", "--to", "dsl"], "cannot be shown"),
    ] {
        let done = typed(home.path(), &[&["fga", "transform"], words].concat());
        assert_eq!((done.code, done.out.as_str()), (exit::INPUT, ""), "{words:?}: {}", done.err);
        assert!(done.err.contains(expected), "{words:?}: {}", done.err);
        assert!(!done.err.contains('\u{202e}'));
    }
    let absent = typed(home.path(), &["fga", "transform", "absent.fga"]);
    assert_eq!((absent.code, absent.out.as_str()), (exit::USAGE, ""));
}
