//! Entry points: every relation can have a member, and none is computed from itself. What `references` reports
//! counts as a way in here, so that one mistake is reported once.

use std::collections::HashSet;

use super::Problems;
use super::index::{Entry, Index};
use crate::schema::{Form, Rewrite};

pub(super) fn check(index: &Index<'_>, found: &mut Problems) {
    let looping = looping(index);
    let open = open(index);
    for (number, entry) in index.entries.iter().enumerate() {
        let message = match (looping[number], open[number]) {
            (true, _) => "it is computed from itself",
            (false, false) => "no one can ever have it: every way in leads back to where it began",
            (false, true) => continue,
        };
        found.of_relation(&entry.of.name, &entry.relation.name, message);
    }
}

/// When a relation can have a member, in terms of others.
enum Way {
    Always,
    Relation(usize),
    Any(Vec<Way>),
    All(Vec<Way>),
}

impl Way {
    fn is_open(&self, open: &[bool]) -> bool {
        match self {
            Self::Always => true,
            Self::Relation(number) => open[*number],
            Self::Any(ways) => ways.iter().any(|way| way.is_open(open)),
            Self::All(ways) => ways.iter().all(|way| way.is_open(open)),
        }
    }

    fn relations(&self, into: &mut HashSet<usize>) {
        match self {
            Self::Always => {}
            Self::Relation(number) => {
                into.insert(*number);
            }
            Self::Any(ways) | Self::All(ways) => ways.iter().for_each(|way| way.relations(into)),
        }
    }

    fn through(rewrite: &Rewrite, entry: &Entry<'_>, index: &Index<'_>) -> Self {
        let relation =
            |type_name: &str, name: &str| index.number(type_name, name).map_or(Self::Always, Self::Relation);
        let below =
            |operands: &[Rewrite]| operands.iter().map(|it| Self::through(it, entry, index)).collect();
        match rewrite {
            Rewrite::This => {
                let restrictions = &entry.relation.assignable;
                let ways = restrictions.iter().map(|restriction| match &restriction.form {
                    Form::Object | Form::Wildcard => Self::Always,
                    Form::Userset(name) => relation(&restriction.type_name, name),
                });
                if restrictions.is_empty() { Self::Always } else { Self::Any(ways.collect()) }
            }
            Rewrite::Computed(name) => relation(&entry.of.name, name),
            Rewrite::TupleToUserset { tupleset, computed } => {
                let tupleset = index.number(&entry.of.name, tupleset);
                let pointed = tupleset.map(|number| index.pointed(number, computed)).unwrap_or_default();
                if pointed.is_empty() {
                    return Self::Always;
                }
                Self::Any(pointed.into_iter().map(Self::Relation).collect())
            }
            Rewrite::Union(operands) => Self::Any(below(operands)),
            Rewrite::Intersection(operands) => Self::All(below(operands)),
            Rewrite::Exclusion { base, subtract } => {
                Self::All(vec![Self::through(base, entry, index), Self::through(subtract, entry, index)])
            }
        }
    }
}

/// Which relations can have a member: the least solution, found by waking only those that wait for what opened.
fn open(index: &Index<'_>) -> Vec<bool> {
    let ways: Vec<_> =
        index.entries.iter().map(|entry| Way::through(&entry.relation.rewrite, entry, index)).collect();
    let mut waiting = vec![Vec::new(); ways.len()];
    for (number, way) in ways.iter().enumerate() {
        let mut needed = HashSet::new();
        way.relations(&mut needed);
        for other in needed {
            waiting[other].push(number);
        }
    }
    let mut open = vec![false; ways.len()];
    let mut due: Vec<_> = (0..ways.len()).collect();
    while let Some(number) = due.pop() {
        if !open[number] && ways[number].is_open(&open) {
            open[number] = true;
            due.append(&mut waiting[number]);
        }
    }
    open
}

/// Which relations lie on a cycle of computed relations, or between two such cycles.
fn looping(index: &Index<'_>) -> Vec<bool> {
    let mut forward = vec![Vec::new(); index.entries.len()];
    let mut backward = forward.clone();
    for (number, entry) in index.entries.iter().enumerate() {
        for part in entry.relation.rewrite.parts() {
            if let Rewrite::Computed(name) = part
                && let Some(other) = index.number(&entry.of.name, name)
            {
                forward[number].push(other);
                backward[other].push(number);
            }
        }
    }
    let (ends, starts) = (settled(&forward, &backward), settled(&backward, &forward));
    ends.into_iter().zip(starts).map(|(end, start)| !end && !start).collect()
}

/// Which nodes lead, along `edges`, to no cycle; `reversed` holds the same edges the other way round.
fn settled(edges: &[Vec<usize>], reversed: &[Vec<usize>]) -> Vec<bool> {
    let mut left: Vec<_> = edges.iter().map(Vec::len).collect();
    let mut settled = vec![false; edges.len()];
    let mut due: Vec<_> = (0..edges.len()).filter(|node| left[*node] == 0).collect();
    while let Some(node) = due.pop() {
        settled[node] = true;
        for other in &reversed[node] {
            left[*other] -= 1;
            if left[*other] == 0 {
                due.push(*other);
            }
        }
    }
    settled
}
