//! Which findings the stage lets pass.

use super::*;

fn check(id: &str, status: &str) -> Check {
    Check { id: id.into(), status: status.into(), message: "why".into() }
}

fn requirements() -> Requirements {
    Requirements { scored: vec!["ping".into()], optional: vec!["tasks".into()] }
}

fn findings(ping: &str, tasks: &str) -> Findings {
    let scenarios = [("ping", vec![check("answers", ping)]), ("tasks", vec![check("cancels", tasks)])];
    scenarios.into_iter().map(|(name, checks)| (name.into(), checks)).collect()
}

fn complaints(known: &[&str], findings: &Findings) -> Vec<String> {
    let known: Vec<String> = known.iter().map(|entry| (*entry).into()).collect();
    judge(&requirements(), &known, findings).complaints
}

#[test]
fn success_needs_no_list() {
    let verdict = judge(&requirements(), &[], &findings("SUCCESS", "SKIPPED"));
    assert!(verdict.is_clean());
    assert_eq!(verdict.to_string(), "2 scenarios: 1 checks passed, 0 failed");
}

#[test]
fn a_required_scenario_has_no_excuse() {
    for status in ["FAILURE", "WARNING"] {
        let findings = findings(status, "SUCCESS");
        assert_eq!(complaints(&[], &findings), ["ping: answers: why"]);
        assert_eq!(complaints(&["ping"], &findings), ["ping: answers: why"]);
    }
}

#[test]
fn an_optional_scenario_fails_only_when_it_is_not_listed() {
    let findings = findings("SUCCESS", "FAILURE");
    assert_eq!(complaints(&[], &findings), ["tasks: cancels: why"]);
    assert!(complaints(&["tasks"], &findings).is_empty());
    assert!(complaints(&["tasks:cancels"], &findings).is_empty());
    let other = complaints(&["tasks:starts"], &findings);
    assert_eq!(other, ["tasks: cancels: why", "tasks:starts is listed as a failure, and is none"]);
}

#[test]
fn a_listed_scenario_that_passes_has_to_leave_the_list() {
    let stale = complaints(&["tasks"], &findings("SUCCESS", "SUCCESS"));
    assert_eq!(stale, ["tasks is listed as a failure, and is none"]);
}

#[test]
fn a_scenario_that_left_no_checks_did_not_run() {
    let mut findings = findings("SUCCESS", "SUCCESS");
    findings.insert("tasks".into(), Vec::new());
    assert_eq!(complaints(&[], &findings), ["tasks did not run"]);
    findings.remove("ping");
    assert_eq!(complaints(&[], &findings), ["ping did not run", "tasks did not run"]);
}

#[test]
fn checks_are_found_by_the_scenario_that_made_them() {
    let results = tempfile::tempdir().unwrap();
    let directory = results.path().join("auth/dpop-2026-11-15T10-08-12-239Z");
    fs::create_dir_all(&directory).unwrap();
    let checks =
        r#"[{"id":"a","status":"FAILURE","description":"d","errorMessage":"first\nsecond"},{"id":"b"}]"#;
    fs::write(directory.join(CHECKS), checks).unwrap();
    let findings = read(results.path(), "client").unwrap();
    let found = &findings["auth/dpop"];
    assert_eq!((found[0].message.as_str(), found[1].id.as_str()), ("first", "b"));
    assert_eq!(scenario("server-ping-2026-11-15T10-08-12-239Z", "server"), "ping");
    assert_eq!(scenario("server-ping-2026-11-15T10-08-12-239Z", "client"), "server-ping");
}
