//! Names of places that exist on one machine only: somebody's directories, and package registries.

use super::Violation;
use super::exceptions::{Rule, covers};
use super::tree::{Text, Tree};

const DIRECTORIES: &[&str] = &["/root", "/home/", "/work/"];
const HOSTS: &[&str] =
    &["index.crates.io", "static.crates.io", "crates.io-index", "pypi.org", "pythonhosted.org", "npmjs.org"];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let held = tree.texts.iter().filter(|text| !covers(Rule::Place, &text.path));
    held.flat_map(check_text).collect()
}

fn check_text(text: &Text) -> Vec<Violation> {
    let mut found = Vec::new();
    for (index, line) in text.text.lines().enumerate() {
        for name in DIRECTORIES.iter().filter(|name| names_directory(line, name)) {
            let hint = "write it relative to the repository or to $HOME";
            found.push(Violation::new(&text.path, index + 1, format!("absolute path `{name}`"), hint));
        }
        for host in HOSTS.iter().filter(|host| line.contains(*host)) {
            let hint = "leave the choice of a registry to the tool's own settings";
            found.push(Violation::new(&text.path, index + 1, format!("registry host `{host}`"), hint));
        }
    }
    found
}

/// Whether the directory stands there as the beginning of a path, not as a part of another.
fn names_directory(line: &str, name: &str) -> bool {
    let continues = |character: char| character.is_alphanumeric() || "_-.}*~".contains(character);
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + name.len()..].chars().next();
        !before.is_some_and(continues) && (name.ends_with('/') || !after.is_some_and(continues))
    })
}
