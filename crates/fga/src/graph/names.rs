//! The objects' ids and their numbers, by type. Ids are compared byte by byte.

use std::sync::Arc;

use imbl::{HashMap, Vector};

use super::{MAX_OBJECTS, Node};
use crate::model::TypeId;

#[derive(Clone, Debug)]
pub(super) struct Names(Vec<OfType>);

#[derive(Clone, Debug, Default)]
struct OfType {
    places: HashMap<Arc<str>, u32>,
    ids: Vector<Arc<str>>,
}

impl Names {
    pub(super) fn new(types: usize) -> Self {
        Self(vec![OfType::default(); types])
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|names| names.ids.len()).sum()
    }

    /// How many places of a type are taken, the wildcard's included.
    pub(super) fn taken(&self, type_id: TypeId) -> u32 {
        u32::try_from(self.0[usize::from(type_id.0)].ids.len()).map_or(MAX_OBJECTS, |count| count + 1)
    }

    pub(super) fn find(&self, type_id: TypeId, id: &str) -> Option<Node> {
        self.0[usize::from(type_id.0)].places.get(id).map(|place| Node::new(type_id, *place))
    }

    /// The id's number, a new one if need be; none when there is no number left.
    pub(super) fn intern(&mut self, type_id: TypeId, id: &str) -> Option<Node> {
        if let Some(known) = self.find(type_id, id) {
            return Some(known);
        }
        let place = self.taken(type_id);
        if place >= MAX_OBJECTS {
            return None;
        }
        let names = &mut self.0[usize::from(type_id.0)];
        let id: Arc<str> = id.into();
        names.places.insert(Arc::clone(&id), place);
        names.ids.push_back(id);
        Some(Node::new(type_id, place))
    }

    pub(super) fn id(&self, node: Node) -> &str {
        let place = usize::try_from(node.place()).unwrap_or(usize::MAX);
        match place.checked_sub(1).and_then(|index| self.0[usize::from(node.type_id().0)].ids.get(index)) {
            Some(id) => id,
            None => "*",
        }
    }
}
