//! The JSON form of a model, as OpenFGA's API carries it; both directions keep every order.

mod node;
mod read;
mod write;

/// The version that every model declares.
const VERSION: &str = "1.1";
/// What stands before a parameter type's word, in capitals.
const TYPE_NAME: &str = "TYPE_NAME_";

/// Why a JSON value is not a model, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct JsonError {
    /// The place in the value: `type_definitions[1].relations.viewer`.
    pub path: String,
    /// What was expected there.
    pub message: String,
}

#[cfg(test)]
mod tests;
