//! Files and functions that grew too long to read.

use super::Violation;
use super::exceptions::{Rule, covers};
use super::source::{Source, item_end, line_of, words};
use super::tree::Tree;

const FILE: usize = 400;
const TEST_FILE: usize = 600;
const FUNCTION: usize = 60;
/// A test tells its whole story in one place.
const TEST_FUNCTION: usize = 120;

pub fn check(tree: &Tree) -> Vec<Violation> {
    tree.sources.iter().flat_map(|source| file(source).into_iter().chain(functions(source))).collect()
}

fn file(source: &Source) -> Option<Violation> {
    let (length, limit) = if source.is_test_file() {
        (source.text.lines().count(), TEST_FILE)
    } else {
        (source.length_without_tests(), FILE)
    };
    (length > limit && !covers(Rule::FileLength, &source.path)).then(|| {
        let what = format!("{length} lines without tests, {limit} allowed");
        Violation::new(&source.path, 1, what, "split the file by what it tells")
    })
}

fn functions(source: &Source) -> Vec<Violation> {
    let code = source.code.as_str();
    if covers(Rule::FunctionLength, &source.path) {
        return Vec::new();
    }
    words(code, "fn")
        .filter(|at| code[at + 2..].starts_with(' '))
        .filter_map(|at| {
            let (end, block) = item_end(code, at);
            block?;
            let first = line_of(code, at);
            let length = line_of(code, end - 1) - first + 1;
            let limit = if source.is_test(first) { TEST_FUNCTION } else { FUNCTION };
            let name: String =
                code[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            (length > limit).then(|| {
                let what = format!("`{name}` has {length} lines, {limit} allowed");
                Violation::new(&source.path, first, what, "a function fits a screen; name its steps")
            })
        })
        .collect()
}
