//! The scanner against tables and against the reference reader.

use proptest::prelude::*;
use serde_json::value::RawValue;

use super::*;

const ROOMY: Limits = Limits { depth: 64, elements: 1_000_000 };

fn check(text: &[u8]) -> Result<u32, Fault> {
    Scanner::new().check(text, ROOMY).map_err(|error| error.fault)
}

fn serde_takes(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| serde_json::from_str::<&RawValue>(text).is_ok())
}

#[test]
fn json_is_taken_and_what_is_not_json_is_refused() {
    let good = [
        "null",
        " true ",
        "0",
        "-0",
        "1.5e+10",
        "\"\"",
        "[]",
        "{}",
        "[1,[2,{\"a\":[]}]]",
        "{\"a\":1,\"b\":{\"a\":2}}",
        "\"\\ud83d\"",
        "1e999",
        "18446744073709551615",
        "\t\r\n 1",
    ];
    for text in good {
        assert_eq!(check(text.as_bytes()), Ok(0), "{text}");
        assert!(serde_takes(text.as_bytes()), "{text}");
    }
    let bad = [
        "",
        " ",
        "nul",
        "tru e",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "+1",
        "\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\n\"",
        "[",
        "[1",
        "[1,]",
        "[1 2]",
        "{",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\" 1}",
        "1 2",
        "[]]",
        "'a'",
        "NaN",
        "\u{feff}1",
        "/**/1",
        "\"\\u12\"",
    ];
    for text in bad {
        assert!(check(text.as_bytes()).is_err(), "{text}");
        assert!(!serde_takes(text.as_bytes()), "{text}");
    }
    assert_eq!(check(b"\"\xff\""), Err(Fault::Utf8));
}

#[test]
fn depth_and_elements_are_bounded() {
    let nested = |depth: usize| [vec![b'['; depth], vec![b']'; depth]].concat();
    assert_eq!(check(&nested(64)), Ok(0));
    assert_eq!(check(&nested(65)), Err(Fault::Depth));
    assert_eq!(check(&vec![b'['; 4 << 20]), Err(Fault::Depth));
    let items = |count: usize| format!("[{}1]", "1,".repeat(count - 1)).into_bytes();
    let limits = Limits { depth: 64, elements: 100 };
    assert_eq!(Scanner::new().check(&items(99), limits), Ok(0));
    assert_eq!(Scanner::new().check(&items(100), limits).unwrap_err().fault, Fault::Elements);
}

#[test]
fn the_bounds_are_those_of_the_design() {
    assert_eq!(Limits::CLIENT, Limits { depth: 64, elements: 100_000 });
    assert_eq!(Limits::SERVER, Limits { depth: 64, elements: 2_000_000 });
}

#[test]
fn repeated_keys_are_counted_at_every_depth() {
    assert_eq!(check(br#"{"a":1,"a":2}"#), Ok(1));
    assert_eq!(check(br#"{"a":{"b":1,"b":1},"c":[{"d":1,"d":1}]}"#), Ok(2));
    assert_eq!(check(br#"{"a":{"b":1},"b":{"a":1}}"#), Ok(0));
    assert_eq!(check(br#"{"method":1,"m\u0065thod":2}"#), Ok(1));
}

#[test]
fn keys_made_to_be_compared_slowly_are_not() {
    let long = r"\u0061".repeat(10_000);
    let keys: Vec<String> = (0..60).map(|number| format!("\"{long}{number:02}{long}\":1")).collect();
    let text = format!("{{{}}}", keys.join(","));
    let began = std::time::Instant::now();
    assert_eq!(check(text.as_bytes()), Ok(0));
    assert!(began.elapsed() < std::time::Duration::from_millis(500), "{:?}", began.elapsed());
}

/// JSON and near-JSON: pieces in any order, so that most texts are broken in one place.
fn near_json() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => Just(&b"{"[..]), 4 => Just(&b"}"[..]), 3 => Just(&b"["[..]), 3 => Just(&b"]"[..]),
        4 => Just(&b","[..]), 4 => Just(&b":"[..]), 5 => Just(&b"\"k\""[..]), 2 => Just(&b"\"\\u00e9\xc3\xa9\""[..]),
        2 => Just(&b"12"[..]), 1 => Just(&b"-0.5e3"[..]), 1 => Just(&b"true"[..]), 1 => Just(&b"null"[..]),
        1 => Just(&b" \n"[..]), 1 => Just(&b"\""[..]), 1 => Just(&b"\\"[..]), 1 => Just(&b"\xff"[..]), 1 => Just(&b"0"[..]),
    ];
    proptest::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        ".{0,90}".prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Into::into),
            proptest::collection::hash_map(".{0,12}", inner, 0..8)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_the_reference_refuses_is_refused_and_nothing_else(text in near_json()) {
        prop_assert_eq!(check(&text).is_ok(), serde_takes(&text), "{}", String::from_utf8_lossy(&text));
    }

    #[test]
    fn written_json_is_taken_without_repeated_keys(value in any_json()) {
        prop_assert_eq!(check(&serde_json::to_vec(&value).unwrap()), Ok(0));
        prop_assert_eq!(check(&serde_json::to_vec_pretty(&value).unwrap()), Ok(0));
    }

    #[test]
    fn a_cut_text_is_refused(value in any_json(), cut in 1usize..40) {
        let text = serde_json::to_vec(&serde_json::json!([value])).unwrap();
        let end = text.len().saturating_sub(cut);
        prop_assert!(check(&text[..end]).is_err());
    }
}
