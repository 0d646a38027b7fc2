//! One measured figure beside its baseline and its target.

use std::fmt;
use std::time::Duration;

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What was measured.
    pub name: String,
    /// The result, for people.
    pub measured: String,
    /// What the machine itself did in the same run, for people.
    pub baseline: String,
    /// Result over baseline.
    pub ratio: f64,
    /// What was asked for, for people; empty when nothing was.
    pub target: String,
    /// Whether that was reached.
    pub met: bool,
}

impl Figure {
    /// A figure without a target.
    pub fn of_times(name: &str, measured: Duration, (label, baseline): (&str, Duration)) -> Self {
        Self {
            name: name.into(),
            measured: format!("{measured:.2?}"),
            baseline: format!("{label} {baseline:.2?}"),
            ratio: measured.as_secs_f64() / baseline.as_secs_f64(),
            target: String::new(),
            met: true,
        }
    }

    /// A figure of things per second.
    pub fn of_rates(name: &str, measured: f64, (label, baseline): (&str, f64)) -> Self {
        Self {
            name: name.into(),
            measured: format!("{measured:.0}/s"),
            baseline: format!("{label} {baseline:.0}/s"),
            ratio: measured / baseline,
            target: String::new(),
            met: true,
        }
    }

    /// States what was asked for, and whether it was reached.
    #[must_use]
    pub fn target(mut self, text: &str, met: bool) -> Self {
        self.target = text.into();
        self.met = met;
        self
    }
}

/// The table's first two lines.
pub fn heading() -> String {
    let rule = "-".repeat(120);
    format!("{}\n{rule}", row("figure", "measured", "baseline", "ratio", "target", "ok"))
}

fn row(name: &str, measured: &str, baseline: &str, ratio: &str, target: &str, verdict: &str) -> String {
    format!("{name:<38} | {measured:>12} | {baseline:<32} | {ratio:>8} | {target:<13} | {verdict}")
}

impl fmt::Display for Figure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratio = format!("{:.3}", self.ratio);
        let verdict = match (self.target.is_empty(), self.met) {
            (true, _) => "-",
            (false, true) => "ok",
            (false, false) => "MISSED",
        };
        out.write_str(&row(&self.name, &self.measured, &self.baseline, &ratio, &self.target, verdict))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_target_is_marked() {
        let figure = Figure::of_rates("writes", 50.0, ("fdatasync", 200.0));
        assert!(figure.to_string().contains("|    0.250 |"), "{figure}");
        assert!(figure.to_string().ends_with("| -"));
        let missed = figure.target("ratio >= 0.4", false);
        assert!(missed.to_string().ends_with("| ratio >= 0.4  | MISSED"), "{missed}");
    }
}
