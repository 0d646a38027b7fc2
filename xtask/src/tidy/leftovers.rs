//! Things left for later that nobody would come back to.

use super::Violation;
use super::source::{Source, words};
use super::tree::Tree;

const CODE: &[(&str, &str)] = &[
    ("todo!", "write it, or return an error that says it is not there yet"),
    ("unimplemented!", "write it, or return an error that says it is not there yet"),
    ("dbg!", "remove it, or use tracing"),
    ("#[ignore", "fix the test, or let it call testkit::skip with a reason"),
];

const COMMENTS: &[&str] = &["TODO", "FIXME", "XXX"];

pub fn check(tree: &Tree) -> Vec<Violation> {
    tree.sources.iter().flat_map(check_source).collect()
}

fn check_source(source: &Source) -> Vec<Violation> {
    let mut found = Vec::new();
    for (line, code) in source.code_lines() {
        for (name, hint) in CODE.iter().filter(|(name, _)| code.contains(name)) {
            found.push(Violation::new(&source.path, line, format!("`{name}`"), hint));
        }
    }
    for (index, comment) in source.comments.lines().enumerate() {
        for word in COMMENTS.iter().filter(|word| words(comment, word).next().is_some()) {
            let hint = "do it now, or open an issue and leave the comment out";
            found.push(Violation::new(&source.path, index + 1, format!("`{word}`"), hint));
        }
    }
    found
}
