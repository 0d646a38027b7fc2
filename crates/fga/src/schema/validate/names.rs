//! Names: well formed, not reserved, given once.

use std::collections::HashSet;

use super::Problems;
use crate::schema::Schema;

const RESERVED: [&str; 2] = ["self", "this"];
const MAX_TYPE_NAME: usize = 254;
const MAX_RELATION_NAME: usize = 50;

pub(super) fn check(schema: &Schema, found: &mut Problems) {
    let mut types = HashSet::new();
    for definition in &schema.types {
        let type_name = &definition.name;
        if !types.insert(type_name) {
            found.of_type(type_name, "defined twice");
        }
        if let Some(fault) = fault(type_name, MAX_TYPE_NAME) {
            found.of_type(type_name, fault);
        }
        let mut relations = HashSet::new();
        for relation in &definition.relations {
            if !relations.insert(&relation.name) {
                found.of_relation(type_name, &relation.name, "defined twice");
            }
            if let Some(fault) = fault(&relation.name, MAX_RELATION_NAME) {
                found.of_relation(type_name, &relation.name, fault);
            }
        }
    }
}

/// What is wrong with the name of a type or a relation.
fn fault(name: &str, longest: usize) -> Option<String> {
    if RESERVED.contains(&name) {
        return Some("the name is reserved".to_owned());
    }
    if name.is_empty() {
        return Some("the name is empty".to_owned());
    }
    let length = name.chars().count();
    if length > longest {
        return Some(format!("the name has {length} characters, more than the {longest} allowed"));
    }
    let odd = name
        .chars()
        .find(|character| matches!(character, ':' | '#' | '@' | '*') || character.is_whitespace())?;
    Some(format!("the name may not hold `{}`", odd.escape_debug()))
}
