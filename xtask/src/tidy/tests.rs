//! Every rule fires on a small bad sample, and none on the tree itself.

use std::path::Path;

use super::source::Source;
use super::tree::{Dependency, Package, Text, Tree};
use super::{Violation, check, violations};

#[test]
fn the_tree_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let found: Vec<String> = check(root).unwrap().iter().map(Violation::to_string).collect();
    assert!(found.is_empty(), "{} violations:\n{}", found.len(), found.join("\n"));
}

/// A tree that breaks no rule, to add one fault to.
fn clean() -> Tree {
    let deny = Text { path: "deny.toml".into(), text: "allow = [\"MIT\"]".into() };
    Tree { texts: vec![deny], ..Tree::default() }
}

fn with_source(path: &str, text: &str) -> Vec<String> {
    let mut tree = clean();
    tree.sources.push(Source::new(path, text));
    said(&tree)
}

fn with_text(path: &str, text: &str) -> Vec<String> {
    let mut tree = clean();
    tree.texts.push(Text { path: path.into(), text: text.into() });
    said(&tree)
}

fn with_dependency(name: &str, used: &str, dev: bool) -> Vec<String> {
    let mut tree = clean();
    let package = |name: &str| Package {
        name: name.into(),
        manifest: format!("crates/{name}/Cargo.toml"),
        ..Package::default()
    };
    let mut subject = package(name);
    subject.dependencies.push(Dependency { name: used.into(), dev });
    tree.packages = vec![subject];
    if used != name {
        tree.packages.extend(
            ["model", "storage", "cli", "testkit"].into_iter().filter(|known| *known == used).map(package),
        );
    }
    said(&tree)
}

fn said(tree: &Tree) -> Vec<String> {
    violations(tree).iter().map(Violation::to_string).collect()
}

#[track_caller]
fn one(found: &[String], start: &str) {
    assert!(found.len() == 1 && found[0].starts_with(start), "expected `{start}…`, found {found:#?}");
}

#[test]
fn a_clean_sample_is_clean() {
    assert_eq!(said(&clean()), Vec::<String>::new());
    let text = "//! Storage.\nuse sqlx::Row;\n#[cfg(test)]\nmod tests {\n    use std::env;\n}\n";
    assert_eq!(with_source("crates/storage/src/a.rs", text), Vec::<String>::new());
}

#[test]
fn crates_that_point_the_wrong_way_are_found() {
    one(
        &with_dependency("model", "storage", false),
        "crates/model/Cargo.toml:1: `model` may not use `storage`;",
    );
    one(&with_dependency("edge", "storage", true), "crates/edge/Cargo.toml:1: `edge` may not use `storage`;");
    one(
        &with_dependency("novelty", "serde", false),
        "crates/novelty/Cargo.toml:1: crate `novelty` has no place;",
    );
    one(&with_dependency("cli", "sqlx", false), "crates/cli/Cargo.toml:1: `cli` may not depend on `sqlx`;");
    one(
        &with_dependency("access", "tokio", false),
        "crates/access/Cargo.toml:1: `access` may not depend on `tokio`;",
    );
    one(&with_dependency("app", "testkit", false), "crates/app/Cargo.toml:1: `app` ships testkit;");
    assert_eq!(with_dependency("storage", "testkit", true), Vec::<String>::new());
    assert_eq!(with_dependency("storage", "model", false), Vec::<String>::new());
    assert_eq!(with_dependency("gateway", "rmcp", true), Vec::<String>::new());
}

#[test]
fn names_in_the_wrong_crate_are_found() {
    let cases = [
        ("model/src/a.rs", "use std::time::Instant;", "`Instant` in `model`"),
        ("model/src/a.rs", "use std::{collections::HashMap, fs};", "`std::fs` in `model`"),
        ("access/src/a.rs", "async fn f() { tokio::spawn(x) }", "`tokio` in `access`"),
        ("edge/src/a.rs", "use sqlx::Row;", "`sqlx` in `edge`"),
        ("edge/src/a.rs", "use tonic::Request;", "`tonic` in `edge`"),
        ("gateway/src/a.rs", "use rmcp::model;", "`rmcp` in `gateway`"),
        ("cli/src/a.rs", "fn f() { std::env::var(x) }", "`std::env` in `cli`"),
        ("cli/src/a.rs", "use std::{env, fmt};", "`std::env` in `cli`"),
        ("cli/src/a.rs", "use tokio::process::Command;", "`process::Command` in `cli`"),
        ("app/src/a.rs", "use std::process::{Command, Stdio};", "`process::Command` in `app`"),
    ];
    for (path, code, what) in cases {
        let path = format!("crates/{path}");
        one(&with_source(&path, &format!("//! A.\n{code}\n")), &format!("{path}:2: {what};"));
    }
    for path in ["crates/cli/src/run.rs", "crates/storage/examples/a.rs", "crates/edge/tests/a.rs"] {
        assert_eq!(with_source(path, "//! A.\nuse std::process::Command;\n"), Vec::<String>::new());
    }
}

