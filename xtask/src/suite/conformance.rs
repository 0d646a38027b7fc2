//! The official MCP conformance suite against the fixture program, in both roles and at both revisions.
//!
//! What a revision requires has no excuse; of the rest, `tests/conformance` lists what is known to fail.

mod fixture;
mod lists;
mod verdict;

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::console;

use super::{deadline, npm};
use fixture::Fixture;
use lists::Requirements;

const PACKAGE: &str = "node_modules/@modelcontextprotocol/conformance";
/// The program under test, beside the one that runs this.
const PROGRAM: &str = "examples/conformance";
const PATIENCE: Duration = Duration::from_mins(5);
/// For one scenario, in milliseconds; all clients of a suite start at once.
const SCENARIO_PATIENCE: &str = "60000";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leg {
    Server,
    Client,
}

impl Leg {
    fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }
}

/// One role at one revision of the protocol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suite {
    /// For the stage that runs it.
    pub(super) name: &'static str,
    leg: Leg,
    revision: &'static str,
}

pub(super) const SUITES: [Suite; 4] = [
    Suite { name: "conformance-server-2025", leg: Leg::Server, revision: "2025-11-25" },
    Suite { name: "conformance-server-2026", leg: Leg::Server, revision: "2026-07-28" },
    Suite { name: "conformance-client-2025", leg: Leg::Client, revision: "2025-11-25" },
    Suite { name: "conformance-client-2026", leg: Leg::Client, revision: "2026-07-28" },
];

impl Suite {
    /// Runs the suite with the Node packages of `peers`; its results stay beside the program under test.
    pub(super) fn run(self, root: &Path, peers: &Path) -> Result<()> {
        let (leg, revision) = (self.leg.name(), self.revision);
        let programs = env::current_exe()?.parent().context("a program without a directory")?.to_owned();
        let results = programs.join("conformance-results").join(self.name);
        if results.exists() {
            fs::remove_dir_all(&results)?;
        }
        fs::create_dir_all(&results)?;
        let known = format!("tests/conformance/expected-failures-{leg}-{revision}.yml");
        let mut suite = Command::new(peers.join(npm::NODE));
        suite.arg(peers.join(PACKAGE).join("dist/index.js")).args([leg, "--requirements", revision]);
        suite.arg("--expected-failures").arg(root.join(&known)).arg("-o").arg(&results);
        suite.args(["--timeout", SCENARIO_PATIENCE]);
        let _fixture = self.point_at_program(&mut suite, &programs, &results)?;
        let log = results.join("suite.log");
        let output = File::create(&log)?;
        suite.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        let child = suite.spawn().context("cannot start the conformance suite")?;
        let status = deadline::wait(child, self.name, PATIENCE)?;

        let requirements = read(&peers.join(PACKAGE).join(format!("requirements/{revision}.yaml")))?;
        let requirements = Requirements::parse(&requirements, leg);
        let known_failures = lists::entries(&read(&root.join(&known))?, leg);
        let verdict = verdict::judge(&requirements, &known_failures, &verdict::read(&results, leg)?);
        console::say(&verdict);
        if !verdict.is_clean() || !status.success() {
            bail!("the suite ended with {status}; see {} and {known}", log.display());
        }
        Ok(())
    }

    /// Tells the suite where the server is, or how to start a client.
    fn point_at_program(self, suite: &mut Command, programs: &Path, log: &Path) -> Result<Option<Fixture>> {
        let program = programs.join(PROGRAM);
        if !program.is_file() {
            bail!("{} is not built", program.display());
        }
        if self.leg == Leg::Client {
            // The suite splits the command at spaces, which the path to it may contain.
            suite.current_dir(programs).args(["--command", &format!("{PROGRAM} client")]);
            return Ok(None);
        }
        let fixture = Fixture::start(&program, &log.join("fixture.log"))?;
        suite.args(["--url", fixture.url()]);
        Ok(Some(fixture))
    }
}

fn read(path: &PathBuf) -> Result<String> {
    fs::read_to_string(path).with_context(|| path.display().to_string())
}
