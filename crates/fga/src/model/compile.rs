//! From a schema to a model: names become numbers. Only a schema without problems is compiled.

use std::collections::HashMap;

use super::ways::Ways;
use super::{Definition, Form, Model, RelationId, Restriction, Rewrite, TypeId};
use crate::condition::Condition;
use crate::schema::{self, Problem, Schema};

pub(super) fn compile(schema: Schema) -> Result<Model, Vec<Problem>> {
    let mut problems = schema.problems();
    let mut conditions = HashMap::new();
    for definition in &schema.conditions {
        match Condition::compile(definition) {
            Ok(condition) => {
                conditions.insert(definition.name.clone(), condition);
            }
            Err(error) => problems.push(Problem {
                type_name: None,
                relation: None,
                message: format!("condition `{}`: {error}", definition.name),
            }),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let names = Names::number(&schema);
    let definitions: Vec<Vec<Option<Definition>>> =
        schema.types.iter().map(|definition| names.relations(definition)).collect();
    let ways = Ways::find(&definitions);
    let Names { types: type_ids, relations: relation_ids, order: relation_names } = names;
    Ok(Model { schema, type_ids, relation_ids, relation_names, definitions, conditions, ways })
}

/// The numbers given to names.
struct Names {
    types: HashMap<String, TypeId>,
    relations: HashMap<String, RelationId>,
    /// The relations' names, by number.
    order: Vec<String>,
}

impl Names {
    fn number(schema: &Schema) -> Self {
        let types = (0..=u8::MAX).zip(&schema.types).map(|(n, t)| (t.name.clone(), TypeId(n))).collect();
        let mut names = Self { types, relations: HashMap::new(), order: Vec::new() };
        for relation in schema.types.iter().flat_map(|definition| &definition.relations) {
            if !names.relations.contains_key(&relation.name) {
                let number = u16::try_from(names.order.len())
                    .expect("validation bounds types and relations below 65,535 names");
                names.relations.insert(relation.name.clone(), RelationId(number));
                names.order.push(relation.name.clone());
            }
        }
        names
    }

    fn relations(&self, definition: &schema::TypeDefinition) -> Vec<Option<Definition>> {
        let mut relations: Vec<Option<Definition>> = (0..self.order.len()).map(|_| None).collect();
        for relation in &definition.relations {
            let restrictions = relation.assignable.iter().map(|r| self.restriction(r)).collect();
            relations[usize::from(self.relations[&relation.name].0)] =
                Some(Definition { rewrite: self.rewrite(&relation.rewrite), restrictions });
        }
        relations
    }

    fn restriction(&self, restriction: &schema::Restriction) -> Restriction {
        Restriction {
            type_id: self.types[&restriction.type_name],
            form: match &restriction.form {
                schema::Form::Object => Form::Object,
                schema::Form::Wildcard => Form::Wildcard,
                schema::Form::Userset(relation) => Form::Userset(self.relations[relation]),
            },
            condition: restriction.condition.clone(),
        }
    }

    fn rewrite(&self, rewrite: &schema::Rewrite) -> Rewrite {
        let all = |children: &[schema::Rewrite]| children.iter().map(|child| self.rewrite(child)).collect();
        match rewrite {
            schema::Rewrite::This => Rewrite::This,
            schema::Rewrite::Computed(relation) => Rewrite::Computed(self.relations[relation]),
            schema::Rewrite::TupleToUserset { tupleset, computed } => {
                Rewrite::From { tupleset: self.relations[tupleset], computed: self.relations[computed] }
            }
            schema::Rewrite::Union(children) => Rewrite::Union(all(children)),
            schema::Rewrite::Intersection(children) => Rewrite::Intersection(all(children)),
            schema::Rewrite::Exclusion { base, subtract } => Rewrite::Exclusion {
                base: Box::new(self.rewrite(base)),
                subtract: Box::new(self.rewrite(subtract)),
            },
        }
    }
}
