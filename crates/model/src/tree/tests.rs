//! Reading, bounds, positions, and the law that what is emitted reads back the same.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;

fn yaml(text: &str) -> Json {
    parse(text, Format::Yaml).unwrap()[0].to_json()
}

fn problem(text: &str, format: Format) -> String {
    parse(text, format).unwrap_err()[0].to_string()
}

#[test]
fn plain_scalars_follow_the_core_schema() {
    for (text, expected) in [
        ("1", json!(1)),
        ("-7", json!(-7)),
        ("+7", json!(7)),
        ("0x1F", json!(31)),
        ("0o17", json!(15)),
        ("1.5", json!(1.5)),
        ("1e3", json!(1000.0)),
        ("true", json!(true)),
        ("~", Json::Null),
        ("yes", json!("yes")),
        ("1.2.3", json!("1.2.3")),
        ("'1'", json!("1")),
        ("\"a\\u00e9\"", json!("aé")),
        ("18446744073709551615", json!(u64::MAX)),
        ("!!str 12", json!("12")),
    ] {
        assert_eq!(yaml(text), expected, "{text}");
    }
}

#[test]
fn several_documents_and_aliases_are_read() {
    let documents = parse("a: &x [1, 2]\nb: *x\n---\nc: 1\n", Format::Yaml).unwrap();
    assert_eq!(documents.len(), 2);
    assert_eq!(documents[0].to_json(), json!({"a": [1, 2], "b": [1, 2]}));
}

#[test]
fn every_duplicate_key_is_reported_with_both_lines() {
    let problems = parse("a: 1\nb: 2\na: 3\nb: 4\n", Format::Yaml).unwrap_err();
    assert_eq!(problems.len(), 2);
    assert_eq!(
        problems[0].to_string(),
        "line 3:1: `a` is written twice, first on line 1\n  hint: keep one of them"
    );
    assert!(problem("{\"a\": 1,\n \"\\u0061\": 2}", Format::Json).contains("written twice"));
}

#[test]
fn a_tab_in_the_indentation_is_named() {
    assert!(problem("a:\n\tb: 1\n", Format::Yaml).contains("indented with a tab"));
}

#[test]
fn an_alias_bomb_stops_at_its_bound() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        let _ = writeln!(text, "a{level}: &a{level} [{aliases}]");
    }
    assert!(problem(&text, Format::Yaml).contains("aliases expand to more than 100000 values"));
}

#[test]
fn nesting_and_size_are_bounded() {
    let fits = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    assert!(parse(&fits, Format::Yaml).is_ok());
    assert!(parse(&fits, Format::Json).is_ok());
    for format in [Format::Yaml, Format::Json] {
        assert!(problem(&"[".repeat(MAX_DEPTH + 2), format).contains("nested"), "{format:?}");
        assert!(parse(&"[".repeat(200_000), format).is_err());
    }
    let long = " ".repeat(MAX_BYTES + 1);
    assert!(problem(&long, Format::Yaml).contains("more than the limit"));
}

#[test]
fn a_map_of_many_keys_is_read_in_time_that_grows_with_it() {
    let text = (0..200_000).fold(String::new(), |mut text, n| {
        let _ = writeln!(text, "k{n}: 1");
        text
    });
    let begun = std::time::Instant::now();
    assert!(parse(&text, Format::Yaml).is_ok());
    assert_eq!(parse(&text.repeat(2), Format::Yaml).unwrap_err().len(), crate::problem::MAX_PROBLEMS);
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}

#[test]
fn a_path_is_found_where_it_was_written() {
    let text = "spec:\n  http:\n    headers:\n      X.Y: 1\n  list:\n    - a: 1\n    - b: 2\n";
    let tree = parse(text, Format::Yaml).unwrap().remove(0);
    for (path, line) in [
        ("spec.http", 2),
        ("spec.http.headers[\"X.Y\"]", 4),
        ("spec.list[1].b", 7),
        ("spec.http.url", 2),
        ("nothing.at.all", 1),
        ("", 1),
    ] {
        assert_eq!(tree.locate(path).line, line, "{path}");
    }
}

#[test]
fn a_brace_is_read_as_json_first_and_as_yaml_otherwise() {
    assert_eq!(parse("{\"a\": \"\\ud83d\\ude00\"}", Format::Guess).unwrap()[0].to_json(), json!({"a": "😀"}));
    assert_eq!(parse("{a: 1}", Format::Guess).unwrap()[0].to_json(), json!({"a": 1}));
}

#[test]
fn emitted_yaml_is_made_for_people() {
    let value = json!({
        "name": "github",
        "args": ["-y", "@scope/pkg"],
        "empty": [],
        "text": "one\ntwo\n",
        "number-like": "123",
        "nested": [{"a": 1, "b": {"c": true}}, ["x"]],
    });
    insta::assert_snapshot!(to_yaml(&value), @r#"
    name: github
    args:
      - "-y"
      - "@scope/pkg"
    empty: []
    text: |
      one
      two
    number-like: "123"
    nested:
      - a: 1
        b:
          c: true
      -
        - x
    "#);
}

fn any_json() -> impl Strategy<Value = Json> {
    let text = prop_oneof![any::<String>(), "[ -~\n\t]{0,24}", Just("~".to_owned()), Just("0x10".to_owned())];
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        text.prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_emitted_reads_back_the_same(value in any_json()) {
        let text = to_yaml(&value);
        let read = parse(&text, Format::Yaml);
        prop_assert!(read.is_ok(), "{text:?}: {read:?}");
        prop_assert_eq!(read.unwrap()[0].to_json(), value, "{}", text);
    }

    #[test]
    fn json_is_read_as_serde_json_reads_it(value in any_json()) {
        let text = serde_json::to_string_pretty(&value).unwrap();
        prop_assert_eq!(parse(&text, Format::Json).unwrap()[0].to_json(), value);
    }

    #[test]
    fn no_text_panics_and_what_serde_json_rejects_is_rejected(text in "[\\[\\]{}:,\"\\\\ntrue0-9a-f .\\-\n]{0,64}") {
        let ours = parse(&text, Format::Json);
        if serde_json::from_str::<Json>(&text).is_err() {
            prop_assert!(ours.is_err(), "{text:?}");
        }
        let _ = parse(&text, Format::Yaml);
        let _ = parse(&text, Format::Guess);
    }
}
