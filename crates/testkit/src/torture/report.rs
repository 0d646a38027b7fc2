//! What torture found, for people and for the exit code.

use std::collections::BTreeSet;
use std::fmt;

use crate::samples::Samples;

use super::client::Written;

/// The outcome of a torture run.
#[derive(Debug, Default)]
pub struct Report {
    /// How often the daemon was killed.
    pub kills: usize,
    /// How many writes it acknowledged.
    pub acked: usize,
    /// How many writes were sent and never answered.
    pub in_doubt: usize,
    /// Acknowledged writes that were not there, or at another revision, after some restart.
    pub lost: BTreeSet<String>,
    /// Everything else that was wrong.
    pub faults: Vec<String>,
    /// From launch to ready.
    pub restarts: Samples,
}

impl Report {
    /// Whether nothing was lost, nothing was wrong, and something was written at all.
    pub fn is_clean(&self) -> bool {
        self.lost.is_empty() && self.faults.is_empty() && self.acked > 0
    }

    /// The counts on one line.
    pub fn counts(&self) -> String {
        let (lost, faults) = (self.lost.len(), self.faults.len());
        let Self { kills, acked, in_doubt, .. } = self;
        format!("kills {kills}, acked {acked}, in doubt {in_doubt}, lost {lost}, faults {faults}")
    }

    pub(super) fn fault(&mut self, what: String) {
        self.faults.push(what);
    }

    /// Adds what was written in a directory that is done with.
    pub(super) fn close(&mut self, written: &Written) {
        self.acked += written.acks.len();
        self.in_doubt += written.in_doubt;
        self.faults.extend(written.refused.iter().cloned());
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{}", self.counts())?;
        writeln!(
            out,
            "restart to ready: p50 {:.1?}, p99 {:.1?}",
            self.restarts.median(),
            self.restarts.percentile(99)
        )?;
        for line in self.lost.iter().take(20) {
            writeln!(out, "lost: {line}")?;
        }
        for line in self.faults.iter().take(20) {
            writeln!(out, "fault: {line}")?;
        }
        Ok(())
    }
}
