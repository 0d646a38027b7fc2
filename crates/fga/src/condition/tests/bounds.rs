//! Each bound, held to the last one and no further, and what the worst that passes them costs.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{ask, context, define, list};
use crate::condition::{CompileError, EvaluationError, limits};
use crate::schema::ParameterType::{Any, Bool, Int, String as Text};

fn compiles(expression: &str) -> Result<(), CompileError> {
    define(&[("x", Int), ("y", Bool), ("s", Text), ("xs", list(Int)), ("any", Any)], expression).map(drop)
}

fn condition() -> String {
    "allowed".to_owned()
}

#[test]
fn the_bounds_are_these() {
    assert_eq!(limits::EXPRESSION_BYTES, 4_096);
    assert_eq!(limits::EXPRESSION_DEPTH, 32);
    assert_eq!(limits::EXPRESSION_NODES, 512);
    assert_eq!(limits::COMPREHENSION_DEPTH, 2);
    assert_eq!(limits::CONTEXT_ELEMENTS, 1_000);
    assert_eq!(limits::CONTEXT_STRING_BYTES, 16_384);
    assert_eq!(limits::CONTEXT_BYTES, 65_536);
    assert_eq!(limits::CONTEXT_DEPTH, 16);
    assert_eq!(limits::EVALUATION_STEPS, 2_000_000);
    assert_eq!(limits::PATTERN_WEIGHT, 1_000);
    assert_eq!(limits::MATCH_WORK, 4_000_000);
    assert_eq!(limits::TEXT_DEPTH, 128);
}

#[test]
fn an_expression_has_at_most_4_kib() {
    let padded = |bytes: usize| format!("y{}", " ".repeat(bytes - 1));
    assert_eq!(compiles(&padded(4_096)), Ok(()));
    assert_eq!(compiles(&padded(4_097)), Err(CompileError::TooLong { condition: condition(), bytes: 4_097 }));
}

#[test]
fn an_expression_nests_at_most_32_deep() {
    // A comparison, the additions, and the number at the end.
    let sum = |levels: usize| format!("x == {}1", "1 + (".repeat(levels - 2) + "") + &")".repeat(levels - 2);
    assert_eq!(compiles(&sum(32)), Ok(()));
    assert_eq!(compiles(&sum(33)), Err(CompileError::TooDeep { condition: condition() }));
    let chain = |links: usize| format!("any{}", ".a".repeat(links));
    assert_eq!(compiles(&chain(31)), Ok(()));
    assert_eq!(compiles(&chain(32)), Err(CompileError::TooDeep { condition: condition() }));
}

#[test]
fn an_expression_has_at_most_512_parts() {
    // A comparison, its two sides, and the elements of the right one.
    let wide = |parts: usize| format!("x in [{}]", vec!["1"; parts - 3].join(","));
    assert_eq!(compiles(&wide(512)), Ok(()));
    assert_eq!(compiles(&wide(513)), Err(CompileError::TooManyNodes { condition: condition() }));
}

#[test]
fn comprehensions_nest_at_most_twice() {
    assert_eq!(compiles("xs.all(a, xs.exists(b, a == b))"), Ok(()));
    assert_eq!(compiles("xs.map(a, a + 1).filter(b, b > 1).map(c, c - 1).exists(d, d == x)"), Ok(()));
    let thrice = "xs.all(a, xs.exists(b, xs.map(c, c) == [a, b]))";
    assert_eq!(compiles(thrice), Err(CompileError::ComprehensionsTooDeep { condition: condition() }));
}

#[test]
fn a_context_beyond_its_bounds_is_refused() {
    let deep = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    for (fits, too_large) in [
        (json!("a".repeat(16_384)), json!("a".repeat(16_385))),
        (json!(vec![1; 1_000]), json!(vec![1; 1_001])),
        (deep(16), deep(17)),
        (json!(vec!["a".repeat(16_000); 4]), json!(vec!["a".repeat(16_384); 4])),
    ] {
        assert_eq!(ask(&[("any", Any)], "any != 1", json!({ "any": fits })), Ok(true));
        let refused = ask(&[("any", Any)], "any != 1", json!({ "any": too_large }));
        assert!(matches!(refused, Err(EvaluationError::TooLarge { .. })), "{refused:?}");
    }
}

#[test]
fn loops_within_loops_are_refused_where_they_would_take_too_long() {
    let pairs = |length: usize| {
        let xs: Vec<_> = (0..length).collect();
        ask(&[("xs", list(Int))], "xs.all(a, xs.exists(b, a == b))", json!({ "xs": xs }))
    };
    assert_eq!(pairs(200), Ok(true));
    assert_eq!(pairs(1_000), Err(EvaluationError::TooCostly { condition: condition() }));
    let single: Vec<_> = (0..1_000).collect();
    assert_eq!(ask(&[("xs", list(Int))], "xs.all(a, a in xs)", json!({ "xs": &single[..400] })), Ok(true));
    assert_eq!(ask(&[("xs", list(Int))], "xs.all(a, a >= 0 && a < 1000)", json!({ "xs": single })), Ok(true));
}

#[test]
fn a_pattern_of_a_context_is_bounded_too() {
    let matches = |text: &str, pattern: &str| {
        ask(&[("s", Text), ("p", Text)], "s.matches(p)", json!({ "s": text, "p": pattern }))
    };
    assert_eq!(matches("maria", "^m.*a$"), Ok(true));
    for pattern in ["\\w{500}", "((a{100}){100}){100}", "(?i)(a|b|c){500}"] {
        assert!(matches!(matches("maria", pattern), Err(EvaluationError::Failed { .. })), "{pattern}");
    }
    let long = "a".repeat(16_000);
    assert_eq!(matches(&long, "^a+$"), Ok(true));
    assert!(matches!(matches(&long, "(a{100}b?){3}"), Err(EvaluationError::Failed { .. })));
}

