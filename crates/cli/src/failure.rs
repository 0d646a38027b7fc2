//! Why a command failed: what happened, what to do next, and the exit code that follows.

use model::Problem;

use crate::exit;
use crate::output::{Output, Style};
use crate::problems;

/// The reason, which decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    Input,
    Usage,
    NotFound,
    NotAllowed,
    Conflict,
    Unreachable,
    /// Whoever read the output has seen enough.
    ReaderGone,
}

impl Cause {
    pub const fn code(self) -> u8 {
        match self {
            Self::ReaderGone => exit::DONE,
            Self::Input => exit::INPUT,
            Self::Usage => exit::USAGE,
            Self::NotFound => exit::NOT_FOUND,
            Self::NotAllowed => exit::NOT_ALLOWED,
            Self::Conflict => exit::CONFLICT,
            Self::Unreachable => exit::UNREACHABLE,
        }
    }

    /// The cause behind an HTTP status.
    pub const fn from_status(status: u16) -> Self {
        match status {
            401 | 403 => Self::NotAllowed,
            404 => Self::NotFound,
            409 | 410 | 412 => Self::Conflict,
            400..500 => Self::Input,
            _ => Self::Unreachable,
        }
    }
}

/// A failed command.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// Decides the exit code.
    pub cause: Cause,
    /// What happened.
    pub message: String,
    /// What to do next.
    pub hints: Vec<String>,
    /// Each thing that is wrong, with its place.
    pub problems: Vec<Problem>,
}

impl Failure {
    pub fn new(cause: Cause, message: impl Into<String>) -> Self {
        Self { cause, message: message.into(), hints: Vec::new(), problems: Vec::new() }
    }

    pub fn input(message: impl Into<String>) -> Self {
        Self::new(Cause::Input, message)
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Cause::Usage, message)
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    #[must_use]
    pub fn with_problems(mut self, problems: Vec<Problem>) -> Self {
        self.problems = problems;
        self
    }

    /// Says it to the person.
    pub fn report(&self, output: &mut Output) {
        if self.cause == Cause::ReaderGone {
            return;
        }
        for problem in &self.problems {
            problems::tell(problem, output);
        }
        output.aside(Style::Bad, &format!("error: {}", self.message));
        for hint in &self.hints {
            output.note(&format!("  hint: {hint}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cause;

    #[test]
    fn every_status_has_its_exit_code() {
        for (status, code) in [
            (400, 1),
            (413, 1),
            (415, 1),
            (401, 4),
            (403, 4),
            (404, 3),
            (409, 5),
            (410, 5),
            (412, 5),
            (503, 6),
            (500, 6),
            (301, 6),
        ] {
            assert_eq!(Cause::from_status(status).code(), code, "{status}");
        }
    }
}
