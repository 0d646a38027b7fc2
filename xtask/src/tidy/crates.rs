//! The direction of the crates: who may use whom.

use super::Violation;
use super::tree::{Package, Tree};

/// Each crate with the crates of the workspace it may use; `*` stands for all.
const MAY_USE: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("fga", &[]),
    ("access", &["model", "fga"]),
    ("resolve", &["model"]),
    ("mcp", &[]),
    ("storage", &["model"]),
    ("edge", &["model", "access"]),
    ("runtime", &["model", "mcp"]),
    ("plugin", &["model"]),
    ("deliver", &["model", "resolve"]),
    ("control", &["model", "access", "resolve", "storage", "deliver", "edge"]),
    ("gateway", &["model", "access", "resolve", "mcp", "runtime", "plugin", "edge"]),
    ("cli", &["model", "fga", "deliver"]),
    ("app", &["*"]),
    ("testkit", &[]),
    ("xtask", &["testkit"]),
];

/// Heavy libraries, and the only crates that may depend on them outside of tests.
const HEAVY: &[(&str, &[&str])] =
    &[("sqlx", &["storage"]), ("tonic", &["plugin", "control"]), ("rmcp", &["mcp"])];

/// Crates that decide and do nothing else.
pub const PURE: &[&str] = &["model", "fga", "access", "resolve"];

pub fn check(tree: &Tree) -> Vec<Violation> {
    tree.packages.iter().flat_map(|package| check_package(package, &tree.packages)).collect()
}

fn check_package(package: &Package, workspace: &[Package]) -> Vec<Violation> {
    let name = package.name.as_str();
    let mut found = Vec::new();
    let mut report = |what: String, hint| found.push(Violation::new(&package.manifest, 1, what, hint));
    let Some((_, allowed)) = MAY_USE.iter().find(|(known, _)| *known == name) else {
        report(
            format!("crate `{name}` has no place"),
            "add its row to the table in xtask/src/tidy/crates.rs",
        );
        return found;
    };
    for dependency in &package.dependencies {
        let used = dependency.name.as_str();
        let ours = workspace.iter().any(|package| package.name == used);
        let granted =
            allowed.contains(&"*") || allowed.contains(&used) || (dependency.dev && used == "testkit");
        if ours && !granted {
            report(format!("`{name}` may not use `{used}`"), "crates point one way; declare a port instead");
        }
        if ours && used == "testkit" && !dependency.dev && name != "xtask" {
            report(format!("`{name}` ships testkit"), "make it a dev-dependency");
        }
        let heavy = HEAVY.iter().find(|(heavy, _)| *heavy == used);
        if !dependency.dev && heavy.is_some_and(|(_, owners)| !owners.contains(&name)) {
            report(
                format!("`{name}` may not depend on `{used}`"),
                "heavy libraries hang off leaf crates only",
            );
        }
        if !dependency.dev && used == "tokio" && PURE.contains(&name) {
            report(format!("`{name}` may not depend on `tokio`"), "it decides; let its caller act");
        }
    }
    found
}
