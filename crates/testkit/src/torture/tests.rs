//! The checks must be able to fail.

use super::audit::{Entry, faults};
use super::client::{self, Ack};
use super::report::Report;

fn entry(revision: u64, ordinal: u64, name: &str) -> Entry {
    Entry { revision, ordinal, name: Some(name.into()) }
}

fn ack(name: &str, revision: u64) -> Ack {
    Ack { name: name.into(), revision }
}

#[test]
fn a_whole_history_has_no_faults() {
    let history = [entry(1, 0, "a"), entry(2, 0, "b"), entry(2, 1, "c"), entry(3, 0, "a")];
    assert_eq!(faults(&history, &[ack("a", 1), ack("c", 2), ack("a", 3)]), Vec::<String>::new());
}

#[test]
fn gaps_disorder_repetition_and_absence_are_faults() {
    let cases = [
        (vec![entry(1, 0, "a"), entry(3, 0, "b")], "watch: no event between revisions 1 and 3"),
        (vec![entry(2, 0, "b"), entry(1, 0, "a")], "watch: (1, 0) comes after (2, 0)"),
        (vec![entry(1, 0, "a"), entry(1, 1, "a")], "watch: a at 1 came 2 times"),
        (vec![entry(1, 0, "b")], "watch: a at 1 came 0 times"),
    ];
    for (history, expected) in cases {
        let found = faults(&history, &[ack("a", 1)]);
        assert!(found.iter().any(|fault| fault == expected), "{expected}: {found:?}");
    }
}

#[test]
fn an_etag_names_a_revision() {
    assert_eq!(client::revision(Some("\"42\"")), Some(42));
    assert_eq!(client::revision(Some("W/\"x\"")), None);
    assert_eq!(client::revision(None), None);
}

#[test]
fn a_run_that_wrote_nothing_is_not_clean() {
    let mut report = Report::default();
    assert!(!report.is_clean());
    report.acked = 1;
    assert!(report.is_clean());
    report.lost.insert("a".into());
    assert!(!report.is_clean());
    assert!(report.to_string().contains("lost 1"));
}
