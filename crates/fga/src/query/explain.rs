//! Explain: the relations and tuples that carry a yes, from the object down.

use std::fmt;

use super::check::Checker;
use super::{Error, Run, subject_of};
use crate::graph::{Actor, Link, Node, Tuples};
use crate::model::{Definition, Form, RelationId, Rewrite};
use crate::tuple::Object;

/// One step of an explanation: why the subject has `relation` to `object`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The object.
    pub object: Object,
    /// The relation to it.
    pub relation: String,
    /// Why.
    pub because: Because,
}

/// What gives a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// A tuple names the subject, or everyone of its type.
    Tuple(String),
    /// A tuple names a userset that the subject belongs to.
    Userset(String),
    /// Another relation to the same object.
    Relation(String),
    /// A relation to an object that a tuple points to.
    From {
        /// The relation that points there.
        tupleset: String,
        /// Where it points.
        parent: Object,
        /// The relation there.
        relation: String,
    },
    /// The subject is this very userset.
    Itself,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{} {}", self.object, self.relation, self.because)
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tuple(subject) => write!(f, "names {subject}"),
            Self::Userset(userset) => write!(f, "names {userset}"),
            Self::Relation(relation) => write!(f, "includes {relation}"),
            Self::From { tupleset, parent, relation } => {
                write!(f, "includes {relation} from {tupleset} {parent}")
            }
            Self::Itself => write!(f, "is the subject itself"),
        }
    }
}

type Proof = Option<Vec<Reason>>;

struct Explainer<'a, T> {
    run: Run<'a, T>,
    checker: Checker<'a, T>,
    subject: Actor,
    open: Vec<(Node, RelationId)>,
}

impl<T: Tuples> Run<'_, T> {
    pub(super) fn explain(
        self,
        subject: Actor,
        node: Node,
        relation: RelationId,
    ) -> Result<Vec<Reason>, Error> {
        let mut explainer =
            Explainer { run: self, checker: self.checker(subject), subject, open: Vec::new() };
        if !explainer.checker.check(node, relation)? {
            return Ok(Vec::new());
        }
        Ok(explainer.prove(node, relation).unwrap_or_default())
    }
}

impl<'a, T: Tuples> Explainer<'a, T> {
    /// The reasons for one relation, not by way of one that is still being explained.
    fn prove(&mut self, node: Node, relation: RelationId) -> Proof {
        if self.subject == (Actor { node, relation: Some(relation) }) {
            return Some(vec![self.reason(node, relation, Because::Itself)]);
        }
        let definition = self.run.model.definition(node.type_id(), relation)?;
        if self.open.contains(&(node, relation)) || !self.checker.check(node, relation).unwrap_or(false) {
            return None;
        }
        self.open.push((node, relation));
        let proof = self.part(node, relation, definition, &definition.rewrite);
        self.open.pop();
        proof
    }

    fn part(
        &mut self,
        node: Node,
        relation: RelationId,
        definition: &'a Definition,
        part: &'a Rewrite,
    ) -> Proof {
        match part {
            Rewrite::This => self.assigned(node, relation, definition),
            Rewrite::Computed(computed) => {
                let because = Because::Relation(self.run.model.relation_name(*computed).to_owned());
                self.through(node, relation, because, node, *computed)
            }
            Rewrite::From { tupleset, computed } => self.from(node, relation, *tupleset, *computed),
            Rewrite::Union(children) => {
                for child in children {
                    if self.checker.check_part(node, relation, definition, child).unwrap_or(false)
                        && let Some(proof) = self.part(node, relation, definition, child)
                    {
                        return Some(proof);
                    }
                }
                None
            }
            Rewrite::Intersection(children) => {
                let mut proof = Vec::new();
                for child in children {
                    proof.extend(self.part(node, relation, definition, child)?);
                }
                Some(proof)
            }
            Rewrite::Exclusion { base, .. } => self.part(node, relation, definition, base),
        }
    }

    fn assigned(&mut self, object: Node, relation: RelationId, definition: &Definition) -> Proof {
        let run = self.run;
        let everyone = Actor { node: Node::wildcard(self.subject.node.type_id()), relation: None };
        let plain = self.subject.relation.is_none();
        for subject in [Some(self.subject), plain.then_some(everyone)].into_iter().flatten() {
            let held = run.tuples.find(Link { object, relation, subject });
            if held.is_some_and(|held| run.admits(held).unwrap_or(false)) {
                let named = subject_of(run.model, run.tuples, subject).to_string();
                return Some(vec![self.reason(object, relation, Because::Tuple(named))]);
            }
        }
        for restriction in &definition.restrictions {
            let Form::Userset(userset) = restriction.form else { continue };
            for (node, held) in run.tuples.subjects(object, relation, restriction.type_id, Some(userset)) {
                let named = subject_of(run.model, run.tuples, Actor { node, relation: Some(userset) });
                let because = Because::Userset(named.to_string());
                if run.admits(held).unwrap_or(false)
                    && let Some(proof) = self.through(object, relation, because, node, userset)
                {
                    return Some(proof);
                }
            }
        }
        None
    }

    fn from(
        &mut self,
        object: Node,
        relation: RelationId,
        tupleset: RelationId,
        computed: RelationId,
    ) -> Proof {
        let run = self.run;
        let definition = run.model.definition(object.type_id(), tupleset)?;
        for restriction in &definition.restrictions {
            for (parent, held) in run.tuples.subjects(object, tupleset, restriction.type_id, None) {
                let because = Because::From {
                    tupleset: run.model.relation_name(tupleset).to_owned(),
                    parent: self.object(parent),
                    relation: run.model.relation_name(computed).to_owned(),
                };
                if run.admits(held).unwrap_or(false)
                    && let Some(proof) = self.through(object, relation, because, parent, computed)
                {
                    return Some(proof);
                }
            }
        }
        None
    }

    /// One reason, and those for what it rests on.
    fn through(
        &mut self,
        object: Node,
        relation: RelationId,
        because: Because,
        next: Node,
        next_relation: RelationId,
    ) -> Proof {
        // A branch that cannot be decided explains nothing; another one carries the yes.
        let mut proof = self.prove(next, next_relation)?;
        proof.insert(0, self.reason(object, relation, because));
        Some(proof)
    }

    fn object(&self, node: Node) -> Object {
        Object::new(self.run.model.type_name(node.type_id()), self.run.tuples.id(node))
    }

    fn reason(&self, node: Node, relation: RelationId, because: Because) -> Reason {
        let relation = self.run.model.relation_name(relation).to_owned();
        Reason { object: self.object(node), relation, because }
    }
}
