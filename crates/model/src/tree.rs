//! A document as a tree in which every value knows where it was written.
//!
//! YAML and JSON both become this tree, once, within bounds on size, depth and alias expansion.

mod decode;
mod emit;
mod json;
mod path;
mod yaml;

use serde_json::Number;

use crate::{Place, Problem};

pub use decode::DecodeError;
pub use emit::{is_printable, to_yaml};
pub use path::{child, item};

/// Largest text that is read.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Deepest nesting that is read.
pub const MAX_DEPTH: usize = 64;
/// Most values one text may hold.
pub const MAX_NODES: usize = 4_000_000;
/// Most values that aliases may add to one text.
pub const MAX_ALIASED: usize = 100_000;

/// Line and column, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

impl Position {
    /// As a place in `file`.
    pub fn in_file(self, file: Option<&str>) -> Place {
        Place { file: file.map(str::to_owned), line: self.line, column: self.column }
    }
}

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub at: Position,
    /// What it is.
    pub value: Value,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(Number),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map in the order of writing; keys are unique.
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key was written.
    pub at: Position,
    /// The value.
    pub value: Node,
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// YAML 1.2, any number of documents.
    Yaml,
    /// One JSON value.
    Json,
    /// JSON if it reads as JSON, else YAML.
    Guess,
}

/// Reads every document of a text. Either all of it is sound, or all problems found are returned.
pub fn parse(text: &str, format: Format) -> Result<Vec<Node>, Vec<Problem>> {
    if text.len() > MAX_BYTES {
        let message = format!("{} bytes are more than the limit of {MAX_BYTES}", text.len());
        return Err(vec![Problem::error("", message).hint("split it into several files")]);
    }
    match format {
        Format::Json => json::parse(text).map(|node| vec![node]).map_err(|problem| vec![problem]),
        Format::Guess if text.trim_start().starts_with(['{', '[']) => match json::parse(text) {
            Ok(node) => Ok(vec![node]),
            Err(problem) => yaml::parse(text).map_err(|_| vec![problem]),
        },
        Format::Yaml | Format::Guess => yaml::parse(text),
    }
}

impl Node {
    /// What kind of value it is, for messages.
    pub const fn type_name(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "a truth value",
            Value::Number(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// The value under `key`, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value),
            _ => None,
        }
    }

    /// The value under `key`, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        match &mut self.value {
            Value::Map(entries) => {
                entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.value)
            }
            _ => None,
        }
    }

    /// Gives an entry its newer name, unless that is there too.
    pub fn rename(&mut self, old: &str, new: &str) {
        if self.get(new).is_some() {
            return;
        }
        if let Value::Map(entries) = &mut self.value {
            for entry in entries.iter_mut().filter(|entry| entry.key == old) {
                new.clone_into(&mut entry.key);
            }
        }
    }

    /// Makes everything in it stand at one position, for text that was read out of another text.
    pub fn stand_at(&mut self, at: Position) {
        self.at = at;
        match &mut self.value {
            Value::List(items) => items.iter_mut().for_each(|item| item.stand_at(at)),
            Value::Map(entries) => entries.iter_mut().for_each(|entry| {
                entry.at = at;
                entry.value.stand_at(at);
            }),
            _ => {}
        }
    }

    /// The text, if it is text.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Sets `key` to a text, as if it had been written where the map begins.
    pub fn set_text(&mut self, key: &str, text: &str) {
        let at = self.at;
        if let Value::Map(entries) = &mut self.value {
            let value = Self { at, value: Value::Text(text.to_owned()) };
            match entries.iter_mut().find(|entry| entry.key == key) {
                Some(entry) => entry.value.value = value.value,
                None => entries.push(Entry { key: key.to_owned(), at, value }),
            }
        }
    }

    /// The map under `key`, made empty if it was absent or nothing.
    pub fn map_mut(&mut self, key: &str) -> Option<&mut Self> {
        let at = self.at;
        let Value::Map(entries) = &mut self.value else { return None };
        let index = entries.iter().position(|entry| entry.key == key).unwrap_or_else(|| {
            let value = Self { at, value: Value::Map(Vec::new()) };
            entries.push(Entry { key: key.to_owned(), at, value });
            entries.len() - 1
        });
        Some(&mut entries[index].value)
    }

    /// The same value as plain JSON.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(number) => Json::Number(number.clone()),
            Value::Text(text) => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Map(entries) => {
                Json::Object(entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect())
            }
        }
    }

    /// Plain JSON as a tree without positions.
    pub fn from_json(value: &serde_json::Value) -> Self {
        use serde_json::Value as Json;
        let at = Position::default();
        let value = match value {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => Value::Number(number.clone()),
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(items) => Value::List(items.iter().map(Self::from_json).collect()),
            Json::Object(map) => Value::Map(
                map.iter()
                    .map(|(key, value)| Entry { key: key.clone(), at, value: Self::from_json(value) })
                    .collect(),
            ),
        };
        Self { at, value }
    }
}

#[cfg(test)]
mod tests;
