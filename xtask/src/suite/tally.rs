//! Counting what the test programs report.

use crate::console;

#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) passed: usize,
    pub(super) failed: usize,
    skipped: usize,
    failures: Vec<String>,
    skips: Vec<String>,
}

impl Tally {
    /// Takes in one line of `cargo test`'s output.
    pub(super) fn read(&mut self, line: &str) {
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.passed += count(counts, "passed");
            self.failed += count(counts, "failed");
            self.skipped += count(counts, "ignored");
        } else if let Some(skip) = line.strip_prefix("SKIPPED ") {
            // The harness counts the test as passed; its result line comes later or has come already.
            self.skips.push(skip.into());
        } else if let Some(name) =
            line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"))
        {
            self.failures.push(name.into());
        }
    }

    /// Adds one failure that no test program reported.
    pub(super) fn fail(&mut self, name: &str) {
        self.failed += 1;
        self.failures.push(name.into());
    }

    pub(super) fn is_clean(&self) -> bool {
        self.failed == 0
    }

    pub(super) fn summary(&self) -> String {
        let passed = self.passed.saturating_sub(self.skips.len());
        format!("{passed} passed, {} failed, {} skipped", self.failed, self.skipped + self.skips.len())
    }

    /// Lists what failed and what was skipped, and ends with the counts alone on a line.
    pub(super) fn print(&self) {
        for skip in &self.skips {
            console::say(format!("skipped: {skip}"));
        }
        for failure in &self.failures {
            console::say(format!("failed: {failure}"));
        }
        console::say(self.summary());
    }
}

/// The number before `word` in `ok. 3 passed; 0 failed; …`.
fn count(counts: &str, word: &str) -> usize {
    let mut words = counts.split([' ', ';', '.']).filter(|part| !part.is_empty());
    let mut previous = words.next();
    for part in words {
        if part == word {
            return previous.and_then(|number| number.parse().ok()).unwrap_or_default();
        }
        previous = Some(part);
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_several_programs_add_up() {
        let mut tally = Tally::default();
        for line in [
            "test a::works ... ok",
            "test a::breaks ... FAILED",
            "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "SKIPPED b::needs_docker: no docker",
            "test result: ok. 2 passed; 0 failed; 4 ignored; 0 measured; 7 filtered out; finished in 0.10s",
        ] {
            tally.read(line);
        }
        assert_eq!(tally.summary(), "4 passed, 1 failed, 5 skipped");
        assert_eq!(tally.failures, ["a::breaks"]);
        assert!(!tally.is_clean());
    }

    #[test]
    fn words_that_only_look_like_results_count_nothing() {
        let mut tally = Tally::default();
        tally.read("the test result: 9 passed");
        tally.read("  SKIPPED x: y");
        assert_eq!(tally.summary(), "0 passed, 0 failed, 0 skipped");
        assert!(tally.is_clean());
    }
}
