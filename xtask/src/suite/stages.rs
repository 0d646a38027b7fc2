//! Stages in their order, each timed.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::tally::Tally;

#[derive(Debug)]
pub(super) struct Stages {
    pub(super) tally: Tally,
    times: Vec<(&'static str, Duration)>,
    say: fn(String),
}

impl Stages {
    /// No stages yet; `say` gets each line for people.
    pub(super) fn new(say: fn(String)) -> Self {
        Self { tally: Tally::default(), times: Vec::new(), say }
    }

    /// Runs a stage; its error is one failure. Says whether it went well.
    pub(super) fn run(&mut self, name: &'static str, work: impl FnOnce(&mut Tally) -> Result<()>) -> bool {
        (self.say)(format!("\n== {name}"));
        let began = Instant::now();
        let outcome = work(&mut self.tally);
        self.times.push((name, began.elapsed()));
        if let Err(error) = &outcome {
            (self.say)(format!("{name} failed: {error:#}"));
            self.tally.fail(name);
        }
        outcome.is_ok()
    }

    /// Runs a stage that counts as one test.
    pub(super) fn test(&mut self, name: &'static str, work: impl FnOnce() -> Result<()>) {
        if self.run(name, |_| work()) {
            self.tally.passed += 1;
        }
    }

    pub(super) fn print_times(&self) {
        (self.say)("\nminutes per stage".into());
        for (name, time) in &self.times {
            (self.say)(format!("  {name:<24} {:>6.2}", time.as_secs_f64() / 60.0));
        }
        let total: Duration = self.times.iter().map(|(_, time)| *time).sum();
        (self.say)(format!("  {:<24} {:>6.2}\n", "total", total.as_secs_f64() / 60.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_stage_counts_as_one_failure_and_a_test_stage_as_one_test() {
        let mut stages = Stages::new(drop);
        assert!(!stages.run("lint", |_| anyhow::bail!("no")));
        assert!(stages.run("fmt", |_| Ok(())));
        stages.test("schemathesis", || Ok(()));
        stages.test("torture", || anyhow::bail!("lost one"));
        assert_eq!(stages.tally.summary(), "1 passed, 2 failed, 0 skipped");
        assert_eq!(stages.times.len(), 4);
    }
}
