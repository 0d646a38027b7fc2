//! Why a condition cannot be compiled or evaluated; no failure is ever an answer.

use thiserror::Error;

use super::limits;

/// Why a condition's definition is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CompileError {
    /// The text exceeds [`limits::EXPRESSION_BYTES`].
    #[error(
        "condition `{condition}`: the expression has {bytes} bytes, at most {} are allowed",
        limits::EXPRESSION_BYTES
    )]
    TooLong {
        /// The condition.
        condition: String,
        /// How long it is.
        bytes: usize,
    },
    /// The tree exceeds [`limits::EXPRESSION_DEPTH`].
    #[error("condition `{condition}`: the expression nests deeper than {} levels", limits::EXPRESSION_DEPTH)]
    TooDeep {
        /// The condition.
        condition: String,
    },
    /// The tree exceeds [`limits::EXPRESSION_NODES`].
    #[error("condition `{condition}`: the expression has more than {} parts", limits::EXPRESSION_NODES)]
    TooManyNodes {
        /// The condition.
        condition: String,
    },
    /// Comprehensions exceed [`limits::COMPREHENSION_DEPTH`].
    #[error(
        "condition `{condition}`: `all`, `exists`, `map` and `filter` nest deeper than {} levels",
        limits::COMPREHENSION_DEPTH
    )]
    ComprehensionsTooDeep {
        /// The condition.
        condition: String,
    },
    /// The text is not CEL.
    #[error("condition `{condition}`: line {line}, column {column}: {message}")]
    Syntax {
        /// The condition.
        condition: String,
        /// The line within the expression, from 1.
        line: usize,
        /// The column within the line, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// Names that are neither parameters nor bound by a macro.
    #[error("condition `{condition}`: undeclared `{}`", identifiers.join("`, `"))]
    Undeclared {
        /// The condition.
        condition: String,
        /// The names, in the order they appear.
        identifiers: Vec<String>,
    },
    /// A call of something that does not exist.
    #[error("condition `{condition}`: there is no function `{function}`")]
    UnknownFunction {
        /// The condition.
        condition: String,
        /// The name called.
        function: String,
    },
    /// A part of CEL that conditions do not have.
    #[error("condition `{condition}`: {construct} cannot be used in a condition")]
    Unsupported {
        /// The condition.
        condition: String,
        /// What it is.
        construct: &'static str,
    },
    /// A parameter whose name an expression could not refer to, or declared twice.
    #[error("condition `{condition}`: a parameter cannot be called `{parameter}`: {reason}")]
    ParameterName {
        /// The condition.
        condition: String,
        /// The name.
        parameter: String,
        /// Why not.
        reason: &'static str,
    },
    /// A pattern that is not a regular expression, or too heavy a one.
    #[error("condition `{condition}`: the pattern `{pattern}` {reason}")]
    Pattern {
        /// The condition.
        condition: String,
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The expression cannot yield true or false.
    #[error("condition `{condition}`: the expression must yield a bool")]
    NotBool {
        /// The condition.
        condition: String,
    },
}

/// Why a condition has no answer for a context.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EvaluationError {
    /// A value is not of its parameter's type.
    #[error("parameter `{parameter}` must be a value of type {expected}")]
    Parameter {
        /// The parameter.
        parameter: String,
        /// Its declared type.
        expected: String,
    },
    /// A tuple's context has a key that the condition does not declare.
    #[error("condition `{condition}` has no parameter `{parameter}`")]
    Undeclared {
        /// The condition.
        condition: String,
        /// The key.
        parameter: String,
    },
    /// The answer depends on parameters that neither context gives.
    #[error("condition `{condition}` needs `{}`", parameters.join("`, `"))]
    Missing {
        /// The condition.
        condition: String,
        /// The parameters the expression names and nobody gave, in the order declared.
        parameters: Vec<String>,
    },
    /// A value is larger than a context may hold.
    #[error("parameter `{parameter}` {reason}")]
    TooLarge {
        /// The parameter.
        parameter: String,
        /// Which bound it exceeds.
        reason: &'static str,
    },
    /// The evaluation could take more than [`limits::EVALUATION_STEPS`] steps.
    #[error("condition `{condition}` is too costly to evaluate for this context")]
    TooCostly {
        /// The condition.
        condition: String,
    },
    /// The expression yields something else than true or false.
    #[error("condition `{condition}` yields a value of type {found}, not a bool")]
    NotBool {
        /// The condition.
        condition: String,
        /// The type it yields.
        found: String,
    },
    /// The expression fails, as a division by zero does.
    #[error("condition `{condition}`: {reason}")]
    Failed {
        /// The condition.
        condition: String,
        /// What went wrong, without the values involved.
        reason: String,
    },
}
