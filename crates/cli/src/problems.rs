//! Problems of many files as a person reads them: sorted by place, with a summary that says what was changed.

use model::{Place, Problem};

use crate::failure::Failure;
use crate::output::Output;

/// Sorts by file, then line, then column; what has no place comes first within its document.
pub fn sort(problems: &mut Vec<Problem>) {
    let place = |problem: &Problem| {
        let Place { file, line, column } = problem.place.clone().unwrap_or_default();
        (file, line, column)
    };
    problems.sort_by_key(place);
    problems.dedup();
}

/// The failure that errors make together; none if there is only cause for warnings.
pub fn refuse(mut problems: Vec<Problem>) -> Failure {
    sort(&mut problems);
    let count = problems.iter().filter(|problem| problem.is_error()).count();
    let noun = if count == 1 { "problem" } else { "problems" };
    Failure::input(format!("{count} {noun}; nothing was changed")).with_problems(problems)
}

/// Shows warnings beside the result.
pub fn warn(mut problems: Vec<Problem>, output: &mut Output) {
    sort(&mut problems);
    for problem in problems {
        tell(&problem, output);
    }
}

/// A problem on a line of its own, its hint on the next; data in either breaks no line.
pub fn tell(problem: &Problem, output: &mut Output) {
    let label = if problem.is_error() { "" } else { "warning: " };
    output.note(&format!("{label}{}", Problem { hint: None, ..problem.clone() }));
    if let Some(hint) = &problem.hint {
        output.note(&format!("  hint: {hint}"));
    }
}

/// A problem of a whole file.
pub fn in_file(file: &str, message: impl Into<String>) -> Problem {
    let place = Place { file: Some(file.to_owned()), line: 1, column: 1 };
    Problem::error("", message).at(place)
}
