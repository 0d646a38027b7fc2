//! Each part of the language that conditions promise, through the whole path.

use serde_json::json;

use super::{ask, list, map};
use crate::condition::EvaluationError;
use crate::schema::ParameterType::{
    Any, Bool, Double, Duration, Int, IpAddress, String as Text, Timestamp, Uint,
};

/// The values all the tables below speak of.
fn answer(expression: &str) -> Result<bool, EvaluationError> {
    let parameters = [
        ("yes", Bool),
        ("name", Text),
        ("n", Int),
        ("u", Uint),
        ("d", Double),
        ("span", Duration),
        ("now", Timestamp),
        ("ip", IpAddress),
        ("ip6", IpAddress),
        ("ns", list(Int)),
        ("names", list(Text)),
        ("ages", map(Int)),
        ("ips", list(IpAddress)),
        ("json", Any),
    ];
    let values = json!({
        "yes": true, "name": "maria", "n": 7, "u": "8", "d": 1.5, "span": "1h30m", "now": "2023-10-11T12:30:15.25+02:00",
        "ip": "192.168.0.7", "ip6": "2001:db8::7", "ns": [1, "2", 3.0], "names": ["ann", "bo"],
        "ages": { "ann": 30, "bo": 40 }, "ips": ["10.0.0.1", "::1"], "json": { "a": [1, "x", null], "b": { "c": true } },
    });
    ask(&parameters, expression, values)
}

#[test]
fn true_expressions_are_true() {
    for expression in [
        "yes",
        "n < 100 && n >= 7 && n != 8 && -n == -7",
        "n + 1 == 8 && n * 2 == 14 && n / 2 == 3 && n % 4 == 3 && n - 8 == -1",
        "u == 8u && d > 1.0 && double(n) > d && int(d) == 1 && uint(n) == 7u && string(n) == '7'",
        "name == \"maria\" && name < 'z' && name + '!' == 'maria!'",
        "name.contains('ari') && name.startsWith('ma') && name.endsWith('ia')",
        "name.matches('^m[a-z]+$') && matches(name, r'\\w{5}')",
        "size(name) == 5 && name.size() == 5 && size(ns) == 3 && ages.size() == 2",
        "2 in ns && 'ann' in names && 'bo' in ages && !('cy' in ages) && !(9 in ns)",
        "ns[0] == 1 && ages['ann'] == 30 && ages.bo == 40 && has(ages.ann) && !has(ages.cy)",
        "n == 7 ? yes : false",
        "ns.all(x, x > 0) && ns.exists(x, x == 2) && ns.exists_one(x, x > 2)",
        "ns.filter(x, x > 1) == [2, 3] && ns.map(x, x * 2) == [2, 4, 6] && ns.map(x, x > 1, x * 10) == [20, 30]",
        "names.all(x, x in ages) && ages.all(key, ages[key] > 20)",
        "names.exists(x, ns.exists(y, ages[x] == y + 39))",
        "ns + [4] == [1, 2, 3, 4] && {'a': 1}.a == 1",
        "json.b.c && json.a[0] == 1.0 && json.a[1] == 'x' && json.a[2] == null",
        "type(n) == int && bool('true') && dyn(n) == 7 && bytes(name) == b'maria'",
        "yes // and a comment",
    ] {
        assert_eq!(answer(expression), Ok(true), "{expression}");
    }
}

#[test]
fn time_is_reckoned_in_utc() {
    for expression in [
        "now < timestamp('2023-10-11T10:30:16Z') && now > timestamp('2023-10-11T10:30:15Z')",
        "now == timestamp('2023-10-11T10:30:15.250Z')",
        "now + span == timestamp('2023-10-11T12:00:15.25Z') && span + now == now + span",
        "now - duration('30m') == timestamp('2023-10-11T10:00:15.25Z')",
        "now - timestamp('2023-10-11T10:30:15Z') == duration('250ms')",
        "span == duration('90m') && span > duration('1h') && span + duration('30m') == duration('2h')",
        "span.getHours() == 1 && span.getMinutes() == 90",
        "now.getHours() == 10 && now.getMinutes() == 30 && now.getSeconds() == 15 && now.getMilliseconds() == 250",
        "timestamp('2023-10-11T00:30:00+02:00').getDate() == 10",
        "now.getFullYear() == 2023 && now.getMonth() == 9 && now.getDayOfMonth() == 10 && now.getDayOfWeek() == 3",
        "now.getHours('Europe/Vienna') == 12 && now.getHours('-02:00') == 8 && now.getDayOfYear() == 283",
        "timestamp(0) == timestamp('1970-01-01T00:00:00Z') && timestamp(now) == now && duration(span) == span",
    ] {
        assert_eq!(answer(expression), Ok(true), "{expression}");
    }
}

