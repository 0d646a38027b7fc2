//! A server on its way from a client's own format to a manifest.

use std::collections::BTreeMap;

/// What every format can say about a server, values still as they were written.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Its name as written.
    pub name: String,
    pub description: String,
    pub reach: Reach,
    /// Variables with their values.
    pub env: BTreeMap<String, String>,
    /// Variables that are passed through or named, without a value.
    pub declared: BTreeMap<String, Declared>,
    /// Headers whose values are in our own spelling already.
    pub headers: BTreeMap<String, String>,
    /// The tools that are enabled; empty means all.
    pub tools: Vec<String>,
    /// Whether `${VAR}` and its kin stand for variables in this format.
    pub interpolates: bool,
    /// What the person should know.
    pub notes: Vec<String>,
}

/// A variable that is declared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    pub secret: bool,
    /// The value it has unless another is given.
    pub default: Option<String>,
}

/// Why something is no server, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub message: String,
    pub hint: Option<String>,
}

impl Refused {
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: Some(hint.into()) }
    }
}

impl From<String> for Refused {
    fn from(message: String) -> Self {
        Self { message, hint: None }
    }
}

impl From<&str> for Refused {
    fn from(message: &str) -> Self {
        message.to_owned().into()
    }
}

/// How a server is reached.
#[derive(Clone, Debug, Default)]
pub enum Reach {
    #[default]
    Nothing,
    Program {
        command: String,
        args: Vec<String>,
        directory: Option<String>,
    },
    Url {
        url: String,
        headers: BTreeMap<String, String>,
        flavour: Option<&'static str>,
    },
}

impl Draft {
    /// Says that a field was left out.
    pub fn ignored(&mut self, field: &str) {
        self.notes.push(format!("server `{}`: `{field}` is ignored", self.name));
    }
}
