//! The tree's invariants, checked from the manifests and the sources; each violation says what to do.

mod crates;
mod documents;
mod exceptions;
mod leftovers;
mod licences;
mod names;
mod places;
mod shape;
mod size;
mod source;
mod tree;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;

use anyhow::Result;

use tree::Tree;

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    file: String,
    line: usize,
    what: String,
    hint: &'static str,
}

impl Violation {
    fn new(file: &str, line: usize, what: impl Into<String>, hint: &'static str) -> Self {
        Self { file: file.into(), line, what: what.into(), hint }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}; {}", self.file, self.line, self.what, self.hint)
    }
}

/// Everything that is not as it should be below `root`, in the order of files.
pub fn check(root: &Path) -> Result<Vec<Violation>> {
    Ok(violations(&Tree::read(root)?))
}

fn violations(tree: &Tree) -> Vec<Violation> {
    let rules: [fn(&Tree) -> Vec<Violation>; 8] = [
        crates::check,
        names::check,
        size::check,
        shape::check,
        leftovers::check,
        places::check,
        licences::check,
        documents::check,
    ];
    let mut found: Vec<_> = rules.iter().flat_map(|rule| rule(tree)).collect();
    found.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    found
}
