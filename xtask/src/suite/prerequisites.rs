//! What the run needs from the system, installed where that is allowed.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::console;

struct Need {
    package: &'static str,
    is_met: fn() -> bool,
}

const NEEDS: &[Need] = &[
    Need { package: "gcc", is_met: || on_path("cc") },
    Need { package: "libc6-dev", is_met: || Path::new("/usr/include/stdio.h").exists() },
    Need { package: "npm", is_met: || on_path("npm") },
    Need { package: "pkg-config", is_met: || on_path("pkg-config") },
    Need { package: "postgresql", is_met: has_postgresql },
    Need { package: "python3-venv", is_met: has_venv },
];

/// Installs what is missing as root, or says what to install.
pub(super) fn ensure() -> Result<()> {
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    if !(rustix::process::geteuid().is_root() && on_path("apt-get")) {
        bail!(advice(&missing));
    }
    console::say(format!("installing {}", missing.join(" ")));
    apt(&["update", "-q"])?;
    apt(&[&["install", "-y", "-q", "--no-install-recommends"], missing.as_slice()].concat())?;
    let missing = self::missing();
    if !missing.is_empty() {
        bail!("still missing after the installation: {}", missing.join(" "));
    }
    Ok(())
}

fn missing() -> Vec<&'static str> {
    NEEDS.iter().filter(|need| !(need.is_met)()).map(|need| need.package).collect()
}

fn advice(missing: &[&str]) -> String {
    let packages = missing.join(" ");
    format!("missing: {packages}\n  hint: sudo apt-get update && sudo apt-get install -y {packages}")
}

fn apt(args: &[&str]) -> Result<()> {
    let status = Command::new("apt-get")
        .args(args)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .status()
        .context("cannot start apt-get")?;
    if !status.success() {
        bail!("`apt-get {}` ended with {status}", args.join(" "));
    }
    Ok(())
}

fn on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

/// Debian keeps the server's programs off the path, one directory per version.
fn has_postgresql() -> bool {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    on_path("initdb") || versions.into_iter().any(|version| version.path().join("bin/initdb").is_file())
}

fn has_venv() -> bool {
    let probe = Command::new("python3").args(["-c", "import ensurepip, venv"]).stderr(Stdio::null()).status();
    probe.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_without_root_is_told_what_to_install() {
        let expected =
            "missing: gcc postgresql\n  hint: sudo apt-get update && sudo apt-get install -y gcc postgresql";
        assert_eq!(advice(&["gcc", "postgresql"]), expected);
    }

    #[test]
    fn programs_are_looked_up_on_the_path() {
        assert!(on_path("sh"));
        assert!(!on_path("no-such-program-anywhere"));
    }
}
