//! Finds types and relations by name; of two with one name the first is meant.

use std::collections::{HashMap, HashSet};

use crate::schema::{RelationDefinition, Schema, TypeDefinition};

/// A relation with its type.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) of: &'a TypeDefinition,
    pub(super) relation: &'a RelationDefinition,
}

/// The relations of a model, numbered in the order written.
pub(super) struct Index<'a> {
    pub(super) entries: Vec<Entry<'a>>,
    by_name: HashMap<&'a str, HashMap<&'a str, usize>>,
    /// The types that a relation's brackets name, each once, by the relation's number.
    targets: Vec<Vec<&'a str>>,
}

impl<'a> Index<'a> {
    pub(super) fn new(schema: &'a Schema) -> Self {
        let mut entries = Vec::new();
        let mut by_name: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
        for of in &schema.types {
            let relations = by_name.entry(&of.name).or_default();
            for relation in &of.relations {
                relations.entry(&relation.name).or_insert(entries.len());
                entries.push(Entry { of, relation });
            }
        }
        let targets = entries.iter().map(|entry| targets(entry.relation)).collect();
        Self { entries, by_name, targets }
    }

    pub(super) fn has_type(&self, type_name: &str) -> bool {
        self.by_name.contains_key(type_name)
    }

    pub(super) fn number(&self, type_name: &str, relation: &str) -> Option<usize> {
        self.by_name.get(type_name)?.get(relation).copied()
    }

    /// The numbers of `computed` at the types that the relation numbered `tupleset` points to.
    pub(super) fn pointed(&self, tupleset: usize, computed: &str) -> Vec<usize> {
        self.targets[tupleset].iter().filter_map(|target| self.number(target, computed)).collect()
    }
}

fn targets(relation: &RelationDefinition) -> Vec<&str> {
    let mut seen = HashSet::new();
    let names = relation.assignable.iter().map(|restriction| restriction.type_name.as_str());
    names.filter(|name| seen.insert(*name)).collect()
}
