//! Text and JSON that nobody means well with: no answer is fine, a panic, a hang or an overflow of the stack
//! is not.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{context, define, list, map};
use crate::condition::{CompileError, Condition};
use crate::schema::ParameterType::{
    self, Any, Bool, Double, Int, IpAddress, String as Text, Timestamp, Uint,
};

fn parameters() -> Vec<(&'static str, ParameterType)> {
    vec![
        ("yes", Bool),
        ("s", Text),
        ("n", Int),
        ("u", Uint),
        ("d", Double),
        ("span", ParameterType::Duration),
        ("now", Timestamp),
        ("ip", IpAddress),
        ("ns", list(Int)),
        ("ss", list(Text)),
        ("m", map(Int)),
        ("any", Any),
    ]
}

fn compile(expression: &str) -> Result<Condition, CompileError> {
    define(&parameters(), expression)
}

fn plausible() -> Value {
    json!({
        "yes": true, "s": "a", "n": 7, "u": 8, "d": 1.5, "span": "1h", "now": "9999-12-31T23:59:59Z", "ip": "::1",
        "ns": [1, 2, 3], "ss": ["", "a"], "m": { "a": 1 }, "any": { "a": [null, 1.5, "x"] },
    })
}

#[test]
fn every_file_of_the_corpus_comes_back_at_once() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz-corpus/cel");
    let mut answered = 0;
    for file in std::fs::read_dir(corpus).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        // The stack of a worker thread, so that depth shows.
        let thread = std::thread::Builder::new().stack_size(1024 * 1024);
        let start = Instant::now();
        let replay = move || {
            compile(&text).map(|condition| condition.evaluate(&context(json!({})), &context(plausible())))
        };
        let outcome = thread.spawn(replay).unwrap().join().unwrap();
        assert!(start.elapsed() < Duration::from_secs(1), "{} took {:?}", path.display(), start.elapsed());
        answered += usize::from(matches!(outcome, Ok(Ok(_))));
    }
    assert!(answered > 0, "none of the corpus compiled");
}

fn atom() -> impl Strategy<Value = String> {
    let names = parameters().into_iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
    prop_oneof![
        4 => proptest::sample::select(names),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => any::<f64>().prop_map(|n| format!("{n:?}")),
        1 => (0..9_u64).prop_map(|n| format!("{n}u")),
        1 => "[a-z(*\\[+:/.0-9]{0,6}".prop_map(|text| format!("r'{text}'")),
        1 => proptest::sample::select(vec!["x", "true", "null", "0", "1", "-1", "''", "int", ".n", "b'a'", "'UTC'", "'-23:59'"])
            .prop_map(str::to_owned),
        1 => proptest::sample::select(vec![
            "timestamp('9999-12-31T23:59:59Z')", "timestamp('0001-01-01T00:00:00Z')", "duration('-2562047h')", "-9223372036854775808",
        ]).prop_map(str::to_owned),
    ]
}

const UNARY: [&str; 3] = ["!", "-", "--"];
const BINARY: [&str; 14] = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "in", "&&", "||"];
const METHODS: [&str; 12] = [
    "contains",
    "startsWith",
    "matches",
    "in_cidr",
    "size",
    "getHours",
    "getDayOfYear",
    "getMonth",
    "getMilliseconds",
    "getFullYear",
    "getDayOfWeek",
    "endsWith",
];
const FUNCTIONS: [&str; 12] = [
    "size",
    "int",
    "uint",
    "double",
    "string",
    "bool",
    "bytes",
    "type",
    "dyn",
    "timestamp",
    "duration",
    "ipaddress",
];
const LOOPS: [&str; 5] = ["all", "exists", "exists_one", "map", "filter"];

/// Expressions that mostly parse, and mostly make no sense.
fn expression() -> impl Strategy<Value = String> {
    atom().prop_recursive(5, 40, 3, |inner| {
        let select = proptest::sample::select;
        prop_oneof![
            4 => (inner.clone(), select(&BINARY[..]), inner.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            1 => (select(&UNARY[..]), inner.clone()).prop_map(|(op, a)| format!("{op}{a}")),
            2 => (inner.clone(), select(&METHODS[..]), inner.clone()).prop_map(|(a, f, b)| format!("{a}.{f}({b})")),
            1 => (inner.clone(), select(&METHODS[..])).prop_map(|(a, f)| format!("{a}.{f}()")),
            2 => (select(&FUNCTIONS[..]), inner.clone()).prop_map(|(f, a)| format!("{f}({a})")),
            2 => (inner.clone(), select(&LOOPS[..]), inner.clone()).prop_map(|(a, f, b)| format!("{a}.{f}(x, {b})")),
            1 => (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}, {b}]")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{{a}: {b}}}")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}[{b}]")),
            1 => inner.prop_map(|a| format!("has({a}.a)")),
        ]
    })
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        proptest::sample::select(vec![
            "1h",
            "-2562047h47m",
            "::1",
            "10.0.0.1",
            "9999-12-31T23:59:59Z",
            "1.8e309",
            "NaN",
            "(",
            "9"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            // A map's keys come in no certain order, which `map` and `filter` would show.
            proptest::collection::btree_map("[a-c]", inner, 0..2).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

/// The plausible values, some of them replaced by anything.
fn any_context() -> impl Strategy<Value = Value> {
    let count = parameters().len();
    proptest::collection::vec(proptest::option::weighted(0.2, proptest::option::of(json_value())), count)
        .prop_map(|replaced| {
            let mut values = plausible();
            for ((name, _), replacement) in parameters().iter().zip(replaced) {
                match replacement {
                    Some(Some(value)) => values[*name] = value,
                    Some(None) => drop(values.as_object_mut().and_then(|values| values.remove(*name))),
                    None => {}
                }
            }
            values
        })
}

proptest! {
    #[test]
    fn no_text_makes_compiling_panic(text in "\\PC{0,120}", letters in "[-a-c0-9 .,:?!'\"`r\\\\()\\[\\]{}+*/%<>=&|\n]{0,120}") {
        drop(compile(&text));
        drop(compile(&letters));
    }

    #[test]
    fn no_context_makes_evaluating_panic(expression in expression(), values in any_context()) {
        if let Ok(condition) = compile(&expression) {
            let (nothing, values) = (context(json!({})), context(values));
            let answer = condition.evaluate(&nothing, &values);
            prop_assert_eq!(condition.evaluate(&values, &nothing).is_ok(), answer.is_ok());
            drop(condition.accepts(&values));
        }
    }

    #[test]
    fn an_answer_does_not_change_when_a_missing_parameter_is_given(expression in expression(), values in any_context()) {
        let Ok(condition) = compile(&expression) else { return Ok(()) };
        let nothing = context(json!({}));
        let Ok(answer) = condition.evaluate(&nothing, &context(values.clone())) else { return Ok(()) };
        let mut complete = values;
        for (name, value) in context(plausible()) {
            if complete.get(&name).is_none() {
                complete[name] = value;
            }
        }
        prop_assert_eq!(condition.evaluate(&nothing, &context(complete)), Ok(answer));
    }
}
