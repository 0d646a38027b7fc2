//! How files are named and how they begin.

use super::Violation;
use super::source::{Source, words};
use super::tree::Tree;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] = &["util", "utils", "common", "helper", "helpers", "types", "manager"];

pub fn check(tree: &Tree) -> Vec<Violation> {
    tree.sources.iter().flat_map(check_source).collect()
}

fn check_source(source: &Source) -> Vec<Violation> {
    const HINT: &str = "name it after what it is for";
    let mut found = Vec::new();
    if source.file_name() == "mod.rs" {
        found.push(Violation::new(&source.path, 1, "`mod.rs`", "use `foo.rs` beside `foo/`"));
    }
    let mut parts = source.path.split('/').map(|part| part.trim_end_matches(".rs"));
    if let Some(part) = parts.find(|part| EMPTY_NAMES.contains(part)) {
        found.push(Violation::new(&source.path, 1, format!("a file or folder named `{part}`"), HINT));
    }
    for (line, code) in source.code_lines() {
        let name = words(code, "mod").next().and_then(|at| code[at + 3..].split([' ', ';', '{']).nth(1));
        if let Some(name) = name.filter(|name| EMPTY_NAMES.contains(name)) {
            found.push(Violation::new(&source.path, line, format!("a module named `{name}`"), HINT));
        }
    }
    if !source.text.starts_with("//!") {
        let hint = "begin with `//!` and one sentence on what the file is for";
        found.push(Violation::new(&source.path, 1, "no `//!` at the beginning", hint));
    }
    found
}
