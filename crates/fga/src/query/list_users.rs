//! List users: everyone named anywhere behind the object's relation, each confirmed by a check.
//!
//! A condition that cannot be evaluated ends the list: whom it would have let through cannot be said.

use std::collections::BTreeSet;
use std::str::FromStr;

use rustc_hash::FxHashSet;

use super::{Error, Run};
use crate::graph::{Actor, Node, Tuples};
use crate::model::{Definition, Form, Model, RelationId, Rewrite, TypeId};

/// Which subjects to list: `user`, or `group#member`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserFilter {
    /// Their type.
    pub type_name: String,
    /// The relation of the usersets wanted; objects and wildcards are wanted without.
    pub relation: Option<String>,
}

/// A filter's numbers.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    type_id: TypeId,
    relation: Option<RelationId>,
}

impl FromStr for UserFilter {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (type_name, relation) = match text.split_once('#') {
            Some((type_name, relation)) => (type_name, Some(relation.to_owned())),
            None => (text, None),
        };
        Ok(Self { type_name: type_name.to_owned(), relation })
    }
}

impl UserFilter {
    pub(super) fn resolve(&self, model: &Model) -> Result<Wanted, Error> {
        let type_id =
            model.type_id(&self.type_name).ok_or_else(|| Error::UnknownType(self.type_name.clone()))?;
        let unknown = |relation: &String| Error::UnknownRelation {
            type_name: self.type_name.clone(),
            relation: relation.clone(),
        };
        let resolve = |name: &String| model.relation_id(type_id, name).ok_or_else(|| unknown(name));
        Ok(Wanted { type_id, relation: self.relation.as_ref().map(resolve).transpose()? })
    }
}

struct Gathering<'a, T> {
    run: Run<'a, T>,
    wanted: Wanted,
    met: BTreeSet<Actor>,
    seen: FxHashSet<(Node, RelationId)>,
    open: Vec<(Node, RelationId)>,
    steps: usize,
}

impl<T: Tuples> Run<'_, T> {
    pub(super) fn list_users(
        self,
        object: Node,
        relation: RelationId,
        wanted: Wanted,
    ) -> Result<Vec<Actor>, Error> {
        let mut gathering = Gathering {
            run: self,
            wanted,
            met: BTreeSet::new(),
            seen: FxHashSet::default(),
            open: Vec::new(),
            steps: 0,
        };
        gathering.visit(object, relation);
        while let Some((object, relation)) = gathering.open.pop() {
            if let Some(definition) = self.model.definition(object.type_id(), relation) {
                gathering.gather(object, relation, definition, &definition.rewrite)?;
            }
        }
        let mut found = Vec::new();
        for actor in gathering.met {
            if self.checker(actor).check(object, relation)? {
                found.push(actor);
            }
        }
        Ok(found)
    }
}

impl<T: Tuples> Gathering<'_, T> {
    /// A relation to look behind, which is itself a userset that may be wanted.
    fn visit(&mut self, node: Node, relation: RelationId) {
        if self.seen.insert((node, relation)) {
            self.open.push((node, relation));
            self.meet(Actor { node, relation: Some(relation) });
        }
    }

    fn meet(&mut self, actor: Actor) {
        if actor.node.type_id() == self.wanted.type_id && actor.relation == self.wanted.relation {
            self.met.insert(actor);
        }
    }

    fn gather(
        &mut self,
        object: Node,
        relation: RelationId,
        definition: &Definition,
        rewrite: &Rewrite,
    ) -> Result<(), Error> {
        self.steps += 1;
        if self.steps.is_multiple_of(1024) {
            self.run.stopped()?;
        }
        match rewrite {
            Rewrite::This => self.assigned(object, relation, definition)?,
            Rewrite::Computed(computed) => self.visit(object, *computed),
            Rewrite::From { tupleset, computed } => self.from(object, *tupleset, *computed)?,
            Rewrite::Union(children) | Rewrite::Intersection(children) => {
                for child in children {
                    self.gather(object, relation, definition, child)?;
                }
            }
            // Whoever the second part names may be let through again by an exclusion inside it.
            Rewrite::Exclusion { base, subtract } => {
                self.gather(object, relation, definition, base)?;
                self.gather(object, relation, definition, subtract)?;
            }
        }
        Ok(())
    }

    fn assigned(&mut self, object: Node, relation: RelationId, definition: &Definition) -> Result<(), Error> {
        let run = self.run;
        for restriction in &definition.restrictions {
            let type_id = restriction.type_id;
            match restriction.form {
                Form::Object | Form::Wildcard => {
                    if type_id == self.wanted.type_id && self.wanted.relation.is_none() {
                        for (node, held) in run.tuples.subjects(object, relation, type_id, None) {
                            if run.admits(held)? {
                                self.meet(Actor { node, relation: None });
                            }
                        }
                    }
                }
                Form::Userset(userset) => {
                    for (node, held) in run.tuples.subjects(object, relation, type_id, Some(userset)) {
                        if run.admits(held)? {
                            self.visit(node, userset);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn from(&mut self, object: Node, tupleset: RelationId, computed: RelationId) -> Result<(), Error> {
        let run = self.run;
        let Some(definition) = run.model.definition(object.type_id(), tupleset) else { return Ok(()) };
        for restriction in &definition.restrictions {
            if run.model.definition(restriction.type_id, computed).is_some() {
                for (parent, held) in run.tuples.subjects(object, tupleset, restriction.type_id, None) {
                    if run.admits(held)? {
                        self.visit(parent, computed);
                    }
                }
            }
        }
        Ok(())
    }
}
