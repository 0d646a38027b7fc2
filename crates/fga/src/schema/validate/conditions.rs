//! Conditions: named once, with distinct parameters, an expression, and a use.

use std::collections::HashSet;

use super::Problems;
use crate::schema::Schema;

const MAX_NAME: usize = 256;

pub(super) fn check(schema: &Schema, found: &mut Problems) {
    let relations = schema.types.iter().flat_map(|definition| &definition.relations);
    let restrictions = relations.flat_map(|relation| &relation.assignable);
    let used: HashSet<_> = restrictions.filter_map(|restriction| restriction.condition.as_ref()).collect();
    let mut names = HashSet::new();
    for condition in &schema.conditions {
        let name = &condition.name;
        let mut report = |message: String| found.of_model(format!("condition `{name}`: {message}"));
        if !names.insert(name) {
            report("defined twice".to_owned());
        }
        if name.is_empty() || name.contains(['*', ':', '#', '@']) || name.contains(char::is_whitespace) {
            report("the name is empty or holds a character that names may not hold".to_owned());
        }
        if name.chars().count() > MAX_NAME {
            report(format!("the name has more than the {MAX_NAME} characters allowed"));
        }
        if !used.contains(name) {
            report("no relation uses it".to_owned());
        }
        if condition.expression.is_empty() {
            report("the expression is empty".to_owned());
        }
        let mut parameters = HashSet::new();
        for (parameter, _) in &condition.parameters {
            if !parameters.insert(parameter) {
                report(format!("parameter `{parameter}` is declared twice"));
            }
            if parameter.is_empty() || parameter.contains(char::is_whitespace) {
                report(format!("`{}` cannot name a parameter", parameter.escape_debug()));
            }
        }
    }
}
