//! `status`: whether a stored resource passes the rules of the binary that reads it.

use serde::{Deserialize, Serialize};

use crate::Problem;

/// Whether a definition was looked at, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValidationState {
    /// Not looked at.
    #[serde(rename = "VALIDATION_STATE_UNSPECIFIED")]
    Unspecified,
    /// Passes.
    #[serde(rename = "VALIDATION_STATE_VALID")]
    Valid,
    /// Fails; the message says why.
    #[serde(rename = "VALIDATION_STATE_INVALID")]
    Invalid,
}

/// The observed state of a definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Whether it is valid.
    pub validation_state: ValidationState,
    /// Why not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub validation_message: String,
}

impl Status {
    /// The status that these problems make.
    pub fn from_problems(problems: &[Problem]) -> Self {
        let errors: Vec<String> =
            problems.iter().filter(|problem| problem.is_error()).map(Problem::sentence).collect();
        if errors.is_empty() {
            return Self { validation_state: ValidationState::Valid, validation_message: String::new() };
        }
        Self { validation_state: ValidationState::Invalid, validation_message: errors.join("; ") }
    }
}
