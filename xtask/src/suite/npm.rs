//! Node packages as their lock file names them, with a Node that is new enough for all of them.

use std::env::consts::ARCH;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result};

use super::cache;

/// Node, below the directory that holds `node_modules`.
pub(super) const NODE: &str = "bin/node";

/// Begins to install the packages of a directory in the background, beside cargo's work.
pub(super) fn prepare(root: &Path, packages: &str) -> JoinHandle<Result<PathBuf>> {
    let packages = root.join(packages);
    thread::spawn(move || {
        let lock = packages.join("package-lock.json");
        cache::kept(&cache::place()?, "node", &lock, |directory| fill(directory, &packages))
    })
}

fn fill(directory: &Path, packages: &Path) -> Result<()> {
    for name in ["package.json", "package-lock.json"] {
        let from = packages.join(name);
        fs::copy(&from, directory.join(name)).with_context(|| from.display().to_string())?;
    }
    // The system's Node only unpacks: what it is too old for runs with the one that is installed here.
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--engine-strict=false", "--no-audit", "--no-fund"]);
    npm.args(["--loglevel", "error"]).current_dir(directory);
    cache::quietly(&mut npm)?;
    let program = format!("node_modules/node-linux-{}/{NODE}", npm_name(ARCH));
    if !directory.join(&program).is_file() {
        anyhow::bail!("no Node for {ARCH} among the packages of {}", packages.display());
    }
    fs::create_dir(directory.join("bin"))?;
    symlink(Path::new("..").join(program), directory.join(NODE))?;
    Ok(())
}

/// What npm calls an architecture.
fn npm_name(architecture: &str) -> &str {
    match architecture {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures_have_the_names_that_npm_gives_them() {
        assert_eq!(
            [npm_name("x86_64"), npm_name("aarch64"), npm_name("riscv64")],
            ["x64", "arm64", "riscv64"]
        );
    }
}
