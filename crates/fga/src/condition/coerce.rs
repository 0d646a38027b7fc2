//! From JSON to the values of an expression, by the declared type and as OpenFGA does it: what does not fit
//! is refused, never bent.

use std::collections::HashMap;

use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt,
};
use cel::common::value::Val;
use serde_json::{Number, Value};

use super::address::Address;
use super::environment;
use crate::schema::ParameterType;

/// A value of an expression, which may borrow its text from the context.
pub(super) type Bound<'v> = Box<dyn Val + 'v>;

/// The value of a parameter, or nothing where the JSON does not fit its type.
pub(super) fn coerce<'v>(kind: &ParameterType, value: &'v Value) -> Option<Bound<'v>> {
    Some(match (kind, value) {
        (ParameterType::Any, value) => untyped(value)?,
        (ParameterType::Bool, Value::Bool(value)) => Box::new(CelBool::from(*value)),
        (ParameterType::String, Value::String(value)) => Box::new(CelString::from(value.as_str())),
        (ParameterType::Int, value) => Box::new(CelInt::from(integer(value)?)),
        (ParameterType::Uint, value) => Box::new(CelUInt::from(natural(value)?)),
        (ParameterType::Double, value) => Box::new(CelDouble::from(double(value)?)),
        (ParameterType::Duration, Value::String(text)) => environment::duration(text)?,
        (ParameterType::Timestamp, Value::String(text)) => environment::timestamp(text)?,
        (ParameterType::IpAddress, Value::String(text)) => Box::new(Address::parse(text)?),
        (ParameterType::List(kind), Value::Array(elements)) => {
            let elements: Option<Vec<_>> = elements.iter().map(|element| coerce(kind, element)).collect();
            Box::new(CelList::from(elements?))
        }
        (ParameterType::Map(kind), Value::Object(entries)) => {
            let entry = |(key, value): (&'v String, &'v Value)| {
                Some((CelMapKey::from(key.as_str()), coerce(kind, value)?))
            };
            let entries: Option<HashMap<_, _>> = entries.iter().map(entry).collect();
            Box::new(CelMap::from(entries?))
        }
        _ => return None,
    })
}

/// A parameter's type as its author writes it.
pub(super) fn type_name(kind: &ParameterType) -> String {
    match kind {
        ParameterType::Any => "any".to_owned(),
        ParameterType::Bool => "bool".to_owned(),
        ParameterType::String => "string".to_owned(),
        ParameterType::Int => "int".to_owned(),
        ParameterType::Uint => "uint".to_owned(),
        ParameterType::Double => "double".to_owned(),
        ParameterType::Duration => "duration".to_owned(),
        ParameterType::Timestamp => "timestamp".to_owned(),
        ParameterType::IpAddress => "ipaddress".to_owned(),
        ParameterType::Map(kind) => format!("map<{}>", type_name(kind)),
        ParameterType::List(kind) => format!("list<{}>", type_name(kind)),
    }
}

fn untyped(value: &Value) -> Option<Bound<'_>> {
    Some(match value {
        Value::Null => Box::new(CelNull),
        Value::Bool(value) => Box::new(CelBool::from(*value)),
        Value::Number(_) => Box::new(CelDouble::from(double(value)?)),
        Value::String(value) => Box::new(CelString::from(value.as_str())),
        Value::Array(_) => coerce(&ParameterType::List(Box::new(ParameterType::Any)), value)?,
        Value::Object(_) => coerce(&ParameterType::Map(Box::new(ParameterType::Any)), value)?,
    })
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| integral(number)?.parse().ok()),
        Value::String(text) => whole_part(text)?.parse().ok(),
        _ => None,
    }
}

fn natural(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| integral(number)?.parse().ok()),
        Value::String(text) => whole_part(text)?.parse().ok(),
        _ => None,
    }
}

/// The digits of a floating-point number without a fraction.
fn integral(number: &Number) -> Option<String> {
    let number = number.as_f64().filter(|number| number.fract() == 0.0)?;
    // Adding zero takes the sign off a negative one.
    Some(format!("{:.0}", number + 0.0))
}

/// What stands before the point of a decimal that has only zeros after it.
fn whole_part(text: &str) -> Option<&str> {
    let Some((whole, fraction)) = text.split_once('.') else { return Some(text) };
    let only_zeros = !fraction.is_empty() && fraction.bytes().all(|byte| byte == b'0');
    only_zeros.then_some(whole)
}

fn double(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests;
