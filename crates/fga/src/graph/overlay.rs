//! A graph with a few tuples and names on top that last for one query: contextual tuples, and whoever is asked about
//! without being named in any tuple. The graph below stays as it is.

use super::fit::{Unfit, fit, full};
use super::{Actor, Graph, Held, Key, Link, MAX_OBJECTS, Node, Tuples};
use crate::model::{Form, RelationId, TypeId};
use crate::tuple::{Object, Subject, Tuple};

/// What a query sees.
#[derive(Debug)]
pub struct Overlay<'a> {
    base: &'a Graph,
    names: Vec<(TypeId, String)>,
    /// Sorted.
    forward: Vec<(Key, Held)>,
    /// Sorted.
    backward: Vec<(Key, Held)>,
}

impl<'a> Overlay<'a> {
    /// The graph as it is.
    pub fn new(base: &'a Graph) -> Self {
        Self { base, names: Vec::new(), forward: Vec::new(), backward: Vec::new() }
    }

    /// The graph below.
    pub fn base(&self) -> &'a Graph {
        self.base
    }

    /// Lays a tuple on top; the model must admit it like any other.
    pub fn add(&mut self, tuple: &Tuple) -> Result<(), Unfit> {
        let fit = fit(&self.base.model, tuple)?;
        let link = Link {
            object: self.intern(fit.object, &tuple.object)?,
            relation: fit.relation,
            subject: match (&tuple.subject, fit.form) {
                (Subject::Userset(object, _), Form::Userset(relation)) => {
                    Actor { node: self.intern(fit.subject_type, object)?, relation: Some(relation) }
                }
                (Subject::Object(object) | Subject::Userset(object, _), _) => {
                    Actor { node: self.intern(fit.subject_type, object)?, relation: None }
                }
                (Subject::Wildcard(_), _) => Actor { node: Node::wildcard(fit.subject_type), relation: None },
            },
        };
        let held: Held = tuple.condition.clone().map(std::sync::Arc::new);
        put(&mut self.backward, Key::backward(link), held.clone());
        put(&mut self.forward, Key::forward(link), held);
        Ok(())
    }

    /// The object's number; a new one for this query if no tuple names it.
    pub fn intern(&mut self, type_id: TypeId, object: &Object) -> Result<Node, Unfit> {
        if let Some(known) = self.node(type_id, &object.id) {
            return Ok(known);
        }
        let added = self.names.iter().filter(|(of, _)| *of == type_id).count();
        let place = u32::try_from(added).map_or(MAX_OBJECTS, |added| self.base.names.taken(type_id) + added);
        if place >= MAX_OBJECTS {
            return Err(full(object));
        }
        self.names.push((type_id, object.id.clone()));
        Ok(Node::new(type_id, place))
    }

    fn added(&self, type_id: TypeId) -> impl Iterator<Item = (Node, &str)> {
        let first = self.base.names.taken(type_id);
        let names = self.names.iter().filter(move |(of, _)| *of == type_id);
        (first..).zip(names).map(move |(place, (_, id))| (Node::new(type_id, place), id.as_str()))
    }
}

fn put(index: &mut Vec<(Key, Held)>, key: Key, held: Held) {
    match index.binary_search_by_key(&key, |(key, _)| *key) {
        Ok(at) => index[at].1 = held,
        Err(at) => index.insert(at, (key, held)),
    }
}

fn span(index: &[(Key, Held)], first: Key, last: Key) -> &[(Key, Held)] {
    let from = index.partition_point(|(key, _)| *key < first);
    let to = index.partition_point(|(key, _)| *key <= last);
    &index[from..to]
}

impl Tuples for Overlay<'_> {
    fn node(&self, type_id: TypeId, id: &str) -> Option<Node> {
        let added = || self.added(type_id).find(|(_, name)| *name == id).map(|(node, _)| node);
        self.base.node(type_id, id).or_else(added)
    }

    fn id(&self, node: Node) -> &str {
        if node.place() < self.base.names.taken(node.type_id()) {
            return self.base.id(node);
        }
        self.added(node.type_id()).find(|(known, _)| *known == node).map_or("*", |(_, id)| id)
    }

    fn find(&self, link: Link) -> Option<&Held> {
        let key = Key::forward(link);
        match self.forward.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(at) => Some(&self.forward[at].1),
            Err(_) => self.base.find(link),
        }
    }

    fn subjects(
        &self,
        object: Node,
        relation: RelationId,
        type_id: TypeId,
        userset: Option<RelationId>,
    ) -> impl Iterator<Item = (Node, &Held)> {
        let (first, last) = Key::span(object, relation, userset, type_id);
        let above = span(&self.forward, first, last);
        let below = self.base.subjects(object, relation, type_id, userset);
        let below = below.filter(|(far, _)| above.iter().all(|(key, _)| key.far != *far));
        above.iter().map(|(key, held)| (key.far, held)).chain(below)
    }

    fn objects(
        &self,
        subject: Actor,
        relation: RelationId,
        type_id: TypeId,
    ) -> impl Iterator<Item = (Node, &Held)> {
        let (first, last) = Key::span(subject.node, relation, subject.relation, type_id);
        let above = span(&self.backward, first, last);
        let below = self.base.objects(subject, relation, type_id);
        let below = below.filter(|(far, _)| above.iter().all(|(key, _)| key.far != *far));
        above.iter().map(|(key, held)| (key.far, held)).chain(below)
    }
}