#[test]
fn addresses_know_their_networks() {
    for expression in [
        "ip.in_cidr('192.168.0.0/24') && !ip.in_cidr('10.0.0.0/8')",
        "ip6.in_cidr('2001:db8::/32') && !ip6.in_cidr('0.0.0.0/0')",
        "ip == ipaddress('192.168.0.7') && ip != ip6",
        "!ipaddress('::ffff:192.168.0.7').in_cidr('192.168.0.0/24')",
        "ips.exists(x, x.in_cidr('10.0.0.0/8')) && ipaddress('::1') in ips",
    ] {
        assert_eq!(answer(expression), Ok(true), "{expression}");
    }
}

#[test]
fn false_expressions_are_false() {
    for expression in [
        "!yes",
        "n > 100",
        "name == 'Maria'",
        "name.matches('^a')",
        "ip.in_cidr('192.168.1.0/24')",
        "now > timestamp('2023-10-11T10:30:16Z')",
        "ns.all(x, x > 1)",
        "name == 7",
    ] {
        assert_eq!(answer(expression), Ok(false), "{expression}");
    }
}

#[test]
fn what_fails_has_no_answer() {
    for expression in [
        "n / 0 == 1",
        "n % 0 == 1",
        "n + 9223372036854775807 > 0",
        "-(-9223372036854775807 - 1) > 0",
        "u - 9u == 0u",
        "n < name",
        "n + d > 1.0",
        "name + n == 'maria7'",
        "!name.contains('a') ? yes : n.matches('a')",
        "ns[3] == 1",
        "ns[-1] == 1",
        "ages['cy'] == 1",
        "ages.cy == 1",
        "json.nothing",
        "json.b.c.d",
        "name.matches(name + '(')",
        "ip.in_cidr('192.168.0.0')",
        "ip.in_cidr(name)",
        "ipaddress(name) == ip",
        "timestamp('2023-10-11') < now",
        "timestamp('2023-10-11T10:00:00z') < now",
        "duration('1h and more') < span",
        "duration('1e3s') < span",
        "duration('infs') < span",
        "now + duration('2562047h') + duration('2562047h') > now && timestamp(253402300799) + span > now",
        "int(name) == 1",
        "bool(name)",
        "{'a': 1, 'a': 2}.a == 1",
        "n.all(x, x)",
        "now.getHours('Nowhere/City') == 1",
        "int(1e300) > 0",
    ] {
        assert!(
            matches!(answer(expression), Err(EvaluationError::Failed { .. })),
            "{expression}: {:?}",
            answer(expression)
        );
    }
}

#[test]
fn a_failure_beside_a_decision_does_not_matter_in_either_order() {
    for (expression, expected) in [
        ("n / 0 == 1 || yes", true),
        ("yes || n / 0 == 1", true),
        ("n / 0 == 1 && !yes", false),
        ("!yes && n / 0 == 1", false),
        ("(n / 0 == 1 || !yes) || yes", true),
        ("ns.exists(x, 6 / (x - 1) == 6)", true),
        ("ns.all(x, 6 / (x - 1) == 6)", false),
    ] {
        assert_eq!(answer(expression), Ok(expected), "{expression}");
    }
    for expression in ["n / 0 == 1 || !yes", "!yes || n / 0 == 1", "n / 0 == 1 && yes", "yes && n / 0 == 1"] {
        assert!(answer(expression).is_err(), "{expression}");
    }
}

#[test]
fn what_is_no_bool_is_no_answer() {
    for (expression, found) in [
        ("json", "map"),
        ("json.a", "list"),
        ("json.a[0]", "double"),
        ("yes ? json.a[1] : json.a", "string"),
        ("ages.ann", "int"),
        ("json.a[2]", "null_type"),
    ] {
        let expected = EvaluationError::NotBool { condition: "allowed".to_owned(), found: found.to_owned() };
        assert_eq!(answer(expression), Err(expected), "{expression}");
    }
}

#[test]
fn a_failure_does_not_tell_the_values() {
    for expression in ["name + n == 'x'", "int(name) == 1", "ip.in_cidr(name)", "n < name", "ages[name] == 1"]
    {
        let failure = answer(expression).unwrap_err().to_string();
        assert!(!failure.contains("maria") && failure.starts_with("condition `allowed`: "), "{failure}");
    }
}
