//! Everything CI runs, stage by stage; a failed stage stops only those that need it.

mod cargo;
mod cluster;
mod endurance;
mod prerequisites;
mod schemathesis;
mod stages;
mod tally;
mod venv;

use std::env;
use std::path::Path;

use anyhow::Context;

use crate::console;
use stages::Stages;

/// Runs all stages; `true` when nothing failed. The last line printed is the tally.
pub fn run(root: &Path) -> bool {
    let mut stages = Stages::new(console::say);
    // What is missing is said here; the stages that do without it still have something to tell.
    stages.run("prerequisites", |_| prerequisites::ensure());
    run_all(root, &mut stages);
    stages.print_times();
    stages.tally.print();
    stages.tally.is_clean()
}

fn run_all(root: &Path, stages: &mut Stages) {
    let venv = venv::prepare(root);
    stages.run("fmt", |_| cargo::run(root, &["fmt", "--all", "--check"]));
    let lint = ["clippy", "--profile", "ci", "--workspace", "--all-targets", "--", "-D", "warnings"];
    stages.run("lint", |_| cargo::run(root, &lint));
    let everything = ["build", "--profile", "ci", "--workspace", "--all-targets"];
    let built = stages.run("build", |_| cargo::run(root, &everything));
    let mut cluster = None;
    stages.run("postgresql", |_| {
        cluster = Some(cluster::start()?);
        Ok(())
    });
    let url = cluster.as_ref().map(|cluster| cluster.url.as_str());
    stages.run("tests", |tally| cargo::test(root, url, tally));
    if !built {
        console::say("not run without a build: schemathesis, torture, bench");
        return;
    }
    stages.test("schemathesis", || {
        let venv = venv.join().ok().context("the thread that makes the virtual environment panicked")?;
        schemathesis::run(&venv?)
    });
    if env::var("CI").is_ok_and(|value| value == "true") {
        stages.test("torture-short", || endurance::run("testkit", &["torture", "--kills", "200"]));
        stages.test("bench-short", || {
            endurance::run("testkit", &["bench", "--short"])?;
            endurance::run("examples/figures", &["--short"])
        });
        stages.test("fuzz-short", || endurance::run("examples/fuzz", &["10"]));
    }
}
