//! JSON whose objects name nothing twice, at any depth.
//!
//! Parsers disagree on which of two equal names counts, so a text with a repeated name has no meaning here.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The object that is all of `bytes`, or `None`.
pub(super) fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    let value = parser.deserialize_any(Unrepeated).ok()?;
    parser.end().ok()?;
    match value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

#[derive(Clone, Copy)]
struct Unrepeated;

impl<'de> DeserializeSeed<'de> for Unrepeated {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unrepeated {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without repeated names")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(self)?;
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom("a name is repeated"));
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::object;

    #[test]
    fn only_one_object_without_repeated_names_is_read() {
        for (text, read) in [
            (r#"{"a":1,"b":[{"a":-1},{"a":null}],"c":1.5,"d":true}"#, true),
            (" {} ", true),
            (r#"{"a":1,"a":1}"#, false),
            (r#"{"a":1,"\u0061":2}"#, false),
            (r#"{"b":[{"a":1,"a":2}]}"#, false),
            (r#"{"a":1} {}"#, false),
            (r#"[{"a":1}]"#, false),
            (r#"{"a":1,}"#, false),
            ("null", false),
            ("", false),
        ] {
            assert_eq!(object(text.as_bytes()).is_some(), read, "{text}");
        }
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let text = r#"{"s":"é","n":18446744073709551615,"m":-3,"l":[1,[],{}],"f":0.5,"z":null,"t":false}"#;
        assert_eq!(serde_json::to_string(&object(text.as_bytes()).unwrap()).unwrap(), text);
    }

    #[test]
    fn bottomless_nesting_is_refused_and_no_panic() {
        let text = format!("{{\"a\":{}", "[".repeat(16_000));
        assert!(object(text.as_bytes()).is_none());
        assert!(object(b"{\"a\":\"\xff\"}").is_none());
    }
}
