//! Arguments that a tool's schema wants repeated in headers.

use std::borrow::Cow;
use std::collections::HashSet;

use super::sentinel::encode;
use crate::json::{Shape, View};

/// How many arguments of one tool may travel in headers.
pub const MOST_MIRRORS: usize = 64;

/// Whole numbers in headers stay where every reader is exact.
const SAFE: i64 = (1 << 53) - 1;

/// One argument that travels in a header as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirror {
    /// The header's name, without the prefix.
    pub header: String,
    /// The path of properties to the argument.
    pub path: Vec<String>,
}

/// Why a schema's wishes cannot be followed; the tool is left out of lists then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMirror {
    /// The name is no header name.
    #[error("`{0}` is no name for a header")]
    Name(String),
    /// Two arguments want the same header.
    #[error("two arguments ask for the header `{0}`")]
    Twice(String),
    /// The argument is neither string, integer nor boolean.
    #[error("the argument for the header `{0}` is neither string, integer nor boolean")]
    Sort(String),
    /// More arguments than [`MOST_MIRRORS`] ask for headers.
    #[error("more than {MOST_MIRRORS} arguments ask for headers")]
    TooMany,
    /// The wish stands where no single argument is meant.
    #[error("`x-mcp-header` may only stand on properties of objects")]
    Place,
}

/// The arguments of a tool's input schema that travel in headers.
pub fn mirrors(schema: View<'_>) -> Result<Vec<Mirror>, InvalidMirror> {
    let mut found = Vec::new();
    collect(schema, &mut Vec::new(), true, &mut found)?;
    let mut names = HashSet::new();
    for mirror in &found {
        if !names.insert(mirror.header.to_ascii_lowercase()) {
            return Err(InvalidMirror::Twice(mirror.header.clone()));
        }
    }
    if found.len() > MOST_MIRRORS {
        return Err(InvalidMirror::TooMany);
    }
    Ok(found)
}

