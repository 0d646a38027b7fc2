//! The ways a right travels from a subject towards objects, worked out once per model.
//!
//! Each way is necessary: whoever has a relation got there along these ways. A way is certain if travelling it is also
//! enough; one that crosses an intersection or an exclusion is not, and what it leads to must be confirmed by a check.

use std::collections::{HashMap, HashSet};

use super::{Definition, Form, RelationId, Rewrite, TypeId};

/// Where a way begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// One object of a type.
    Object(TypeId),
    /// All objects of a type at once.
    Wildcard(TypeId),
    /// Whoever has a relation to an object of a type.
    Userset(TypeId, RelationId),
}

/// How to take a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// Along tuples that name the source as subject of the relation arrived at.
    Assigned,
    /// At the same object, without a tuple.
    Computed,
    /// Along tuples that name the source's object as subject of this relation.
    From(RelationId),
}

/// One way on: whoever the source stands for has `relation` to objects of `type_id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Way {
    pub(crate) step: Step,
    pub(crate) type_id: TypeId,
    pub(crate) relation: RelationId,
    pub(crate) certain: bool,
}

/// A relation of a type.
type Place = (TypeId, RelationId);

#[derive(Debug, Default)]
pub(super) struct Ways {
    from: HashMap<Source, Vec<Way>>,
    /// For each source, every place that a right of it may arrive at.
    reached: HashMap<Source, HashSet<Place>>,
}

impl Ways {
    pub(super) fn find(definitions: &[Vec<Option<Definition>>]) -> Self {
        let mut ways = Self::default();
        for (type_id, relation, definition) in places(definitions) {
            ways.collect(definitions, (type_id, relation), definition, &definition.rewrite, true);
        }
        let sources: Vec<Source> = ways.from.keys().copied().collect();
        ways.reached = sources.into_iter().map(|source| (source, ways.spread(source))).collect();
        ways
    }

    pub(super) fn from(&self, source: Source) -> &[Way] {
        self.from.get(&source).map_or(&[], Vec::as_slice)
    }

    pub(super) fn reaches(&self, source: Source, place: Place) -> bool {
        self.reached.get(&source).is_some_and(|places| places.contains(&place))
    }

    fn add(&mut self, source: Source, way: Way) {
        let ways = self.from.entry(source).or_default();
        if !ways.contains(&way) {
            ways.push(way);
        }
    }

    /// Adds the ways into `place` that one part of its rewrite opens.
    fn collect(
        &mut self,
        definitions: &[Vec<Option<Definition>>],
        place: Place,
        definition: &Definition,
        rewrite: &Rewrite,
        certain: bool,
    ) {
        let way = |step| Way { step, type_id: place.0, relation: place.1, certain };
        match rewrite {
            Rewrite::This => {
                for restriction in &definition.restrictions {
                    self.add(source(restriction.type_id, restriction.form), way(Step::Assigned));
                }
            }
            Rewrite::Computed(relation) => {
                self.add(Source::Userset(place.0, *relation), way(Step::Computed));
            }
            Rewrite::From { tupleset, computed } => {
                let Some(parents) = get(definitions, place.0, *tupleset) else { return };
                for parent in &parents.restrictions {
                    if get(definitions, parent.type_id, *computed).is_some() {
                        self.add(Source::Userset(parent.type_id, *computed), way(Step::From(*tupleset)));
                    }
                }
            }
            Rewrite::Union(children) => {
                for child in children {
                    self.collect(definitions, place, definition, child, certain);
                }
            }
            // Each branch alone is necessary, so the ways through one of them suffice.
            Rewrite::Intersection(children) => {
                if let Some(child) = narrowest(children, definition) {
                    self.collect(definitions, place, definition, child, false);
                }
            }
            Rewrite::Exclusion { base, .. } => self.collect(definitions, place, definition, base, false),
        }
    }

    fn spread(&self, source: Source) -> HashSet<Place> {
        let mut reached = HashSet::new();
        let mut open = vec![source];
        while let Some(source) = open.pop() {
            for way in self.from(source) {
                if reached.insert((way.type_id, way.relation)) {
                    open.push(Source::Userset(way.type_id, way.relation));
                }
            }
        }
        reached
    }
}

fn source(type_id: TypeId, form: Form) -> Source {
    match form {
        Form::Object => Source::Object(type_id),
        Form::Wildcard => Source::Wildcard(type_id),
        Form::Userset(relation) => Source::Userset(type_id, relation),
    }
}

fn get(
    definitions: &[Vec<Option<Definition>>],
    type_id: TypeId,
    relation: RelationId,
) -> Option<&Definition> {
    definitions[usize::from(type_id.0)][usize::from(relation.0)].as_ref()
}

/// The branch of an intersection that is likely to let the fewest through: brackets without a wildcard, if there are any.
fn narrowest<'a>(children: &'a [Rewrite], definition: &Definition) -> Option<&'a Rewrite> {
    let open = definition.restrictions.iter().any(|restriction| restriction.form == Form::Wildcard);
    let direct = children.iter().find(|child| matches!(child, Rewrite::This));
    direct.filter(|_| !open).or(children.first())
}

fn places(
    definitions: &[Vec<Option<Definition>>],
) -> impl Iterator<Item = (TypeId, RelationId, &Definition)> {
    (0..=u8::MAX).zip(definitions).flat_map(|(type_number, relations)| {
        (0..=u16::MAX).zip(relations).filter_map(move |(number, definition)| {
            Some((TypeId(type_number), RelationId(number), definition.as_ref()?))
        })
    })
}
