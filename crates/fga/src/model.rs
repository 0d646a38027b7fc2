//! A model ready to decide with: checked, its names numbered, and the ways a right can travel worked out.

mod compile;
mod ways;

use std::collections::HashMap;

pub(crate) use ways::{Source, Step, Way};

use crate::condition::Condition;
use crate::schema::{Problem, Schema};

/// A type's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub(crate) u8);

/// A relation name's number, the same for every type that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationId(pub(crate) u16);

/// A valid authorization model.
#[derive(Debug)]
pub struct Model {
    schema: Schema,
    type_ids: HashMap<String, TypeId>,
    relation_ids: HashMap<String, RelationId>,
    relation_names: Vec<String>,
    /// By type, then by relation.
    definitions: Vec<Vec<Option<Definition>>>,
    conditions: HashMap<String, Condition>,
    ways: ways::Ways,
}

/// What a relation of one type means.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) rewrite: Rewrite,
    pub(crate) restrictions: Vec<Restriction>,
}

/// Who has a relation, with names numbered.
#[derive(Debug)]
pub(crate) enum Rewrite {
    This,
    Computed(RelationId),
    From { tupleset: RelationId, computed: RelationId },
    Union(Vec<Rewrite>),
    Intersection(Vec<Rewrite>),
    Exclusion { base: Box<Rewrite>, subtract: Box<Rewrite> },
}

/// An entry of the brackets, with names numbered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Restriction {
    pub(crate) type_id: TypeId,
    pub(crate) form: Form,
    pub(crate) condition: Option<String>,
}

/// Which subjects of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    Object,
    Wildcard,
    Userset(RelationId),
}

impl Model {
    /// Checks and compiles a schema; every problem at once.
    pub fn new(schema: Schema) -> Result<Self, Vec<Problem>> {
        compile::compile(schema)
    }

    /// Parses the DSL, checks and compiles it.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let schema = Schema::parse(text)?;
        Self::new(schema).map_err(ModelError::Invalid)
    }

    /// What it was compiled from.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The number of a type.
    pub fn type_id(&self, name: &str) -> Option<TypeId> {
        self.type_ids.get(name).copied()
    }

    /// The name of a type.
    pub fn type_name(&self, id: TypeId) -> &str {
        &self.schema.types[usize::from(id.0)].name
    }

    /// The number of a relation of this type.
    pub fn relation_id(&self, type_id: TypeId, name: &str) -> Option<RelationId> {
        let id = self.relation_ids.get(name).copied()?;
        self.definition(type_id, id).map(|_| id)
    }

    /// The name of a relation.
    pub fn relation_name(&self, id: RelationId) -> &str {
        &self.relation_names[usize::from(id.0)]
    }

    pub(crate) fn definition(&self, type_id: TypeId, relation: RelationId) -> Option<&Definition> {
        self.definitions.get(usize::from(type_id.0))?.get(usize::from(relation.0))?.as_ref()
    }

    pub(crate) fn condition(&self, name: &str) -> Option<&Condition> {
        self.conditions.get(name)
    }

    /// The ways on from whoever `source` stands for.
    pub(crate) fn ways(&self, source: Source) -> &[Way] {
        self.ways.from(source)
    }

    /// Whether a right of `source` can ever become `relation` of `type_id`.
    pub(crate) fn reaches(&self, source: Source, type_id: TypeId, relation: RelationId) -> bool {
        self.ways.reaches(source, (type_id, relation))
    }

    pub(crate) fn type_count(&self) -> usize {
        self.definitions.len()
    }
}

/// Why a text is no model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The text does not parse.
    #[error(transparent)]
    Syntax(#[from] crate::schema::SyntaxError),
    /// It parses, and means nothing valid.
    #[error("{}", list(.0))]
    Invalid(Vec<Problem>),
}

fn list(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
