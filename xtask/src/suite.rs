//! Everything CI runs, stage by stage; a failed stage stops only those that need it.

mod cache;
mod cargo;
mod cluster;
mod conformance;
mod deadline;
mod endurance;
mod npm;
mod peers;
mod prerequisites;
mod schemathesis;
mod stages;
mod tally;
mod venv;

use std::env;
use std::path::Path;

use anyhow::Context;

use crate::console;
use peers::{Peers, Pending};
use stages::Stages;

/// Runs all stages; `true` when nothing failed. The last line printed is the tally.
pub fn run(root: &Path) -> bool {
    staged(|stages| run_all(root, stages))
}

/// Runs the official conformance suite only; the program under test has to be built.
pub fn conformance(root: &Path) -> bool {
    staged(|stages| {
        let peers = collect(peers::prepare(root), stages);
        run_conformance(root, &peers, stages);
    })
}

/// Runs only the tests that talk to other people's clients and servers: the programs `tests/interop*`.
pub fn interop(root: &Path) -> bool {
    staged(|stages| {
        let peers = peers::prepare(root);
        let fixture = ["build", "--profile", "ci", "-p", "mcp", "--example", "conformance"];
        stages.run("build", |_| cargo::run(root, &fixture));
        let peers = collect(peers, stages);
        stages.run("interop", |tally| cargo::test(root, &["--test", "interop*"], peers.variables(), tally));
    })
}

fn staged(work: impl FnOnce(&mut Stages)) -> bool {
    let mut stages = Stages::new(console::say);
    // What is missing is said here; the stages that do without it still have something to tell.
    stages.run("prerequisites", |_| prerequisites::ensure());
    work(&mut stages);
    stages.print_times();
    stages.tally.print();
    stages.tally.is_clean()
}

fn run_all(root: &Path, stages: &mut Stages) {
    let (venv, pending) = (venv::prepare(root, venv::TOOLS), peers::prepare(root));
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
    let peers = collect(pending, stages);
    let url = cluster.as_ref().map(|cluster| (cargo::CLUSTER, cluster.url.clone().into()));
    let variables = peers.variables().into_iter().chain(url).collect();
    stages.run("tests", |tally| cargo::test(root, &[], variables, tally));
    if !built {
        console::say("not run without a build: schemathesis, conformance, torture, bench");
        return;
    }
    stages.test("schemathesis", || {
        let venv = venv.join().ok().context("the thread that makes the virtual environment panicked")?;
        schemathesis::run(&venv?)
    });
    run_conformance(root, &peers, stages);
    if env::var("CI").is_ok_and(|value| value == "true") {
        stages.test("torture-short", || endurance::run("testkit", &["torture", "--kills", "200"]));
        stages.test("bench-short", || {
            endurance::run("testkit", &["bench", "--short"])?;
            endurance::run("examples/figures", &["--short"])?;
            endurance::run("examples/wire_figures", &["--short"])
        });
        stages.test("fuzz-short", || {
            endurance::run("examples/fuzz", &["10"])?;
            endurance::run("examples/wire_fuzz", &["10"])
        });
    }
}

fn collect(pending: Pending, stages: &mut Stages) -> Peers {
    let mut peers = Peers::default();
    stages.run("peers", |_| pending.collect(&mut peers));
    peers
}

fn run_conformance(root: &Path, peers: &Peers, stages: &mut Stages) {
    for suite in conformance::SUITES {
        stages.test(suite.name, || suite.run(root, peers.node().context("the suite is not installed")?));
    }
}
