//! A JSON value that knows its path, so that every error names its place.

use serde_json::{Map, Value};

use super::JsonError;

/// Fields that OpenFGA adds for its own use, and that mean nothing here.
const IGNORED: [&str; 3] = ["id", "module", "source_info"];

/// A value and where it stands; the root has an empty path.
#[derive(Clone)]
pub(super) struct Node<'a> {
    value: &'a Value,
    path: String,
}

impl<'a> Node<'a> {
    pub(super) fn root(value: &'a Value) -> Self {
        Self { value, path: String::new() }
    }

    pub(super) fn error(&self, message: impl Into<String>) -> JsonError {
        let path = if self.path.is_empty() { "model".to_owned() } else { self.path.clone() };
        JsonError { path, message: message.into() }
    }

    /// Refuses fields other than `known`: one misspelt would silently change who may do what.
    pub(super) fn known(&self, known: &[&str]) -> Result<(), JsonError> {
        for (name, _) in self.object()? {
            if !known.contains(&name.as_str()) && !IGNORED.contains(&name.as_str()) {
                return Err(self.at(name).error("unknown field"));
            }
        }
        Ok(())
    }

    /// A field; `null` is as good as none.
    pub(super) fn field(&self, name: &str) -> Result<Option<Self>, JsonError> {
        Ok(self.object()?.get(name).filter(|value| !value.is_null()).map(|value| self.child(name, value)))
    }

    pub(super) fn required(&self, name: &str) -> Result<Self, JsonError> {
        self.field(name)?.ok_or_else(|| self.error(format!("`{name}` is missing")))
    }

    /// A text that says nothing when it is empty, as protobuf writes it.
    pub(super) fn optional_text(&self, name: &str) -> Result<Option<String>, JsonError> {
        let text = self.field(name)?.map(|field| field.text()).transpose()?;
        Ok(text.filter(|text| !text.is_empty()).map(str::to_owned))
    }

    pub(super) fn text(&self) -> Result<&'a str, JsonError> {
        self.value.as_str().ok_or_else(|| self.error(format!("expected text, found {}", self.kind())))
    }

    pub(super) fn items(&self) -> Result<impl Iterator<Item = Self>, JsonError> {
        let items = self.value.as_array();
        let items = items.ok_or_else(|| self.error(format!("expected a list, found {}", self.kind())))?;
        let path = &self.path;
        Ok(items
            .iter()
            .enumerate()
            .map(move |(index, value)| Self { value, path: format!("{path}[{index}]") }))
    }

    /// The fields of an object, with their names, `null` ones left out.
    pub(super) fn fields(&self) -> Result<impl Iterator<Item = (&'a str, Self)>, JsonError> {
        let fields = self.object()?.iter().filter(|(_, value)| !value.is_null());
        Ok(fields.map(|(name, value)| (name.as_str(), self.child(name, value))))
    }

    fn object(&self) -> Result<&'a Map<String, Value>, JsonError> {
        self.value.as_object().ok_or_else(|| self.error(format!("expected an object, found {}", self.kind())))
    }

    fn at(&self, name: &str) -> Self {
        self.child(name, self.value)
    }

    fn child(&self, name: &str, value: &'a Value) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        Self { value, path: format!("{}{dot}{name}", self.path) }
    }

    fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        }
    }
}
