//! How the types of a condition's parameters are spelled; both texts of a model use these words.

use super::ParameterType;

/// A container's type, from the type of its items.
pub(super) type Container = fn(Box<ParameterType>) -> ParameterType;

impl ParameterType {
    /// The word of the language: `int`, or `list` for any list.
    pub(super) fn keyword(&self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Bool => "bool",
            Self::String => "string",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::Duration => "duration",
            Self::Timestamp => "timestamp",
            Self::IpAddress => "ipaddress",
            Self::Map(_) => "map",
            Self::List(_) => "list",
        }
    }

    /// The type without items that a word names.
    pub(super) fn simple(word: &str) -> Option<Self> {
        Some(match word {
            "any" => Self::Any,
            "bool" => Self::Bool,
            "string" => Self::String,
            "int" => Self::Int,
            "uint" => Self::Uint,
            "double" => Self::Double,
            "duration" => Self::Duration,
            "timestamp" => Self::Timestamp,
            "ipaddress" => Self::IpAddress,
            _ => return None,
        })
    }

    /// The type with items that a word names.
    pub(super) fn container(word: &str) -> Option<Container> {
        match word {
            "map" => Some(Self::Map),
            "list" => Some(Self::List),
            _ => None,
        }
    }

    /// The type of the items of a map or a list.
    pub(super) fn items(&self) -> Option<&Self> {
        match self {
            Self::Map(items) | Self::List(items) => Some(items),
            _ => None,
        }
    }
}
