//! Coercions of context values, as tables.

use serde_json::json;

use super::*;
use ParameterType::{
    Any, Bool, Double, Duration, Int, IpAddress, List, Map, String as Text, Timestamp, Uint,
};

fn shown(kind: &ParameterType, value: &Value) -> Option<String> {
    coerce(kind, value).map(|value| format!("{value:?}"))
}

fn same(kind: &ParameterType, one: &Value, other: &Value) -> bool {
    coerce(kind, one).unwrap().equals(coerce(kind, other).unwrap().as_ref())
}

#[test]
fn an_int_takes_whole_numbers_and_decimal_texts() {
    for (value, expected) in [
        (json!(10), 10),
        (json!(10.0), 10),
        (json!(-0.0), 0),
        (json!(1e3), 1000),
        (json!("10"), 10),
        (json!("-10"), -10),
        (json!("10.0"), 10),
        (json!(i64::MAX), i64::MAX),
        (json!("9223372036854775807"), i64::MAX),
        (json!(-9_223_372_036_854_775_808.0), i64::MIN),
    ] {
        let int = coerce(&Int, &value).unwrap();
        assert_eq!(int.downcast_ref::<CelInt>().unwrap().into_inner(), expected, "{value}");
    }
    for value in [
        json!(10.5),
        json!(9_223_372_036_854_775_808_u64),
        json!(9_223_372_036_854_775_808.0),
        json!(1e300),
        json!("10.5"),
        json!("10."),
        json!(".0"),
        json!(""),
        json!(" 10"),
        json!("ten"),
        json!("0x10"),
        json!("9223372036854775808"),
        json!(true),
        json!(null),
        json!([1]),
    ] {
        assert_eq!(shown(&Int, &value), None, "{value}");
    }
}

#[test]
fn a_uint_has_no_sign() {
    for (value, expected) in [
        (json!(10), 10),
        (json!(10.0), 10),
        (json!(-0.0), 0),
        (json!("10"), 10),
        (json!(u64::MAX), u64::MAX),
        (json!("18446744073709551615"), u64::MAX),
    ] {
        let uint = coerce(&Uint, &value).unwrap();
        assert_eq!(uint.downcast_ref::<CelUInt>().unwrap().into_inner(), expected, "{value}");
    }
    for value in [json!(-1), json!(-1.0), json!("-1"), json!(1.5), json!(1e20), json!("18446744073709551616")]
    {
        assert_eq!(shown(&Uint, &value), None, "{value}");
    }
}

#[test]
fn a_double_is_finite() {
    for (value, expected) in
        [(json!(1), 1.0), (json!(1.5), 1.5), (json!("1.5"), 1.5), (json!("-2e3"), -2000.0), (json!("7"), 7.0)]
    {
        let double = coerce(&Double, &value).unwrap();
        let found = double.downcast_ref::<CelDouble>().unwrap().into_inner();
        assert!((found - expected).abs() < f64::EPSILON, "{value}");
    }
    for value in [
        json!("inf"),
        json!("-inf"),
        json!("+Inf"),
        json!("infinity"),
        json!("NaN"),
        json!("1.8e309"),
        json!("-1.8e309"),
        json!(""),
        json!("1,5"),
        json!(true),
        json!(null),
    ] {
        assert_eq!(shown(&Double, &value), None, "{value}");
    }
}

#[test]
fn bool_and_string_take_nothing_else() {
    assert!(same(&Bool, &json!(true), &json!(true)));
    assert!(same(&Text, &json!("a"), &json!("a")));
    for value in [json!("true"), json!(1), json!(0), json!(null)] {
        assert_eq!(shown(&Bool, &value), None, "{value}");
    }
    for value in [json!(1), json!(true), json!(null), json!(["a"])] {
        assert_eq!(shown(&Text, &value), None, "{value}");
    }
}

#[test]
fn times_spans_and_addresses_are_read_from_texts() {
    assert!(same(&Duration, &json!("1h30m"), &json!("90m")));
    assert!(same(&Duration, &json!("9223372036854775807ns"), &json!("2562047h47m16.854775807s")));
    assert!(!same(&Duration, &json!("9223372036854775807ns"), &json!("9223372036854775806ns")));
    assert!(same(&Timestamp, &json!("2023-10-11T10:00:00Z"), &json!("2023-10-11T12:00:00+02:00")));
    assert!(same(&IpAddress, &json!("::1"), &json!("0:0:0:0:0:0:0:1")));
    for (kind, value) in [
        (Duration, json!("1 hour")),
        (Duration, json!("1hx")),
        (Duration, json!(60)),
        (Timestamp, json!("yesterday")),
        (Timestamp, json!("0000-01-01T00:00:00Z")),
        (Timestamp, json!(1_697_018_400)),
        (IpAddress, json!("localhost")),
        (IpAddress, json!(1)),
    ] {
        assert_eq!(shown(&kind, &value), None, "{value}");
    }
}

#[test]
fn lists_and_maps_are_read_element_by_element() {
    let ints = List(Box::new(Int));
    assert!(same(&ints, &json!([1, "2", 3.0]), &json!([1, 2, 3])));
    assert!(same(&Map(Box::new(ints.clone())), &json!({ "a": ["1"] }), &json!({ "a": [1] })));
    for (kind, value) in [
        (ints.clone(), json!([1, "x"])),
        (ints.clone(), json!(1)),
        (ints.clone(), json!({ "a": 1 })),
        (Map(Box::new(Int)), json!({ "a": true })),
        (Map(Box::new(Int)), json!([1])),
        (Map(Box::new(ints)), json!({ "a": [1.5] })),
    ] {
        assert_eq!(shown(&kind, &value), None, "{value}");
    }
}

#[test]
fn any_takes_json_as_it_is_with_numbers_as_doubles() {
    assert!(coerce(&Any, &json!(1)).unwrap().downcast_ref::<CelDouble>().is_some());
    assert!(same(&Any, &json!({ "a": [null, true, "x", 1] }), &json!({ "a": [null, true, "x", 1.0] })));
}

#[test]
fn a_type_is_named_as_it_is_written() {
    assert_eq!(type_name(&Map(Box::new(List(Box::new(IpAddress))))), "map<list<ipaddress>>");
}
