//! Store files as values: what they load, what they ask, and what they refuse.

use serde_json::{Value, json};

use super::{Reader, Report, StoreError, StoreFile};

const MODEL: &str = "model
  schema 1.1
type user
type document
  relations
    define editor: [user]
    define viewer: [user, user:*] or editor
";

/// Loads and runs a file beside which these other files lie.
fn run(file: &Value, beside: &[(&str, &str)]) -> Result<Report, StoreError> {
    let mut text = |name: &str| {
        let found = beside.iter().find(|(known, _)| *known == name);
        found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| "it is not there".to_owned())
    };
    let parse = |text: &str| serde_json::from_str(text).map_err(|error| error.to_string());
    let mut reader = Reader { text: &mut text, parse: &parse };
    Ok(StoreFile::from_value(file.clone())?.load(&mut reader)?.run())
}

fn tuple(user: &str, relation: &str, object: &str) -> Value {
    json!({"user": user, "relation": relation, "object": object})
}

fn refusal(file: &Value, beside: &[(&str, &str)]) -> String {
    run(file, beside).unwrap_err().to_string()
}

#[test]
fn every_kind_of_question_is_counted_and_compared() {
    let report = run(
        &json!({
            "name": "docs", "model": MODEL,
            "tuples": [tuple("user:anne", "editor", "document:1"), tuple("user:*", "viewer", "document:2")],
            "tests": [{
                "name": "all", "description": "each surface",
                "check": [{"users": ["user:anne", "user:bob"], "object": "document:2", "assertions": {"viewer": true, "editor": false}}],
                "list_objects": [{"user": "user:anne", "type": "document", "assertions": {"viewer": ["document:2", "document:1"]}}],
                "list_users": [{"object": "document:1", "user_filter": [{"type": "user"}], "assertions": {"viewer": {"users": ["user:anne"]}}}],
            }],
        }),
        &[],
    )
    .unwrap();
    assert!(report.passed(), "{report:?}");
    let test = &report.tests[0];
    assert_eq!(
        (test.name.as_str(), test.checks.total, test.list_objects.total, test.list_users.total),
        ("all", 4, 1, 1)
    );
    assert_eq!(report.count().passed, 6);
}

#[test]
fn a_wrong_answer_shows_question_expectation_and_answer() {
    let report = run(
        &json!({
            "model": MODEL,
            "tests": [{
                "tuples": [tuple("user:anne", "viewer", "document:1")],
                "check": [{"user": "user:anne", "object": "document:1", "context": {"x": 1}, "assertions": {"viewer": false, "owner": true}}],
                "list_objects": [{"user": "user:anne", "type": "document", "assertions": {"viewer": ["document:2"]}}],
                "list_users": [{"object": "document:1", "user_filter": [{"type": "user"}], "assertions": {"viewer": {"users": []}}}],
            }],
        }),
        &[],
    )
    .unwrap();
    let test = &report.tests[0];
    assert_eq!((test.name.as_str(), test.count().passed, test.count().failed()), ("test 1", 0, 4));
    let shown: Vec<[&str; 3]> =
        test.failures.iter().map(|failure| [&*failure.question, &*failure.expected, &*failure.got]).collect();
    assert_eq!(
        shown,
        [
            [
                "check user:anne owner document:1 with {\"x\":1}",
                "true",
                "error: `owner` is not a relation of type `document`"
            ],
            ["check user:anne viewer document:1 with {\"x\":1}", "false", "true"],
            ["list_objects user:anne viewer document", "[document:2]", "[document:1]"],
            ["list_users document:1 viewer user", "[]", "[user:anne]"],
        ]
    );
}

#[test]
fn a_tests_tuples_are_its_own() {
    let ask = |expected: bool| json!([{"user": "user:anne", "object": "document:1", "assertions": {"viewer": expected}}]);
    let report = run(
        &json!({
            "model": MODEL,
            "tests": [
                {"tuples": [tuple("user:anne", "viewer", "document:1")], "check": ask(true)},
                {"check": ask(false)},
                {"check": [{
                    "user": "user:anne", "object": "document:1", "assertions": {"viewer": true},
                    "contextual_tuples": [tuple("user:anne", "editor", "document:1")],
                }]},
            ],
        }),
        &[],
    )
    .unwrap();
    assert!(report.passed(), "{report:?}");
}

