//! `fga test`: every file is run, whatever came of those before it, and the worst outcome is the exit code.

use std::path::{Path, PathBuf};

use fga::store::{Count, Reader, Report, StoreError, StoreFile, TestReport};
use model::Problem;
use model::tree::Format;
use serde_json::Value as Json;

use super::{document, in_file, pattern};
use crate::args::FgaTestArgs;
use crate::exit;
use crate::failure::Failure;
use crate::output::{Output, Style};
use crate::problems;
use crate::session::Session;
use crate::sources;

/// A file that was not run.
struct NotRun {
    code: u8,
    problems: Vec<Problem>,
}

/// Carries out `fga test`.
pub fn run(args: &FgaTestArgs, session: &mut Session<'_>) -> Result<u8, Failure> {
    let current_dir = &session.surroundings.current_dir;
    let files = named(args, current_dir)?;
    let (mut code, mut all, mut not_run) = (exit::DONE, Count::default(), 0);
    for file in &files {
        match report(file, current_dir) {
            Ok(report) => {
                all = all.plus(report.count());
                show(file, &report, session.output)?;
                if !report.passed() {
                    code = code.max(exit::INPUT);
                }
            }
            Err(found) => {
                not_run += 1;
                code = code.max(found.code);
                found.problems.iter().for_each(|problem| problems::tell(problem, session.output));
            }
        }
    }
    let rest = match not_run {
        0 => String::new(),
        1 => ", 1 file not run".to_owned(),
        several => format!(", {several} files not run"),
    };
    let line = format!("{} passed, {} failed{rest}", all.passed, all.failed());
    session.output.styled(if code == exit::DONE { Style::Good } else { Style::Bad }, &line)?;
    Ok(code)
}

fn named(args: &FgaTestArgs, current_dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = args.files.clone();
    for pattern in &args.tests {
        let found = pattern::expand(pattern, current_dir)
            .map_err(|error| Failure::usage(format!("`{pattern}` cannot be looked for: {error}")))?;
        if found.is_empty() {
            return Err(Failure::usage(format!("no file matches `{pattern}`"))
                .hint("quote the pattern, and give it relative to the current directory"));
        }
        files.extend(found);
    }
    Ok(files)
}

fn report(file: &Path, current_dir: &Path) -> Result<Report, NotRun> {
    let name = file.display().to_string();
    let full = current_dir.join(file);
    let source = sources::read_file(&full, &name)
        .map_err(|problem| NotRun { code: exit::USAGE, problems: vec![problem] })?;
    let parsed = document(&source.text, Format::Guess).map_err(|problems| NotRun {
        code: exit::INPUT,
        problems: problems.into_iter().map(|problem| in_file(problem, &name)).collect(),
    })?;
    let refuse = |error: StoreError| {
        let code = if matches!(error, StoreError::Missing { .. }) { exit::USAGE } else { exit::INPUT };
        NotRun { code, problems: vec![problems::in_file(&name, error.to_string())] }
    };
    let beside = full.parent().unwrap_or(current_dir);
    let mut text = |other: &str| {
        let read = sources::read_file(&beside.join(other), other);
        read.map(|source| source.text).map_err(|problem| problem.sentence())
    };
    let mut reader = Reader { text: &mut text, parse: &value };
    let store =
        StoreFile::from_value(parsed.to_json()).and_then(|file| file.load(&mut reader)).map_err(refuse)?;
    Ok(store.run())
}

/// The value of YAML or JSON text that another file holds.
fn value(text: &str) -> Result<Json, String> {
    let parsed = document(text, Format::Guess).map_err(|problems| {
        let problems: Vec<String> =
            problems.into_iter().map(|problem| Problem { hint: None, ..problem }.to_string()).collect();
        problems.join("; ")
    })?;
    Ok(parsed.to_json())
}

fn show(file: &Path, report: &Report, output: &mut Output) -> Result<(), Failure> {
    output.styled(Style::Heading, &format!("# Test Summary # {}", file.display()))?;
    for test in &report.tests {
        show_failures(test, output)?;
    }
    let sound = report.tests.iter().filter(|test| test.failures.is_empty()).count();
    let sum = |count: fn(&TestReport) -> Count| {
        let Count { passed, total } = report.tests.iter().map(count).fold(Count::default(), Count::plus);
        format!("{passed}/{total}")
    };
    output.line(&format!(
        "tests {sound}/{}, check {}, list_objects {}, list_users {}",
        report.tests.len(),
        sum(|test| test.checks),
        sum(|test| test.list_objects),
        sum(|test| test.list_users)
    ))
}

fn show_failures(test: &TestReport, output: &mut Output) -> Result<(), Failure> {
    if test.failures.is_empty() {
        return Ok(());
    }
    let count = test.count();
    output.styled(Style::Bad, &format!("✗ {}: {} of {} failed", test.name, count.failed(), count.total))?;
    for failure in &test.failures {
        output.line(&format!("  {}", failure.question))?;
        output.line(&format!("    expected {}", failure.expected))?;
        output.line(&format!("    got      {}", failure.got))?;
    }
    Ok(())
}
