//! Tuples in memory, indexed in both directions.
//!
//! A clone is a snapshot: it costs a few reference counts and shares what does not change afterwards. Every tuple in a
//! graph is one that its model admits, so that nothing stored under an older model can grant anything.

mod fit;
mod names;
mod overlay;

use std::sync::Arc;

use imbl::OrdMap;

pub use self::fit::Unfit;
use self::fit::{fit, full};
use self::names::Names;
pub use self::overlay::Overlay;
use crate::model::{Model, RelationId, TypeId};
use crate::tuple::{Object, Subject, Tuple, TupleCondition};

/// An object's number: its type above, its place among those of the type below. Place 0 stands for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(u32);

/// Most objects of one type.
const MAX_OBJECTS: u32 = 1 << 24;

impl Node {
    fn new(type_id: TypeId, place: u32) -> Self {
        Self(u32::from(type_id.0) << 24 | place)
    }

    /// All objects of a type at once: `user:*`.
    pub fn wildcard(type_id: TypeId) -> Self {
        Self::new(type_id, 0)
    }

    /// Its type.
    pub fn type_id(self) -> TypeId {
        TypeId(u8::try_from(self.0 >> 24).expect("eight bits remain"))
    }

    /// Whether it stands for all objects of its type.
    pub fn is_wildcard(self) -> bool {
        self.place() == 0
    }

    fn place(self) -> u32 {
        self.0 & (MAX_OBJECTS - 1)
    }
}

/// A subject's number: an object, or whoever has a relation to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Actor {
    /// The object.
    pub node: Node,
    /// The relation to it, for a userset.
    pub relation: Option<RelationId>,
}

/// A tuple's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// To what.
    pub object: Node,
    /// Which relation.
    pub relation: RelationId,
    /// Who has it.
    pub subject: Actor,
}

/// The condition a tuple carries, if any.
pub type Held = Option<Arc<TupleCondition>>;

/// Where queries read tuples from.
pub trait Tuples {
    /// The number of an object; none if no tuple names it.
    fn node(&self, type_id: TypeId, id: &str) -> Option<Node>;

    /// An object's id; `*` for a wildcard.
    fn id(&self, node: Node) -> &str;

    /// What the tuple carries, if there is such a tuple.
    fn find(&self, link: Link) -> Option<&Held>;

    /// The objects of `type_id` that `relation` of `object` names, plainly or as `#userset`.
    fn subjects(
        &self,
        object: Node,
        relation: RelationId,
        type_id: TypeId,
        userset: Option<RelationId>,
    ) -> impl Iterator<Item = (Node, &Held)>;

    /// The objects of `type_id` to which a tuple gives `subject` this `relation`.
    fn objects(
        &self,
        subject: Actor,
        relation: RelationId,
        type_id: TypeId,
    ) -> impl Iterator<Item = (Node, &Held)>;
}

/// A tuple as a key of twelve bytes: one end with its relation, then the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    near: Node,
    relation: u16,
    userset: u16,
    far: Node,
}

/// No relation: the subject is the object itself.
const PLAIN: u16 = u16::MAX;

impl Key {
    fn forward(link: Link) -> Self {
        let userset = link.subject.relation.map_or(PLAIN, |relation| relation.0);
        Self { near: link.object, relation: link.relation.0, userset, far: link.subject.node }
    }

    fn backward(link: Link) -> Self {
        Self { near: link.subject.node, far: link.object, ..Self::forward(link) }
    }

    /// The keys that differ at most in which object of a type is at the far end.
    fn span(near: Node, relation: RelationId, userset: Option<RelationId>, far: TypeId) -> (Self, Self) {
        let userset = userset.map_or(PLAIN, |relation| relation.0);
        let key = |place| Self { near, relation: relation.0, userset, far: Node::new(far, place) };
        (key(0), key(MAX_OBJECTS - 1))
    }
}

/// The tuples of one model.
#[derive(Clone, Debug)]
pub struct Graph {
    model: Arc<Model>,
    names: Names,
    forward: OrdMap<Key, Held>,
    backward: OrdMap<Key, Held>,
}

impl Graph {
    /// A graph without tuples.
    pub fn new(model: Arc<Model>) -> Self {
        let names = Names::new(model.type_count());
        Self { model, names, forward: OrdMap::new(), backward: OrdMap::new() }
    }

    /// The model its tuples fit.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// How many tuples it holds.
    pub fn len(&self) -> usize {
        self.forward.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.forward.is_empty()
    }

    /// Takes a tuple in; one with the same object, relation and subject is replaced.
    pub fn insert(&mut self, tuple: &Tuple) -> Result<(), Unfit> {
        let fit = fit(&self.model, tuple)?;
        let link = Link {
            object: self.names.intern(fit.object, &tuple.object.id).ok_or_else(|| full(&tuple.object))?,
            relation: fit.relation,
            subject: fit.subject(&mut self.names, &tuple.subject)?,
        };
        let held: Held = tuple.condition.clone().map(Arc::new);
        self.backward.insert(Key::backward(link), held.clone());
        self.forward.insert(Key::forward(link), held);
        Ok(())
    }

