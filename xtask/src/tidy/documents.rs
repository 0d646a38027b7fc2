//! The first pages a newcomer reads, and the one dependency that must stay where it is.

use super::Violation;
use super::tree::Tree;

const ARCHITECTURE: usize = 200;

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = readme(tree.text("README.md").unwrap_or("```\nmake run\nmake test\n```"));
    let lines = tree.text("ARCHITECTURE.md").map_or(0, |text| text.lines().count());
    if lines > ARCHITECTURE {
        let what = format!("{lines} lines, {ARCHITECTURE} allowed");
        found.push(Violation::new("ARCHITECTURE.md", ARCHITECTURE + 1, what, "move details beside the code"));
    }
    if tree
        .text("Cargo.lock")
        .is_some_and(|lock| !lock.contains("name = \"libsqlite3-sys\"\nversion = \"0.37.0\"\n"))
    {
        let hint = "run `cargo update -p libsqlite3-sys --precise 0.37.0`";
        found.push(Violation::new("Cargo.lock", 1, "libsqlite3-sys is not 0.37.0", hint));
    }
    found
}

/// The set-up of the README is `make run` and `make test`, and nothing else.
fn readme(text: &str) -> Vec<Violation> {
    const FILE: &str = "README.md";
    const WANTED: [&str; 2] = ["make run", "make test"];
    let mut found = Vec::new();
    let mut seen = [0; WANTED.len()];
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        let command = line.trim().trim_start_matches("$ ").split(" #").next().unwrap_or_default().trim();
        if command.starts_with("```") {
            fenced = !fenced;
        } else if let Some(place) = WANTED.iter().position(|wanted| fenced && *wanted == command) {
            seen[place] += 1;
        } else if fenced && is_set_up(command) {
            let what = format!("set-up command `{command}`");
            found.push(Violation::new(FILE, index + 1, what, "`make run` and `make test` do all the set-up"));
        }
    }
    for (command, times) in WANTED.iter().zip(seen).filter(|(_, times)| *times != 1) {
        let what = format!("`{command}` is shown {times} times in code blocks");
        found.push(Violation::new(FILE, 1, what, "show each of the two set-up commands once"));
    }
    found
}

fn is_set_up(command: &str) -> bool {
    let command = command.strip_prefix("sudo ").unwrap_or(command);
    ["make ", "cargo ", "apt", "pip", "rustup ", "git clone", "docker "]
        .iter()
        .any(|start| command.starts_with(start))
}
