//! Tuples as people write them: `document:1`, `viewer`, `group:eng#member`. Parsed once here; two texts are equal
//! only if they are the same bytes.

use std::fmt;
use std::str::FromStr;

use crate::condition::Context;

/// Longest `type:id`, as OpenFGA bounds it.
pub const MAX_OBJECT: usize = 256;
/// Longest subject, as OpenFGA bounds it.
pub const MAX_SUBJECT: usize = 512;

/// Why a text is neither an object nor a subject.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not {expected}", text.escape_debug())]
pub struct Malformed {
    text: String,
    expected: &'static str,
}

/// One thing: `document:1`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Object {
    /// Its type.
    pub type_name: String,
    /// Its name among those of its type.
    pub id: String,
}

/// Whom a tuple is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// One thing: `user:anne`.
    Object(Object),
    /// All things of a type: `user:*`.
    Wildcard(String),
    /// All who have a relation to a thing: `group:eng#member`.
    Userset(Object, String),
}

/// A stated relation: `subject` has `relation` to `object`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuple {
    /// To what.
    pub object: Object,
    /// Which relation.
    pub relation: String,
    /// Who has it.
    pub subject: Subject,
    /// Under which condition.
    pub condition: Option<TupleCondition>,
}

/// The condition a tuple carries.
#[derive(Clone, Debug, PartialEq)]
pub struct TupleCondition {
    /// The condition's name.
    pub name: String,
    /// Parameters given with the tuple.
    pub context: Context,
}

impl Object {
    /// `type:id`; neither part is checked against a model.
    pub fn new(type_name: impl Into<String>, id: impl Into<String>) -> Self {
        Self { type_name: type_name.into(), id: id.into() }
    }
}

impl Subject {
    /// The subject's type.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Object(object) | Self::Userset(object, _) => &object.type_name,
            Self::Wildcard(type_name) => type_name,
        }
    }
}

impl Tuple {
    /// A tuple from its three texts, without a condition.
    pub fn parse(object: &str, relation: &str, subject: &str) -> Result<Self, Malformed> {
        if !is_part(relation) {
            return Err(Malformed { text: relation.to_owned(), expected: "the name of a relation" });
        }
        let (object, subject) = (object.parse()?, subject.parse()?);
        Ok(Self { object, relation: relation.to_owned(), subject, condition: None })
    }
}

/// Whether a text can stand between the separators.
fn is_part(text: &str) -> bool {
    let separates = |c: char| matches!(c, ':' | '#') || c.is_whitespace() || c.is_control();
    !text.is_empty() && !text.contains(separates)
}

impl FromStr for Object {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let parts = text.split_once(':').filter(|_| text.len() <= MAX_OBJECT);
        match parts {
            Some((type_name, id)) if is_part(type_name) && is_part(id) && id != "*" => {
                Ok(Self::new(type_name, id))
            }
            _ => Err(Malformed { text: text.to_owned(), expected: "an object such as `document:1`" }),
        }
    }
}

impl FromStr for Subject {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let expected = "a subject such as `user:anne`, `user:*` or `group:eng#member`";
        let malformed = || Malformed { text: text.to_owned(), expected };
        if text.len() > MAX_SUBJECT {
            return Err(malformed());
        }
        match text.split_once('#') {
            Some((object, relation)) if is_part(relation) => {
                let object = object.parse().map_err(|_| malformed())?;
                Ok(Self::Userset(object, relation.to_owned()))
            }
            Some(_) => Err(malformed()),
            None => match text.strip_suffix(":*") {
                Some(type_name) if is_part(type_name) => Ok(Self::Wildcard(type_name.to_owned())),
                _ => text.parse().map(Self::Object).map_err(|_| malformed()),
            },
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.type_name, self.id)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(object) => object.fmt(f),
            Self::Wildcard(type_name) => write!(f, "{type_name}:*"),
            Self::Userset(object, relation) => write!(f, "{object}#{relation}"),
        }
    }
}

impl fmt::Display for Tuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}@{}", self.object, self.relation, self.subject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_have_three_forms() {
        for text in ["user:anne", "user:*", "group:eng#member", "user:a|b", "user:Ünï"] {
            assert_eq!(text.parse::<Subject>().unwrap().to_string(), text);
        }
        assert!(matches!("user:*".parse(), Ok(Subject::Wildcard(_))));
        assert!(matches!("group:eng#member".parse(), Ok(Subject::Userset(..))));
    }

    #[test]
    fn a_separator_inside_a_part_is_refused() {
        for text in [
            "",
            "user",
            "user:",
            ":anne",
            "a:b:c",
            "user:an ne",
            "user:a\nb",
            "group:eng#",
            "group:eng#a#b",
            "group:*#member",
            "group#member",
            "user:\0",
        ] {
            assert!(text.parse::<Subject>().is_err(), "{text:?}");
        }
        assert!("user:*".parse::<Object>().is_err());
        assert!(Tuple::parse("document:1", "view er", "user:anne").is_err());
    }

    #[test]
    fn texts_are_bounded() {
        let fits = format!("user:{}", "a".repeat(MAX_OBJECT - 5));
        assert!(fits.parse::<Object>().is_ok());
        assert!(format!("{fits}a").parse::<Object>().is_err());
        assert_eq!((MAX_OBJECT, MAX_SUBJECT), (256, 512));
    }
}
