//! Where a rule does not hold, and why; the only place for exceptions.

/// The rules that know exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    FileLength,
    FunctionLength,
    Place,
}

struct Exception {
    rule: Rule,
    file: &'static str,
    /// For people; a rule does not read it.
    #[cfg_attr(not(test), expect(dead_code, reason = "asserted by the test below, read by people"))]
    reason: &'static str,
}

const EXCEPTIONS: &[Exception] = &[
    Exception { rule: Rule::Place, file: "Cargo.lock", reason: "cargo writes where each package comes from" },
    Exception { rule: Rule::Place, file: "xtask/src/tidy/places.rs", reason: "names what it looks for" },
    Exception { rule: Rule::Place, file: "xtask/src/tidy/tests.rs", reason: "shows that the rule fires" },
];

/// Whether the rule does not hold for this file.
pub fn covers(rule: Rule, file: &str) -> bool {
    EXCEPTIONS.iter().any(|exception| exception.rule == rule && exception.file == file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exception_says_why() {
        assert!(EXCEPTIONS.iter().all(|exception| exception.reason.len() > 10));
    }
}
