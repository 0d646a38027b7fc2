//! The generated references: what the built binary says about its API and its commands.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use testkit::{Daemon, Outfitter, binary};

/// Writes `docs/reference/openapi.json` and `docs/reference/cli.md`.
pub fn write(root: &Path) -> Result<()> {
    let directory = root.join("docs/reference");
    fs::create_dir_all(&directory)?;
    fs::write(directory.join("openapi.json"), openapi()?)?;
    fs::write(directory.join("cli.md"), commands()?)?;
    Ok(())
}

fn openapi() -> Result<String> {
    let daemon = Daemon::builder().start()?;
    let response = daemon.http()?.get("/api/openapi.json")?;
    if response.status != 200 {
        bail!("GET /api/openapi.json answered {}", response.status);
    }
    Ok(format!("{:#}\n", response.json()))
}

fn commands() -> Result<String> {
    let shell = Outfitter::with_binary(binary::find()?)?;
    let mut page =
        String::from("# Commands\n\nGenerated from `outfitter --help`; `make docs` writes it anew.\n");
    describe(&shell, &[], &mut page)?;
    Ok(page)
}

/// Appends the help of one command and of those below it.
fn describe(shell: &Outfitter, path: &[&str], page: &mut String) -> Result<()> {
    let output = shell.run(path.iter().copied().chain(["--help"]))?;
    let name = ["outfitter"].iter().chain(path).copied().collect::<Vec<_>>().join(" ");
    if output.code != Some(0) {
        bail!("`{name} --help` ended with {:?}: {}", output.code, output.stderr);
    }
    let help: Vec<&str> = output.stdout.trim_end().lines().map(str::trim_end).collect();
    write!(page, "\n## `{name}`\n\n```text\n{}\n```\n", help.join("\n"))?;
    for below in subcommands(&output.stdout) {
        let path: Vec<&str> = path.iter().copied().chain([below]).collect();
        describe(shell, &path, page).with_context(|| format!("below `{name}`"))?;
    }
    Ok(())
}

/// The names in the `Commands:` section.
fn subcommands(help: &str) -> Vec<&str> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.trim().is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subcommands_are_read_from_the_help() {
        let help = "Usage: x\n\nCommands:\n  serve  The daemon\n         and more\n  apply  Writes\n  help   Print\n\nOptions:\n  -h\n";
        assert_eq!(subcommands(help), ["serve", "apply"]);
        assert!(subcommands("Usage: x\n").is_empty());
    }
}
