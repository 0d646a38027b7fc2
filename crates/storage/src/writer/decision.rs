//! What an accepted write did, step by step: what its caller is told, and what the history keeps.

use model::{Outcome, RecordChange, Revision};
use serde_json::Value as Json;

use super::draft::RecordStep;
use crate::{Committed, Edited};

/// An accepted write.
#[derive(Debug, PartialEq)]
pub(crate) struct Decision {
    pub committed: Committed,
    /// What changed, in the order in which it did.
    steps: Vec<Step>,
}

#[derive(Debug, PartialEq)]
enum Step {
    /// A place in `edited`.
    Resource(usize),
    /// A place in `records`, and what the record said before.
    Record(usize, Option<Json>),
}

/// One thing that changed.
pub(crate) enum Changed<'a> {
    Resource(&'a Edited),
    Record { change: &'a RecordChange, before: Option<&'a Json> },
}

impl Decision {
    /// Nothing so far, of a write with this many edits.
    pub fn new(current: Revision, edits: usize) -> Self {
        let edited = Vec::with_capacity(edits);
        let committed = Committed { revision: current, edited, records: Vec::new() };
        Self { committed, steps: Vec::with_capacity(edits) }
    }

    pub fn resource(&mut self, edited: Edited) {
        if edited.outcome != Outcome::Unchanged {
            self.steps.push(Step::Resource(self.committed.edited.len()));
        }
        self.committed.edited.push(edited);
    }

    pub(in crate::writer) fn records(&mut self, steps: impl IntoIterator<Item = RecordStep>) {
        for RecordStep { change, before } in steps {
            self.steps.push(Step::Record(self.committed.records.len(), before));
            self.committed.records.push(change);
        }
    }

    /// Whether it is a revision.
    pub fn changes_anything(&self) -> bool {
        !self.steps.is_empty()
    }

    /// What changed, in its order.
    pub fn changed(&self) -> impl Iterator<Item = Changed<'_>> {
        self.steps.iter().map(|step| match step {
            Step::Resource(at) => Changed::Resource(&self.committed.edited[*at]),
            Step::Record(at, before) => {
                Changed::Record { change: &self.committed.records[*at], before: before.as_ref() }
            }
        })
    }
}