#[test]
fn models_and_tuples_come_from_other_files_too() {
    let json_model = crate::schema::Schema::parse(MODEL).unwrap().to_json().to_string();
    let one = json!([tuple("user:anne", "viewer", "document:1")]).to_string();
    let two = json!([tuple("user:anne", "viewer", "document:2")]).to_string();
    let three = json!([tuple("user:anne", "editor", "document:3")]).to_string();
    let beside =
        [("m.fga", MODEL), ("m.json", &json_model), ("1.json", &one), ("2.yaml", &two), ("3.yaml", &three)];
    for model in ["m.fga", "m.json"] {
        let file = json!({
            "model_file": model, "tuple_file": "1.json", "tuple_files": ["2.yaml"],
            "tests": [{
                "tuple_file": "3.yaml",
                "list_objects": [{"user": "user:anne", "type": "document", "assertions": {"viewer": ["document:1", "document:2", "document:3"]}}],
            }],
        });
        let report = run(&file, &beside).unwrap();
        assert!(report.passed() && report.count().total == 1, "{model}: {report:?}");
    }
    let inline = json!({"model": json_model, "tests": []});
    assert_eq!(run(&inline, &[]).unwrap(), Report::default());
}

#[test]
fn what_is_not_understood_is_an_error_that_names_its_place() {
    let with = |field: &str, value: Value| {
        let mut file = json!({"model": MODEL});
        file[field] = value;
        file
    };
    let wrong = tuple("group:a", "viewer", "document:1");
    let bad_file = json!([wrong]).to_string();
    let beside = [("bad.json", bad_file.as_str()), ("torn.json", "{"), ("bad.fga", "model\n  schema 1.0\n")];
    for (file, expected) in [
        (json!({}), "there is no model"),
        (with("model_file", json!("m.fga")), "two models"),
        (with("tupels", json!([])), "unknown field `tupels`"),
        (with("tests", json!([{"name": "a", "chek": []}])), "test `a`: unknown field `chek`"),
        (
            with("tests", json!([{}, {"check": [{"assertions": {"viewer": "yes"}}]}])),
            "test number 2: invalid type: string \"yes\", expected a boolean",
        ),
        (with("tests", json!(3)), "`tests`: invalid type"),
        (with("tuple_file", json!("a.csv")), "`a.csv`: .csv files are not supported"),
        (json!({"model_file": "fga.mod"}), "`fga.mod`: .mod files are not supported"),
        (with("tuple_file", json!("absent.json")), "`absent.json`: it is not there"),
        (with("tuple_files", json!(["torn.json"])), "`torn.json`: EOF"),
        (
            with("tuple_file", json!("bad.json")),
            "`bad.json`: the tuple document:1#viewer@group:a does not fit the model: `group` is not a type",
        ),
        (
            with("tuples", json!([tuple("anne", "viewer", "document:1")])),
            "`tuples`: the tuple document:1#viewer@anne: ",
        ),
        (
            with("tuples", json!([tuple("user:*", "editor", "document:1")])),
            "`editor` of type `document` does not take",
        ),
        (json!({"model": "nonsense"}), "`model`: line 1, column 1"),
        (json!({"model": "{}"}), "`model`: "),
        (json!({"model_file": "bad.fga"}), "`bad.fga`: line 2, column 10"),
    ] {
        let refused = refusal(&file, &beside);
        assert!(refused.contains(expected), "{file}: {refused}");
    }
}

#[test]
fn a_question_that_asks_nothing_fails() {
    for (surface, question) in [
        ("check", json!({"object": "document:1", "assertions": {"viewer": true}})),
        (
            "check",
            json!({"user": "user:a", "users": ["user:b"], "object": "document:1", "assertions": {"viewer": false}}),
        ),
        ("check", json!({"user": "user:a", "assertions": {"viewer": false}})),
        ("check", json!({"user": "user:a", "object": "document:1", "assertions": {}})),
        ("check", json!({"user": "a", "object": "document:1", "assertions": {"viewer": false}})),
        ("list_objects", json!({"user": "user:a", "type": "document", "assertions": {}})),
        (
            "list_users",
            json!({"object": "document:1", "user_filter": [], "assertions": {"viewer": {"users": []}}}),
        ),
    ] {
        let report = run(&json!({"model": MODEL, "tests": [{surface: [question]}]}), &[]).unwrap();
        assert_eq!((report.count().passed, report.count().failed()), (0, 1), "{question}");
        assert!(report.tests[0].failures[0].got.starts_with("error: "), "{question}");
    }
}

#[test]
fn several_filters_list_users_of_each() {
    let model = "model\n  schema 1.1\ntype user\ntype bot\ntype document\n  relations\n    define viewer: [user, bot]\n";
    let report = run(
        &json!({
            "model": model,
            "tuples": [tuple("user:a", "viewer", "document:1"), tuple("bot:b", "viewer", "document:1")],
            "tests": [{"list_users": [
                {"object": "document:1", "user_filter": [{"type": "bot"}, {"type": "user"}], "assertions": {"viewer": {"users": ["user:a", "bot:b"]}}},
                {"object": "document:1", "user_filter": [{"type": "document", "relation": "viewer"}], "assertions": {"viewer": {"users": ["document:1#viewer"]}}},
            ]}],
        }),
        &[],
    )
    .unwrap();
    assert!(report.passed(), "{report:?}");
}