/// `reachable`: whether only `properties` led here.
fn collect(
    schema: View<'_>,
    path: &mut Vec<String>,
    reachable: bool,
    found: &mut Vec<Mirror>,
) -> Result<(), InvalidMirror> {
    for (key, value) in schema.members() {
        match (&*key, value.shape()) {
            (b"x-mcp-header", _) => found.push(mirror(schema, value, path, reachable)?),
            (b"properties", Shape::Object) => {
                for (name, property) in value.members() {
                    path.push(String::from_utf8_lossy(&name).into_owned());
                    collect(property, path, reachable, found)?;
                    path.pop();
                }
            }
            (b"default" | b"const" | b"enum" | b"examples", _) => {}
            (_, Shape::Object) => collect(value, path, false, found)?,
            (_, Shape::Array) => {
                for item in value.items() {
                    collect(item, path, false, found)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn mirror(
    schema: View<'_>,
    name: View<'_>,
    path: &[String],
    reachable: bool,
) -> Result<Mirror, InvalidMirror> {
    let header = name.text().ok_or(InvalidMirror::Place)?.into_owned();
    if !reachable || path.is_empty() {
        return Err(InvalidMirror::Place);
    }
    if header.is_empty() || !header.bytes().all(is_token) {
        return Err(InvalidMirror::Name(header));
    }
    let sorts = ["string", "integer", "boolean"];
    if !schema.get("type").is_some_and(|sort| sorts.iter().any(|known| sort.is(known))) {
        return Err(InvalidMirror::Sort(header));
    }
    Ok(Mirror { header, path: path.to_vec() })
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

impl Mirror {
    /// The whole name of the header.
    pub fn name(&self) -> String {
        format!("{}{}", super::PARAM_PREFIX, self.header.to_ascii_lowercase())
    }

    /// The argument in these arguments, unless absent or null.
    pub fn argument<'a>(&self, arguments: View<'a>) -> Option<View<'a>> {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        arguments.at(&path).filter(|value| value.shape() != Shape::Null)
    }

    /// What to write into the header for these arguments.
    pub fn value(&self, arguments: View<'_>) -> Option<String> {
        let value = self.argument(arguments)?;
        Some(encode(&plain(value)?).into_owned())
    }

    /// Whether a header's decoded value says the same as the argument; numbers are compared as numbers.
    pub fn agrees(value: View<'_>, header: &str) -> bool {
        match value.shape() {
            Shape::Number => {
                let is_number = header.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
                let said = header.parse().ok().or_else(|| whole(header.parse().ok()?)).filter(|_| is_number);
                said.is_some() && said == exact(value)
            }
            _ => plain(value).is_some_and(|text| text == header),
        }
    }
}

/// A string, whole number or boolean as plain text.
fn plain(value: View<'_>) -> Option<Cow<'_, str>> {
    match value.shape() {
        Shape::String => value.text(),
        Shape::Boolean => value.boolean().map(|truth| Cow::Borrowed(if truth { "true" } else { "false" })),
        Shape::Number => Some(Cow::Owned(exact(value)?.to_string())),
        _ => None,
    }
}

/// A whole number that every reader is exact about.
fn exact(value: View<'_>) -> Option<i64> {
    value.integer().or_else(|| whole(value.number()?)).filter(|whole| (-SAFE..=SAFE).contains(whole))
}

/// `1.0` and `1e2` are whole numbers as well.
#[expect(clippy::cast_possible_truncation, reason = "the bound is checked first")]
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(schema: &str) -> Result<Vec<Mirror>, InvalidMirror> {
        mirrors(View::new(schema.as_bytes()))
    }

    #[test]
    fn properties_may_ask_for_headers_at_every_depth_of_objects() {
        let schema = r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
            "o":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}"#;
        let found = of(schema).unwrap();
        assert_eq!(found.len(), 2);
        let arguments = View::new(br#"{"region":"\u00e9","o":{"n":42.0}}"#);
        assert_eq!(found[0].name(), "mcp-param-region");
        assert_eq!(found[0].value(arguments).unwrap(), "=?base64?w6k=?=");
        assert_eq!(found[1].value(arguments).unwrap(), "42");
        assert_eq!(found[1].value(View::new(br#"{"o":{"n":null}}"#)), None);
        assert!(Mirror::agrees(View::new(b"42"), "42.0"));
        assert!(!Mirror::agrees(View::new(b"42"), "43"));
        assert!(!Mirror::agrees(View::new(b"\"42\""), "42.0"));
        assert!(!Mirror::agrees(View::new(b"9007199254740993"), "9007199254740992"));
        for header in ["inf", "nan", "infinity", "1e400", ""] {
            assert!(!Mirror::agrees(View::new(b"1e400"), header), "{header}");
        }
    }

    #[test]
    fn very_many_wishes_are_refused_quickly() {
        let wish = |number: usize| format!(r#""p{number}":{{"type":"string","x-mcp-header":"H{number}"}}"#);
        let schema = |count: usize| {
            format!(r#"{{"properties":{{{}}}}}"#, (0..count).map(wish).collect::<Vec<_>>().join(","))
        };
        assert_eq!(of(&schema(64)).unwrap().len(), 64);
        assert_eq!(of(&schema(65)), Err(InvalidMirror::TooMany));
        let began = std::time::Instant::now();
        assert_eq!(of(&schema(40_000)), Err(InvalidMirror::TooMany));
        assert!(began.elapsed() < std::time::Duration::from_secs(1), "{:?}", began.elapsed());
    }

    #[test]
    fn wishes_that_cannot_be_followed_are_named() {
        let property = |text: &str| format!(r#"{{"properties":{{"a":{text}}}}}"#);
        let twice = r#"{"properties":{"a":{"type":"string","x-mcp-header":"X"},"b":{"type":"string","x-mcp-header":"x"}}}"#;
        assert_eq!(of(twice), Err(InvalidMirror::Twice("x".into())));
        let bad = [r#"{"type":"string","x-mcp-header":"a b"}"#, r#"{"type":"string","x-mcp-header":""}"#];
        assert!(bad.iter().all(|text| matches!(of(&property(text)), Err(InvalidMirror::Name(_)))));
        assert_eq!(
            of(&property(r#"{"type":"number","x-mcp-header":"N"}"#)),
            Err(InvalidMirror::Sort("N".into()))
        );
        let items = r#"{"type":"array","items":{"type":"string","x-mcp-header":"N"}}"#;
        assert_eq!(of(&property(items)), Err(InvalidMirror::Place));
        assert_eq!(of(r#"{"type":"string","x-mcp-header":"N"}"#), Err(InvalidMirror::Place));
    }
}
