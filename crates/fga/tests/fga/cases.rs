//! This crate's own cases, each asked three ways: as written, with its tuples in the other order, and with all its tuples
//! contextual. A clone of the repository alone proves the engine with them.

use std::path::{Path, PathBuf};

use fga::store::{Reader, Report, StoreFile, TupleEntry};

use crate::yaml;

/// Each feature has a file.
const FILES: usize = 16;

#[test]
fn every_case_holds_as_written() {
    run(|_| {});
}

#[test]
fn every_case_holds_with_its_tuples_in_the_other_order() {
    run(|file| {
        file.tuples.reverse();
        file.tests.iter_mut().for_each(|test| test.tuples.reverse());
    });
}

#[test]
fn every_case_holds_with_contextual_tuples() {
    run(|file| {
        let common = std::mem::take(&mut file.tuples);
        for test in &mut file.tests {
            let stored = [common.clone(), std::mem::take(&mut test.tuples)].concat();
            // What the question itself says comes last, and so wins over what the file says.
            let below = |own: &mut Vec<TupleEntry>| *own = [stored.clone(), std::mem::take(own)].concat();
            test.check.iter_mut().for_each(|question| below(&mut question.contextual_tuples));
            test.list_objects.iter_mut().for_each(|question| below(&mut question.contextual_tuples));
            test.list_users.iter_mut().for_each(|question| below(&mut question.contextual_tuples));
        }
    });
}

#[test]
fn a_case_with_a_wrong_expectation_fails() {
    let text = std::fs::read_to_string(directory().join("direct.fga.yaml")).unwrap();
    let mut file = StoreFile::from_value(yaml::parse(&text)).unwrap();
    for expected in file.tests[0].check[0].assertions.values_mut() {
        *expected = !*expected;
    }
    assert_eq!(report(&file).count().failed(), 2);
}

fn directory() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases"))
}

/// Runs every file after a change that must not change any answer.
fn run(change: impl Fn(&mut StoreFile)) {
    let entries = std::fs::read_dir(directory()).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.to_string_lossy().ends_with(".fga.yaml")).collect();
    paths.sort();
    assert_eq!(paths.len(), FILES);
    let mut wrong = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut file =
            StoreFile::from_value(yaml::parse(&text)).unwrap_or_else(|error| panic!("{name}: {error}"));
        change(&mut file);
        let report = report(&file);
        assert!(
            report.tests.iter().all(|test| test.count().total > 0),
            "{name} has a test without questions"
        );
        for test in report.tests {
            wrong.extend(
                test.failures.into_iter().map(|failure| format!("{name}: {}: {failure:?}", test.name)),
            );
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn report(file: &StoreFile) -> Report {
    let mut text = |name: &str| Err(format!("{name} is not part of a case"));
    let mut reader = Reader { text: &mut text, parse: &|text| Ok(yaml::parse(text)) };
    let name = file.name.as_deref().unwrap_or_default();
    file.load(&mut reader).unwrap_or_else(|error| panic!("{name}: {error}")).run()
}
