//! Names that only some crates may utter: I/O, clocks, the environment, programs and heavy libraries.

use super::Violation;
use super::crates::PURE;
use super::source::{Source, words};
use super::tree::Tree;

/// A name and where it may not stand outside of tests.
struct Ban {
    name: &'static str,
    applies: fn(&Source) -> bool,
    hint: &'static str,
}

const STAY_PURE: &str = "this crate does no I/O and reads no clock; take the value as an argument";

const BANS: &[Ban] = &[
    Ban { name: "tokio", applies: is_pure, hint: STAY_PURE },
    Ban { name: "std::net", applies: is_pure, hint: STAY_PURE },
    Ban { name: "std::fs", applies: is_pure, hint: STAY_PURE },
    Ban { name: "std::process", applies: is_pure, hint: STAY_PURE },
    Ban { name: "SystemTime", applies: is_pure, hint: STAY_PURE },
    Ban { name: "Instant", applies: is_pure, hint: STAY_PURE },
    Ban { name: "sqlx", applies: |source| outside(source, &["storage"]), hint: "only storage names sqlx" },
    Ban {
        name: "tonic",
        applies: |source| outside(source, &["plugin", "control"]),
        hint: "only plugin and control name tonic",
    },
    Ban { name: "rmcp", applies: |source| outside(source, &["mcp"]), hint: "only mcp names rmcp" },
    Ban {
        name: "std::env",
        applies: |source| outside(source, &["app", "testkit", "xtask"]),
        hint: "only app reads the environment; take the value as an argument",
    },
    Ban {
        name: "process::Command",
        applies: may_not_start_programs,
        hint: "only runtime, plugin and the CLI's run.rs start programs",
    },
];

fn is_pure(source: &Source) -> bool {
    PURE.contains(&source.krate())
}

fn outside(source: &Source, owners: &[&str]) -> bool {
    !owners.contains(&source.krate())
}

fn may_not_start_programs(source: &Source) -> bool {
    let cli_run = source.krate() == "cli" && source.file_name() == "run.rs";
    outside(source, &["runtime", "plugin", "testkit", "xtask"]) && !cli_run
}

pub fn check(tree: &Tree) -> Vec<Violation> {
    tree.sources.iter().flat_map(check_source).collect()
}

fn check_source(source: &Source) -> Vec<Violation> {
    let imports = source.imports();
    let mut found = Vec::new();
    for ban in BANS.iter().filter(|ban| (ban.applies)(source)) {
        let written = source.code_lines().filter(|(_, line)| words(line, ban.name).next().is_some());
        let imported = imports.iter().filter(|(_, path)| words(path, ban.name).next().is_some());
        let mut lines: Vec<usize> =
            written.map(|(line, _)| line).chain(imported.map(|(line, _)| *line)).collect();
        lines.sort_unstable();
        lines.dedup();
        lines.retain(|line| !source.is_test(*line));
        found.extend(lines.iter().map(|line| {
            Violation::new(&source.path, *line, format!("`{}` in `{}`", ban.name, source.krate()), ban.hint)
        }));
    }
    found
}
