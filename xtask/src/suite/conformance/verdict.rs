//! What the suite found, and whether that is good enough.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::lists::Requirements;

const CHECKS: &str = "checks.json";
/// The suite puts the time after each scenario's name: `-2026-11-15T10-08-12-239Z`.
const TIME: usize = 25;
const SHOWN: usize = 300;

/// The checks of each scenario by its name.
pub(super) type Findings = BTreeMap<String, Vec<Check>>;

#[derive(Clone, Debug)]
pub(super) struct Check {
    pub(super) id: String,
    pub(super) status: String,
    pub(super) message: String,
}

impl Check {
    fn failed(&self) -> bool {
        // A warning is a SHOULD that was not kept.
        matches!(self.status.as_str(), "FAILURE" | "WARNING")
    }
}

#[derive(Debug, Default)]
pub(super) struct Verdict {
    scenarios: usize,
    passed: usize,
    failed: usize,
    /// Each failed check that is known, as `scenario: check`.
    known: Vec<String>,
    complaints: Vec<String>,
}

impl Verdict {
    pub(super) fn is_clean(&self) -> bool {
        self.complaints.is_empty()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scenarios, passed, failed, known, complaints } = self;
        write!(formatter, "{scenarios} scenarios: {passed} checks passed, {failed} failed")?;
        for line in known {
            write!(formatter, "\n  known: {line}")?;
        }
        for line in complaints {
            write!(formatter, "\n  failed: {line}")?;
        }
        Ok(())
    }
}

/// Reads what the suite left below its output directory.
pub(super) fn read(results: &Path, leg: &str) -> Result<Findings> {
    let mut findings = Findings::new();
    let mut directories = vec![results.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).with_context(|| directory.display().to_string())? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                directories.push(entry.path());
            } else if entry.file_name() == CHECKS {
                let name = directory.strip_prefix(results)?.display().to_string();
                let checks = fs::read(entry.path())?;
                findings.insert(scenario(&name, leg).into(), checks_of(&checks).context(name)?);
            }
        }
    }
    Ok(findings)
}

/// The scenario that wrote to this directory.
fn scenario<'name>(directory: &'name str, leg: &str) -> &'name str {
    let name = directory.get(..directory.len().saturating_sub(TIME)).unwrap_or(directory);
    if leg == "server" { name.strip_prefix("server-").unwrap_or(name) } else { name }
}

fn checks_of(json: &[u8]) -> Result<Vec<Check>> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let checks: Vec<Value> = serde_json::from_slice(json)?;
    Ok(checks
        .iter()
        .map(|check| Check {
            id: text(&check["id"]),
            status: text(&check["status"]),
            message: [&check["errorMessage"], &check["description"]]
                .into_iter()
                .find_map(Value::as_str)
                .map_or(String::new(), |message| {
                    message.lines().next().unwrap_or_default().chars().take(SHOWN).collect()
                }),
        })
        .collect())
}

/// Weighs the findings: `known` excuses optional scenarios only, and has to be true.
pub(super) fn judge(requirements: &Requirements, known: &[String], findings: &Findings) -> Verdict {
    let mut verdict = Verdict::default();
    let mut used = Vec::new();
    let scored = requirements.scored.iter().map(|name| (name, false));
    let optional = requirements.optional.iter().map(|name| (name, true));
    for (name, excusable) in scored.chain(optional) {
        verdict.scenarios += 1;
        let checks = findings.get(name).map(Vec::as_slice).unwrap_or_default();
        if checks.is_empty() {
            verdict.complaints.push(format!("{name} did not run"));
        }
        verdict.passed += checks.iter().filter(|check| check.status == "SUCCESS").count();
        for check in checks.iter().filter(|check| check.failed()) {
            verdict.failed += 1;
            let listed =
                known.iter().find(|entry| *entry == name || **entry == format!("{name}:{}", check.id));
            used.extend(listed);
            let line = format!("{name}: {}: {}", check.id, check.message);
            if excusable && listed.is_some() {
                verdict.known.push(line);
            } else {
                verdict.complaints.push(line);
            }
        }
    }
    let stale = known.iter().filter(|entry| !used.contains(entry));
    verdict.complaints.extend(stale.map(|entry| format!("{entry} is listed as a failure, and is none")));
    verdict
}

#[cfg(test)]
mod tests;