    /// Takes a tuple out, whatever its condition; whether it was there.
    pub fn remove(&mut self, tuple: &Tuple) -> bool {
        let Some(link) = self.link(tuple) else { return false };
        self.backward.remove(&Key::backward(link));
        self.forward.remove(&Key::forward(link)).is_some()
    }

    /// Takes out every tuple about `object`: those that give a relation to it and those it is the subject of.
    pub fn remove_object(&mut self, object: &Object) {
        let node = self.model.type_id(&object.type_name).and_then(|type_id| self.node(type_id, &object.id));
        let Some(node) = node else { return };
        let near = |index: &OrdMap<Key, Held>| -> Vec<Key> {
            let key = |relation, far| Key { near: node, relation, userset: relation, far: Node(far) };
            index.range(key(0, 0)..=key(u16::MAX, u32::MAX)).map(|(key, _)| *key).collect()
        };
        let (forward, backward) = (near(&self.forward), near(&self.backward));
        for key in forward {
            self.forward.remove(&key);
            self.backward.remove(&Key { near: key.far, far: key.near, ..key });
        }
        for key in backward {
            self.backward.remove(&key);
            self.forward.remove(&Key { near: key.far, far: key.near, ..key });
        }
    }

    /// The same tuples without the names that none of them uses any more.
    #[must_use]
    pub fn compacted(&self) -> Self {
        let mut fresh = Self::new(Arc::clone(&self.model));
        for (key, held) in &self.forward {
            let mut moved = |node: Node| {
                let id = self.names.id(node);
                if node.is_wildcard() { Some(node) } else { fresh.names.intern(node.type_id(), id) }
            };
            let (Some(near), Some(far)) = (moved(key.near), moved(key.far)) else { continue };
            fresh.forward.insert(Key { near, far, ..*key }, held.clone());
            fresh.backward.insert(Key { near: far, far: near, ..*key }, held.clone());
        }
        fresh
    }

    /// How many names it keeps; [`Graph::compacted`] drops those unused.
    pub fn name_count(&self) -> usize {
        self.names.len()
    }

    /// The tuples that give a relation to `object`.
    pub fn about(&self, object: &Object) -> Vec<Tuple> {
        let node = self.model.type_id(&object.type_name).and_then(|type_id| self.node(type_id, &object.id));
        let Some(near) = node else { return Vec::new() };
        let key = |relation, far| Key { near, relation, userset: relation, far: Node(far) };
        let range = self.forward.range(key(0, 0)..=key(u16::MAX, u32::MAX));
        range.map(|(key, held)| self.tuple(key, held)).collect()
    }

    fn tuple(&self, key: &Key, held: &Held) -> Tuple {
        let object = |node: Node| Object::new(self.model.type_name(node.type_id()), self.id(node));
        let relation = |number| self.model.relation_name(RelationId(number)).to_owned();
        Tuple {
            object: object(key.near),
            relation: relation(key.relation),
            subject: match key.userset {
                PLAIN if key.far.is_wildcard() => Subject::Wildcard(object(key.far).type_name),
                PLAIN => Subject::Object(object(key.far)),
                userset => Subject::Userset(object(key.far), relation(userset)),
            },
            condition: held.as_deref().cloned(),
        }
    }

    fn link(&self, tuple: &Tuple) -> Option<Link> {
        let type_id = self.model.type_id(&tuple.object.type_name)?;
        Some(Link {
            object: self.node(type_id, &tuple.object.id)?,
            relation: self.model.relation_id(type_id, &tuple.relation)?,
            subject: self.actor(&tuple.subject)?,
        })
    }

    fn actor(&self, subject: &Subject) -> Option<Actor> {
        let type_id = self.model.type_id(subject.type_name())?;
        Some(match subject {
            Subject::Object(object) => Actor { node: self.node(type_id, &object.id)?, relation: None },
            Subject::Wildcard(_) => Actor { node: Node::wildcard(type_id), relation: None },
            Subject::Userset(object, relation) => Actor {
                node: self.node(type_id, &object.id)?,
                relation: Some(self.model.relation_id(type_id, relation)?),
            },
        })
    }
}

impl Tuples for Graph {
    fn node(&self, type_id: TypeId, id: &str) -> Option<Node> {
        self.names.find(type_id, id)
    }

    fn id(&self, node: Node) -> &str {
        self.names.id(node)
    }

    fn find(&self, link: Link) -> Option<&Held> {
        self.forward.get(&Key::forward(link))
    }

    fn subjects(
        &self,
        object: Node,
        relation: RelationId,
        type_id: TypeId,
        userset: Option<RelationId>,
    ) -> impl Iterator<Item = (Node, &Held)> {
        let (first, last) = Key::span(object, relation, userset, type_id);
        self.forward.range(first..=last).map(|(key, held)| (key.far, held))
    }

    fn objects(
        &self,
        subject: Actor,
        relation: RelationId,
        type_id: TypeId,
    ) -> impl Iterator<Item = (Node, &Held)> {
        let (first, last) = Key::span(subject.node, relation, subject.relation, type_id);
        self.backward.range(first..=last).map(|(key, held)| (key.far, held))
    }
}
