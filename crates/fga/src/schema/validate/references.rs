//! References: every name that a relation uses means something, and what stands after `from` points to objects.

use std::collections::HashSet;

use super::Problems;
use super::index::{Entry, Index};
use crate::schema::{Form, Rewrite, Schema};

pub(super) fn check(schema: &Schema, index: &Index<'_>, found: &mut Problems) {
    let conditions: HashSet<_> = schema.conditions.iter().map(|condition| condition.name.as_str()).collect();
    let tuplesets = tuplesets(index);
    for (number, entry) in index.entries.iter().enumerate() {
        let mut report = |message: String| found.of_relation(&entry.of.name, &entry.relation.name, message);
        check_rewrite(entry, index, &mut report);
        check_restrictions(entry, index, &conditions, &mut report);
        if tuplesets.contains(&number) {
            check_tupleset(entry, &mut report);
        }
    }
}

/// The numbers of the relations that stand after some `from`.
fn tuplesets(index: &Index<'_>) -> HashSet<usize> {
    let parts =
        index.entries.iter().flat_map(|entry| entry.relation.rewrite.parts().map(move |part| (entry, part)));
    parts
        .filter_map(|(entry, part)| match part {
            Rewrite::TupleToUserset { tupleset, .. } => index.number(&entry.of.name, tupleset),
            _ => None,
        })
        .collect()
}

fn check_rewrite(entry: &Entry<'_>, index: &Index<'_>, report: &mut impl FnMut(String)) {
    let type_name = &entry.of.name;
    let mut seen = HashSet::new();
    for part in entry.relation.rewrite.parts() {
        match part {
            Rewrite::Computed(relation) if index.number(type_name, relation).is_none() => {
                report(format!("`{relation}` is not a relation of this type"));
            }
            Rewrite::TupleToUserset { tupleset, computed } if seen.insert((tupleset, computed)) => {
                match index.number(type_name, tupleset) {
                    None => report(format!("`{tupleset}`, after `from`, is not a relation of this type")),
                    Some(number) if index.pointed(number, computed).is_empty() => {
                        report(format!("no type that `{tupleset}` points to has a relation `{computed}`"));
                    }
                    Some(_) => {}
                }
            }
            Rewrite::Union(operands) | Rewrite::Intersection(operands) if operands.is_empty() => {
                report("an operator has no operands".to_owned());
            }
            _ => {}
        }
    }
}

fn check_restrictions(
    entry: &Entry<'_>,
    index: &Index<'_>,
    conditions: &HashSet<&str>,
    report: &mut impl FnMut(String),
) {
    let relation = entry.relation;
    match (relation.rewrite.count_this() > 0, relation.assignable.is_empty()) {
        (true, true) => report("the brackets list no type".to_owned()),
        (false, false) => report("it lists types, but no tuple can assign it".to_owned()),
        _ => {}
    }
    let mut seen = HashSet::new();
    for restriction in &relation.assignable {
        if !seen.insert(restriction) {
            report(format!("`{restriction}` is listed twice"));
            continue;
        }
        let type_name = &restriction.type_name;
        if !index.has_type(type_name) {
            report(format!("`{type_name}` is not a type"));
        } else if let Form::Userset(relation) = &restriction.form
            && index.number(type_name, relation).is_none()
        {
            report(format!("`{relation}` is not a relation of type `{type_name}`"));
        }
        if let Some(condition) = restriction.condition.as_deref().filter(|name| !conditions.contains(name)) {
            report(format!("`{condition}` is not a condition"));
        }
    }
}

fn check_tupleset(entry: &Entry<'_>, report: &mut impl FnMut(String)) {
    if !matches!(entry.relation.rewrite, Rewrite::This) {
        report("it stands after a `from`, so it must be brackets alone".to_owned());
    }
    for restriction in entry.relation.assignable.iter().filter(|restriction| restriction.form != Form::Object)
    {
        report(format!("it stands after a `from`, so it may list only types, not `{restriction}`"));
    }
}
