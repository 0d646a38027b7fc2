//! From text to tree: nothing reaches CEL's parser that could exhaust it.

use cel::IdedExpr;

use super::error::CompileError;
use super::scan::{self, Fault};
use super::{environment, limits};

/// Reads an expression, with its macros expanded.
pub(super) fn parse(condition: &str, text: &str) -> Result<IdedExpr, CompileError> {
    let condition = condition.to_owned();
    if text.len() > limits::EXPRESSION_BYTES {
        return Err(CompileError::TooLong { condition, bytes: text.len() });
    }
    match scan::scan(text) {
        Ok(()) => {}
        Err(Fault::TooDeep) => return Err(CompileError::TooDeep { condition }),
        Err(Fault::BadText(at)) => {
            let lines: Vec<_> = text[..at].split('\n').collect();
            let column = lines.last().map_or(0, |line| line.chars().count()) + 1;
            let message = "this quoted text is not complete and well-formed".to_owned();
            return Err(CompileError::Syntax { condition, line: lines.len(), column, message });
        }
    }
    environment::environment().parser().parse(text).map_err(|errors| {
        let first = errors.errors.first();
        let place = |number: Option<isize>| number.and_then(|n| usize::try_from(n).ok()).unwrap_or(1);
        CompileError::Syntax {
            condition,
            line: place(first.map(|error| error.pos.0)),
            column: place(first.map(|error| error.pos.1)),
            message: first.map_or_else(|| "cannot be read".to_owned(), |error| error.msg.clone()),
        }
    })
}
