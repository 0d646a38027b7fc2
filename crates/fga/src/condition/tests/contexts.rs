//! Which context gives a parameter, what it may give, and what happens where nobody does.

use serde_json::{Value, json};

use super::{ask, context, define, list};
use crate::condition::EvaluationError;
use crate::schema::ParameterType::{Bool, Double, Int, IpAddress, String as Text, Timestamp};

fn missing(parameters: &[&str]) -> EvaluationError {
    EvaluationError::Missing {
        condition: "allowed".to_owned(),
        parameters: parameters.iter().map(|&parameter| parameter.to_owned()).collect(),
    }
}

fn mistyped(parameter: &str, expected: &str) -> EvaluationError {
    EvaluationError::Parameter { parameter: parameter.to_owned(), expected: expected.to_owned() }
}

#[test]
fn the_tuples_own_context_wins() {
    let condition = define(&[("x", Int), ("y", Int)], "x < 10 && y < 10").unwrap();
    let evaluate = |tuple: Value, request: Value| condition.evaluate(&context(tuple), &context(request));
    assert_eq!(condition.name(), "allowed");
    assert_eq!(evaluate(json!({ "x": 1, "y": 1 }), json!({ "x": 100 })), Ok(true));
    assert_eq!(evaluate(json!({ "x": 100, "y": 1 }), json!({ "x": 1 })), Ok(false));
    assert_eq!(evaluate(json!({ "x": 1 }), json!({ "y": 1 })), Ok(true));
    assert_eq!(evaluate(json!({ "x": "a" }), json!({ "x": 1, "y": 1 })), Err(mistyped("x", "int")));
    assert_eq!(evaluate(json!({ "x": 1, "y": 1 }), json!({ "x": "a" })), Ok(true));
    assert_eq!(evaluate(json!({ "x": null }), json!({ "x": 1, "y": 1 })), Err(mistyped("x", "int")));
}

#[test]
fn a_requests_other_keys_are_ignored() {
    let long = "a".repeat(100_000);
    assert_eq!(ask(&[("x", Int)], "x < 10", json!({ "x": 1, "other": long })), Ok(true));
}

#[test]
fn every_declared_parameter_must_be_given_even_where_the_answer_could_be_told_without() {
    let parameters = [("x", Int), ("y", Bool)];
    for (expression, request, expected) in [
        ("x < 10 || y", json!({ "x": 1, "y": false }), Ok(true)),
        ("x < 10 || y", json!({ "x": 1 }), Err(missing(&["y"]))),
        ("y && x < 10", json!({ "x": 100 }), Err(missing(&["y"]))),
        ("x < 10 && y", json!({}), Err(missing(&["x", "y"]))),
        ("true", json!({ "y": true }), Err(missing(&["x"]))),
        ("!(x in [1])", json!({ "y": true }), Err(missing(&["x"]))),
        ("[1].exists(x, x == 1)", json!({ "y": true }), Err(missing(&["x"]))),
    ] {
        assert_eq!(ask(&parameters, expression, request.clone()), expected, "{expression} with {request}");
    }
}

#[test]
fn a_value_of_another_type_is_an_error_even_where_it_would_not_matter() {
    for (request, parameter, expected) in [
        (json!({ "x": "a" }), "x", "int"),
        (json!({ "x": 1.5 }), "x", "int"),
        (json!({ "t": "yesterday" }), "t", "timestamp"),
        (json!({ "ips": ["::1", "here"] }), "ips", "list<ipaddress>"),
        (json!({ "d": "1.8e309" }), "d", "double"),
        (json!({ "d": "inf" }), "d", "double"),
    ] {
        let kind = match parameter {
            "x" => Int,
            "t" => Timestamp,
            "ips" => list(IpAddress),
            _ => Double,
        };
        assert_eq!(ask(&[(parameter, kind)], "true", request), Err(mistyped(parameter, expected)));
    }
}

#[test]
fn a_tuple_carries_only_declared_parameters_of_their_type() {
    let condition = define(&[("x", Int), ("name", Text)], "x < 10 && name == 'a'").unwrap();
    let accepts = |tuple: Value| condition.accepts(&context(tuple));
    assert_eq!(accepts(json!({})), Ok(()));
    assert_eq!(accepts(json!({ "x": "7", "name": "a" })), Ok(()));
    assert_eq!(accepts(json!({ "x": true })), Err(mistyped("x", "int")));
    let (condition, parameter) = ("allowed".to_owned(), "z".to_owned());
    assert_eq!(accepts(json!({ "x": 1, "z": 1 })), Err(EvaluationError::Undeclared { condition, parameter }));
    let long = accepts(json!({ "name": "a".repeat(20_000) }));
    assert!(matches!(long, Err(EvaluationError::TooLarge { parameter, .. }) if parameter == "name"));
}

#[test]
fn a_failure_reads_as_a_sentence() {
    assert_eq!(missing(&["x", "y"]).to_string(), "condition `allowed` needs `x`, `y`");
    assert_eq!(mistyped("x", "list<int>").to_string(), "parameter `x` must be a value of type list<int>");
}