/// Loops, within each other or over much, in which as much as possible is done or fails.
const LOOPS: [&str; 23] = [
    "xs.all(a, xs.all(b, a + b >= 0))",
    "xs.all(a, xs.all(b, b < 's'))",
    "xs.all(a, xs.all(b, xs < b))",
    "xs.all(a, xs.all(b, xs[1.5] == b))",
    "xs.all(a, xs.all(b, {'k': xs}.k == b))",
    "xs.map(a, xs.map(b, [a, b, a, b])).size() > 0",
    "xs.map(a, xs).map(c, c.map(d, xs)).size() > 0",
    "xs.all(a, (any in xs) ? true : true)",
    "xs.all(a, ss in xs || true)",
    "xs.all(a, xs.exists(b, b.contains(a)))",
    "xs.all(a, !any)",
    "xs.all(a, a < any)",
    "xs.all(a, a == any || true)",
    "xs.all(a, xs.all(b, -any))",
    "xs.all(a, xs.all(b, b))",
    "xs.all(a, a in xs && xs + xs != xs)",
    "xs.all(xs, .xs.all(b, b >= 0))",
    "ss.all(a, ss.all(b, a.contains(b) || a == b || a < b))",
    "ss.all(a, a.matches('^[a-z]{1,20}b?$') || true)",
    "ss.all(a, a.matches(p) || true)",
    "ss.exists(a, ss.exists(b, a.matches(b)))",
    "ss.all(a, ipaddress(a) == ipaddress(a) || true)",
    "ss.all(a, timestamp(a) == timestamp(a) || true)",
];

/// Expressions and contexts that cost as much as the bounds let them.
fn bombs() -> Vec<(String, Value)> {
    let numbers = |count: usize| json!((0..count).collect::<Vec<_>>());
    let doubling = format!("[s]{}.size() == 0", ".map(a, a + a)".repeat(14));
    let sums = format!("[{}].all(t, t == s)", vec!["s + s + s + s"; 40].join(","));
    let mut bombs = vec![
        (doubling, json!({ "s": "a".repeat(16_384) })),
        (sums, json!({ "s": "a".repeat(16_384) })),
        (
            "[s, s, s].map(a, [a + a, a + a].map(b, b + b + b + b)).size() == 3".to_owned(),
            json!({ "s": "a".repeat(16_000) }),
        ),
    ];
    for size in [10, 30, 100, 180, 200, 240, 300, 400, 500, 700, 1_000] {
        let texts = vec!["a".repeat(40_000 / size); size];
        let lists = vec![json!([1, "a"]); size.min(600)];
        for expression in LOOPS {
            let all = [
                ("xs", numbers(size)),
                ("ss", json!(texts)),
                ("p", json!("(a|aa)*\\pL{3}$")),
                ("any", json!(lists)),
            ];
            let named = all.into_iter().filter(|(name, _)| expression.contains(name));
            bombs
                .push((expression.to_owned(), named.map(|(name, value)| (name.to_owned(), value)).collect()));
        }
    }
    for pattern in [
        "(a|b|ab){200}c",
        "(?i)(k|s){100}x",
        "\\w{9}x",
        "[\\pL\\d]{7}y",
        "(a?){150}a{150}",
        "([^b]{3}a?){12}",
    ] {
        for length in [1_000, 4_000, 16_000] {
            bombs.push(("s.matches(p)".to_owned(), json!({ "s": "a".repeat(length), "p": pattern })));
        }
    }
    bombs
}

#[test]
fn no_bomb_takes_longer_than_100_milliseconds() {
    let parameters = [("xs", list(Int)), ("ss", list(Text)), ("s", Text), ("p", Text), ("any", Any)];
    let mut slowest = (Duration::ZERO, String::new());
    let mut answered = 0;
    for (expression, request) in bombs() {
        let named: Vec<_> =
            parameters.iter().filter(|(name, _)| request.get(*name).is_some()).cloned().collect();
        let condition = define(&named, &expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
        let (tuple, request) = (context(json!({})), context(request));
        // The best of three, since other work on the machine must not count.
        let run = || {
            let start = Instant::now();
            let answer = condition.evaluate(&tuple, &request);
            (start.elapsed(), answer)
        };
        let (took, answer) = (0..3).map(|_| run()).min_by_key(|(took, _)| *took).unwrap();
        answered += usize::from(answer.is_ok());
        if took > slowest.0 {
            slowest = (took, expression);
        }
    }
    assert!(slowest.0 < Duration::from_millis(100), "{slowest:?}");
    assert!(answered > 20, "only {answered} of the bombs went off at all");
}

#[test]
fn a_simple_comparison_takes_a_few_microseconds() {
    let condition = define(&[("x", Int)], "x < 100").unwrap();
    let (tuple, request) = (context(json!({})), context(json!({ "x": 7 })));
    let thousand = || {
        let start = Instant::now();
        for _ in 0..1_000 {
            assert_eq!(condition.evaluate(&tuple, &request), Ok(true));
        }
        start.elapsed()
    };
    // The best of twenty, since other work on the machine must not count.
    let best = (0..20).map(|_| thousand()).min().unwrap() / 1_000;
    assert!(best < Duration::from_micros(10), "{best:?}");
}
