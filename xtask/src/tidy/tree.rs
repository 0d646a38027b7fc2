//! What the rules look at: the packages, the Rust sources and every other text file.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::source::Source;

/// A package of the workspace, or one it depends on.
#[derive(Clone, Debug, Default)]
pub struct Package {
    pub name: String,
    pub manifest: String,
    pub dependencies: Vec<Dependency>,
    pub licence: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Dependency {
    pub name: String,
    pub dev: bool,
}

/// A text file that is not Rust, or that is looked at as a whole.
#[derive(Clone, Debug)]
pub struct Text {
    pub path: String,
    pub text: String,
}

#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The workspace's own packages.
    pub packages: Vec<Package>,
    /// All packages in use, the workspace's own included.
    pub resolved: Vec<Package>,
    pub sources: Vec<Source>,
    pub texts: Vec<Text>,
}

/// Names of what holds nothing of ours; `.git` is a file in a linked worktree.
const FOREIGN: &[&str] = &["target", ".git", "node_modules"];

impl Tree {
    pub fn read(root: &Path) -> Result<Self> {
        let mut tree = Self {
            packages: packages(root, &metadata(root, &["--no-deps"])?),
            resolved: packages(root, &metadata(root, &["--filter-platform", &host()?])?),
            ..Self::default()
        };
        tree.walk(root, root)?;
        tree.texts.sort_by(|a, b| a.path.cmp(&b.path));
        tree.sources.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    /// The text file of this path.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.texts.iter().find(|text| text.path == path).map(|text| text.text.as_str())
    }

    fn walk(&mut self, root: &Path, directory: &Path) -> Result<()> {
        for entry in fs::read_dir(directory).with_context(|| directory.display().to_string())? {
            let entry = entry?;
            let (path, name) = (entry.path(), entry.file_name());
            let kind = entry.file_type()?;
            if FOREIGN.iter().any(|foreign| name == *foreign) {
                continue;
            }
            if kind.is_dir() {
                self.walk(root, &path)?;
                continue;
            }
            // What is not UTF-8 is no text of ours.
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            let path = relative(root, &path);
            if is_rust {
                self.sources.push(Source::new(&path, &text));
            }
            self.texts.push(Text { path, text });
        }
        Ok(())
    }
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

fn metadata(root: &Path, args: &[&str]) -> Result<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1"])
        .args(args)
        .current_dir(root)
        .output()
        .context("cannot run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The platform's name, so that dependencies of others need not be downloaded.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot run rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

fn packages(root: &Path, metadata: &Value) -> Vec<Package> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    list(&metadata["packages"])
        .iter()
        .map(|package| Package {
            name: text(&package["name"]).unwrap_or_default(),
            manifest: relative(root, Path::new(package["manifest_path"].as_str().unwrap_or_default())),
            dependencies: list(&package["dependencies"])
                .iter()
                .map(|dependency| Dependency {
                    name: text(&dependency["name"]).unwrap_or_default(),
                    dev: dependency["kind"] == "dev",
                })
                .collect(),
            licence: text(&package["license"]),
        })
        .collect()
}