#[test]
fn long_files_and_functions_are_found() {
    let long = format!("//! A.\n{}", "const A: u8 = 1;\n".repeat(400));
    one(
        &with_source("crates/model/src/a.rs", &long),
        "crates/model/src/a.rs:1: 401 lines without tests, 400 allowed;",
    );
    assert_eq!(with_source("crates/model/src/a/tests.rs", &long), Vec::<String>::new());
    let longer = format!("//! A.\n{}", "const A: u8 = 1;\n".repeat(600));
    one(&with_source("crates/model/tests/a.rs", &longer), "crates/model/tests/a.rs:1: 601 lines");
    let function = format!("//! A.\nfn f(x: [u8; 2]) {{\n{}}}\n", "    g();\n".repeat(59));
    one(
        &with_source("crates/model/src/a.rs", &function),
        "crates/model/src/a.rs:2: `f` has 61 lines, 60 allowed;",
    );
}

#[test]
fn badly_named_and_headless_files_are_found() {
    one(&with_source("crates/model/src/a/mod.rs", "//! A.\n"), "crates/model/src/a/mod.rs:1: `mod.rs`;");
    one(
        &with_source("crates/model/src/utils.rs", "//! A.\n"),
        "crates/model/src/utils.rs:1: a file or folder named `utils`;",
    );
    one(
        &with_source("crates/model/src/a.rs", "//! A.\npub mod types {}\n"),
        "crates/model/src/a.rs:2: a module named `types`;",
    );
    one(
        &with_source("crates/model/src/a.rs", "fn f() {}\n"),
        "crates/model/src/a.rs:1: no `//!` at the beginning;",
    );
}

#[test]
fn leftovers_are_found() {
    let cases = [
        ("fn f() { todo!() }", "`todo!`"),
        ("fn f() { unimplemented!() }", "`unimplemented!`"),
        ("fn f() { dbg!(1); }", "`dbg!`"),
        ("#[ignore = \"slow\"] fn f() {}", "`#[ignore`"),
        ("// TODO: later", "`TODO`"),
        ("/* FIXME */", "`FIXME`"),
        ("/// XXX", "`XXX`"),
    ];
    for (line, what) in cases {
        let found = with_source("crates/model/src/a.rs", &format!("//! A.\n{line}\n"));
        one(&found, &format!("crates/model/src/a.rs:2: {what};"));
    }
    let harmless = "//! A.\nconst A: &str = \"todo!() TODO\"; // TODOs are not allowed\n";
    assert_eq!(with_source("crates/model/src/a.rs", harmless), Vec::<String>::new());
}

#[test]
fn places_of_one_machine_are_found() {
    one(&with_text("docs/a.md", "see /home/me/x"), "docs/a.md:1: absolute path `/home/`;");
    one(&with_text("Makefile", "x:\n\tcd /root && y"), "Makefile:2: absolute path `/root`;");
    one(&with_text("a.toml", "dir = \"/work/main\""), "a.toml:1: absolute path `/work/`;");
    one(
        &with_text("tests/requirements.lock", "--index-url https://pypi.org/simple"),
        "tests/requirements.lock:1: registry host `pypi.org`;",
    );
    assert_eq!(with_text("docs/a.md", "$HOME/home/work and docs/work/x, api/rooted"), Vec::<String>::new());
}

#[test]
fn licences_outside_the_list_are_found() {
    let mut tree = clean();
    tree.resolved = [("fine", Some("MIT OR GPL-3.0")), ("viral", Some("GPL-3.0")), ("silent", None)]
        .map(|(name, licence)| Package {
            name: name.into(),
            licence: licence.map(Into::into),
            ..Package::default()
        })
        .into();
    let found = said(&tree);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].starts_with("Cargo.lock:1: `viral` is licensed `GPL-3.0`;"), "{found:#?}");
    one(&said(&Tree::default()), "deny.toml:1: missing;");
}

#[test]
fn documents_that_lose_their_measure_are_found() {
    let readme = "```\nmake run\nmake test\ncargo install x\n```\n";
    one(&with_text("README.md", readme), "README.md:4: set-up command `cargo install x`;");
    one(
        &with_text("README.md", "```\nmake run\n```\nmake test\n"),
        "README.md:1: `make test` is shown 0 times",
    );
    assert_eq!(with_text("README.md", "```sh\n$ make run  # starts\nmake test\n```"), Vec::<String>::new());
    one(&with_text("ARCHITECTURE.md", &"line\n".repeat(201)), "ARCHITECTURE.md:201: 201 lines, 200 allowed;");
    let lock = "name = \"libsqlite3-sys\"\nversion = \"0.38.0\"\n";
    one(&with_text("Cargo.lock", lock), "Cargo.lock:1: libsqlite3-sys is not 0.37.0;");
}
