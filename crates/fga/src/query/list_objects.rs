//! List objects: from the subject along the model's ways, so that only what the subject's tuples lead to is looked at.
//!
//! What was reached along certain ways alone is in the list; the rest is confirmed by a check.

use rustc_hash::FxHashMap;

use super::{Error, Run, sources};
use crate::graph::{Actor, Held, Node, Tuples};
use crate::model::{RelationId, Source, Step, TypeId, Way};

/// Somewhere the subject may have a relation.
type Place = (Node, RelationId);

struct Expansion<'a, T> {
    run: Run<'a, T>,
    target: (TypeId, RelationId),
    /// Whether each place reached so far is certain.
    reached: FxHashMap<Place, bool>,
    open: Vec<Place>,
    steps: usize,
    most: usize,
}

impl<T: Tuples> Run<'_, T> {
    pub(super) fn list_objects(
        self,
        subject: Actor,
        type_id: TypeId,
        relation: RelationId,
    ) -> Result<Vec<Node>, Error> {
        let target = (type_id, relation);
        let expansion = Expansion::run(self, subject, target, usize::MAX)?;
        let mut checker = self.checker(subject);
        let mut found = Vec::new();
        for ((node, at), certain) in expansion.reached {
            if (node.type_id(), at) == target && (certain || checker.check(node, at)?) {
                found.push(node);
            }
        }
        Ok(found)
    }

    /// The same, if it takes no check and at most so many tuples.
    pub(super) fn certain_objects(
        self,
        subject: Actor,
        type_id: TypeId,
        relation: RelationId,
        most: usize,
    ) -> Option<Vec<Node>> {
        let target = (type_id, relation);
        let expansion = Expansion::run(self, subject, target, most).ok()?;
        let mut found = Vec::new();
        for ((node, at), certain) in expansion.reached {
            if !certain {
                return None;
            }
            if (node.type_id(), at) == target {
                found.push(node);
            }
        }
        Some(found)
    }
}

impl<'a, T: Tuples> Expansion<'a, T> {
    fn run(
        run: Run<'a, T>,
        subject: Actor,
        target: (TypeId, RelationId),
        most: usize,
    ) -> Result<Self, Error> {
        let mut expansion =
            Self { run, target, reached: FxHashMap::default(), open: Vec::new(), steps: 0, most };
        expansion.begin(subject)?;
        while let Some(place) = expansion.open.pop() {
            expansion.go_on(place)?;
        }
        Ok(expansion)
    }

    fn begin(&mut self, subject: Actor) -> Result<(), Error> {
        if let Some(relation) = subject.relation {
            self.arrive((subject.node, relation), true);
            return Ok(());
        }
        for source in sources(subject) {
            let node = match source {
                Source::Wildcard(type_id) => Node::wildcard(type_id),
                Source::Object(_) | Source::Userset(..) => subject.node,
            };
            for way in self.run.model.ways(source) {
                self.travel(Actor { node, relation: None }, *way, true)?;
            }
        }
        Ok(())
    }

    fn go_on(&mut self, (node, relation): Place) -> Result<(), Error> {
        let certain = self.reached[&(node, relation)];
        for way in self.run.model.ways(Source::Userset(node.type_id(), relation)) {
            self.travel(Actor { node, relation: Some(relation) }, *way, certain)?;
        }
        Ok(())
    }

    /// Takes one way from `actor`, if it can lead to the target.
    fn travel(&mut self, actor: Actor, way: Way, certain: bool) -> Result<(), Error> {
        let run = self.run;
        let next = (way.type_id, way.relation);
        let leads = next == self.target
            || run.model.reaches(Source::Userset(next.0, next.1), self.target.0, self.target.1);
        if !leads {
            return Ok(());
        }
        let certain = certain && way.certain;
        match way.step {
            Step::Computed => self.arrive((actor.node, way.relation), certain),
            Step::Assigned => {
                for (object, held) in run.tuples.objects(actor, way.relation, way.type_id) {
                    self.cross(held, (object, way.relation), certain)?;
                }
            }
            Step::From(tupleset) => {
                let parent = Actor { node: actor.node, relation: None };
                for (object, held) in run.tuples.objects(parent, tupleset, way.type_id) {
                    self.cross(held, (object, way.relation), certain)?;
                }
            }
        }
        Ok(())
    }

    /// Follows one tuple. Where its condition fails to say, a check will say it at the end.
    fn cross(&mut self, held: &Held, place: Place, certain: bool) -> Result<(), Error> {
        self.steps += 1;
        if self.steps > self.most {
            return Err(Error::TooManySteps(self.most));
        }
        if self.steps.is_multiple_of(1024) {
            self.run.stopped()?;
        }
        match self.run.admits(held) {
            Ok(true) => self.arrive(place, certain),
            Ok(false) => {}
            Err(_) => self.arrive(place, false),
        }
        Ok(())
    }

    fn arrive(&mut self, place: Place, certain: bool) {
        let known = self.reached.get(&place).copied();
        if known.is_none_or(|known| certain && !known) {
            self.reached.insert(place, certain);
            self.open.push(place);
        }
    }
}
