//! YAML text as JSON, as far as test files need it.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

enum Open {
    List(Vec<Value>),
    Map(Map<String, Value>, Option<String>),
}

/// The one document of a text.
pub fn parse(text: &str) -> Value {
    let mut open: Vec<Open> = Vec::new();
    let mut document = Value::Null;
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.expect("YAML");
        let closed = match event {
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(Map::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop().expect("what ends has begun") {
                Open::List(items) => Value::Array(items),
                Open::Map(map, _) => Value::Object(map),
            },
            Event::Scalar(text, style, ..) => scalar(&text, style),
            Event::Alias(_) => panic!("line {}: aliases are not read", span.start.line()),
            _ => continue,
        };
        match open.last_mut() {
            None => document = closed,
            Some(Open::List(items)) => items.push(closed),
            Some(Open::Map(map, key)) => match key.take() {
                None => *key = Some(closed.as_str().map_or_else(|| closed.to_string(), str::to_owned)),
                Some(key) => drop(map.insert(key, closed)),
            },
        }
    }
    document
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return text.into();
    }
    match text {
        "" | "~" | "null" => Value::Null,
        "true" | "True" => true.into(),
        "false" | "False" => false.into(),
        // JSON has no infinities; as text they are refused by the same rule.
        ".inf" | "-.inf" | ".nan" => text.into(),
        number => serde_json::from_str(number).ok().filter(Value::is_number).unwrap_or_else(|| text.into()),
    }
}
