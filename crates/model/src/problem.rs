//! A problem in what a person wrote: where, what, and what to do about it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Most problems that one document is told of; whoever made more wants a program, not a list.
pub const MAX_PROBLEMS: usize = 100;

/// Whether a problem stops the write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It does.
    #[default]
    Error,
    /// It does not, but is worth a look.
    Warning,
}

/// A position in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file as the person named it; absent for a request body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// Something wrong with a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Error or warning.
    #[serde(default)]
    pub severity: Severity,
    /// Which document of the request, from 0.
    #[serde(default)]
    pub document: usize,
    /// The field, as a path from the document's root; empty for the document itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Where it was written, when known.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

impl Problem {
    /// An error at `path`.
    pub fn error(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), ..Self::default() }
    }

    /// A warning at `path`.
    pub fn warning(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(path, message) }
    }

    /// With advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// With its position.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Whether it stops the write.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Path and message in one sentence, without place or hint.
    pub fn sentence(&self) -> String {
        if self.path.is_empty() { self.message.clone() } else { format!("{}: {}", self.path, self.message) }
    }
}

/// `servers.yaml:14:3: spec.http: needs url`, the hint on a line of its own.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            if let Some(file) = &place.file {
                write!(f, "{file}:")?;
            } else {
                f.write_str("line ")?;
            }
            write!(f, "{}:{}: ", place.line, place.column)?;
        }
        f.write_str(&self.sentence())?;
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}
