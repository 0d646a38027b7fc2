//! Which definitions compile, and what is said of those that do not.

use super::{define, list};
use crate::condition::{CompileError, Condition};
use crate::schema::ParameterType::{Any, Bool, Int, String as Text};

fn refusal(expression: &str) -> CompileError {
    define(&[("x", Int), ("y", Bool), ("s", Text), ("xs", list(Int)), ("any", Any)], expression).unwrap_err()
}

#[test]
fn undeclared_names_are_named_once_each_and_in_order() {
    for (expression, names) in [
        ("z", vec!["z"]),
        ("x < z || w.z && z > v[w]", vec!["z", "w", "v"]),
        ("xs.all(e, e < f)", vec!["f"]),
        ("xs.all(e, true) && e == 1", vec!["e"]),
        (".z == 1", vec!["z"]),
        ("math.abs(x) == 1", vec![]),
        ("a.b.c == 1", vec!["a"]),
        ("optional.of(x) == x", vec![]),
    ] {
        match refusal(expression) {
            CompileError::Undeclared { identifiers, .. } => assert_eq!(identifiers, names, "{expression}"),
            CompileError::UnknownFunction { .. } => assert!(names.is_empty(), "{expression}"),
            other => panic!("{expression}: {other}"),
        }
    }
}

#[test]
fn only_known_functions_can_be_called() {
    for (expression, name) in [
        ("now() == x", "now"),
        ("s.lowerAscii() == s", "lowerAscii"),
        ("s.replace('a', 'b') == s", "replace"),
        ("contains(s, 'a')", "contains"),
        ("xs.in_range(1)", "in_range"),
        ("x.timestamp() == 1", "timestamp"),
        ("xs.all(e)", "all"),
        ("any.orValue(y)", "orValue"),
    ] {
        let function = name.to_owned();
        let expected = CompileError::UnknownFunction { condition: "allowed".to_owned(), function };
        assert_eq!(refusal(expression), expected, "{expression}");
    }
}

#[test]
fn an_expression_that_cannot_yield_a_bool_does_not_compile() {
    for expression in [
        "1",
        "'a'",
        "null",
        "1.5",
        "1u",
        "b'a'",
        "[y]",
        "{'a': y}",
        "x",
        "s",
        "xs",
        "x + 1",
        "-x",
        "size(s)",
        "s.size()",
        "string(y)",
        "timestamp('2023-10-11T10:00:00Z')",
        "duration('1s')",
        "ipaddress('::1')",
        "xs.map(e, e == 1)",
        "xs.filter(e, true)",
        "y && 1",
        "s || y",
        "!x",
        "y ? 1 : 2",
        "x ? y : y",
        "type(x)",
        "(1)",
        "!(y && !s)",
        "timestamp(x).getHours()",
    ] {
        assert_eq!(
            refusal(expression),
            CompileError::NotBool { condition: "allowed".to_owned() },
            "{expression}"
        );
    }
}

#[test]
fn what_is_not_cel_is_told_with_its_place() {
    for (expression, at) in [
        ("", (1, 1)),
        ("x <", (1, 4)),
        ("x <\n  < 1", (2, 3)),
        ("y &&\n  s == 'open", (2, 8)),
        ("(x < 1", (1, 7)),
        ("s == '\\q'", (1, 6)),
    ] {
        match refusal(expression) {
            CompileError::Syntax { line, column, message, .. } => {
                assert_eq!((line, column), at, "{expression}: {message}");
                assert!(!message.is_empty());
            }
            other => panic!("{expression}: {other}"),
        }
    }
    for expression in
        ["x = 1", "x == 1;", "if (y) { y }", "any.?a", "any[?0]", "[?x] == xs", "x == 9223372036854775808"]
    {
        assert!(matches!(refusal(expression), CompileError::Syntax { .. }), "{expression}");
    }
}

#[test]
fn messages_are_not_part_of_conditions() {
    assert!(matches!(refusal("Foo{a: 1} == x"), CompileError::Unsupported { .. }));
}

#[test]
fn a_literal_pattern_is_checked_when_the_condition_is_compiled() {
    for (pattern, expected) in [("(", "is not a regular expression"), ("\\\\w{500}", "is too heavy")] {
        for expression in [format!("s.matches('{pattern}')"), format!("matches(s, '{pattern}')")] {
            match refusal(&expression) {
                CompileError::Pattern { reason, .. } => assert_eq!(reason, expected),
                other => panic!("{expression}: {other}"),
            }
        }
    }
}

#[test]
fn a_parameter_needs_a_name_of_its_own() {
    for name in ["int", "string", "type", "list", "ipaddress", "null_type"] {
        // A missing parameter would otherwise be taken for the type.
        assert!(matches!(define(&[(name, Bool)], "true"), Err(CompileError::ParameterName { .. })), "{name}");
    }
    for name in ["", "a.b", "1a", "a-b", "é", "@result"] {
        assert!(matches!(define(&[(name, Bool)], "true"), Err(CompileError::ParameterName { .. })), "{name}");
    }
    let twice = define(&[("x", Bool), ("x", Int)], "x").unwrap_err();
    assert_eq!(
        twice.to_string(),
        "condition `allowed`: a parameter cannot be called `x`: it is declared twice"
    );
}

#[test]
fn a_condition_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + std::fmt::Debug>() {}
    shared::<Condition>();
}
