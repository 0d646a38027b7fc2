//! Check: from the object towards the subject, depth first.
//!
//! What is remembered holds wherever it is met again: a yes never rests on a cycle, and a no is remembered only if no
//! cycle was met on the way to it. Errors are never remembered.

use rustc_hash::FxHashMap;

use super::{Error, Run, sources};
use crate::graph::{Actor, Link, Node, Tuples};
use crate::model::{Definition, Form, RelationId, Rewrite, TypeId};

/// What came out for one relation of one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Yes,
    No,
    /// No, as far as a question that is still open allows to say.
    Cycle,
}

/// One subject's checks, which share what was found out.
pub(super) struct Checker<'a, T> {
    run: Run<'a, T>,
    subject: Actor,
    known: FxHashMap<(Node, RelationId), bool>,
    open: Vec<(Node, RelationId)>,
    steps: usize,
    total: usize,
    /// How many exclusions the question stands on the far side of.
    subtracting: usize,
    /// What the subject belongs to, by type and relation; none where that could not be told.
    belongs: FxHashMap<Place, Option<Vec<Node>>>,
}

/// A relation of a type.
type Place = (TypeId, RelationId);

/// Usersets that are looked into one by one.
const FEW_USERSETS: usize = 16;
/// Tuples followed to find what a subject belongs to.
const MOST_MEMBERSHIPS: usize = 4096;

impl<'a, T: Tuples> Run<'a, T> {
    pub(super) fn checker(self, subject: Actor) -> Checker<'a, T> {
        Checker {
            run: self,
            subject,
            known: FxHashMap::default(),
            open: Vec::new(),
            steps: 0,
            subtracting: 0,
            total: 0,
            belongs: FxHashMap::default(),
        }
    }
}

impl<'a, T: Tuples> Checker<'a, T> {
    /// Whether the subject has `relation` to `object`.
    pub(super) fn check(&mut self, object: Node, relation: RelationId) -> Result<bool, Error> {
        self.steps = 0;
        self.subtracting = 0;
        self.open.clear();
        self.holds(object, relation).map(|verdict| verdict == Verdict::Yes)
    }

    /// Whether the subject has a relation by one part of its rewrite.
    pub(super) fn check_part(
        &mut self,
        object: Node,
        relation: RelationId,
        definition: &'a Definition,
        part: &'a Rewrite,
    ) -> Result<bool, Error> {
        self.steps = 0;
        self.subtracting = 0;
        self.open.clear();
        self.rewrite(object, relation, definition, part).map(|verdict| verdict == Verdict::Yes)
    }

    fn holds(&mut self, object: Node, relation: RelationId) -> Result<Verdict, Error> {
        if self.subject == (Actor { node: object, relation: Some(relation) }) {
            return Ok(Verdict::Yes);
        }
        let model = self.run.model;
        let type_id = object.type_id();
        let Some(definition) = model.definition(type_id, relation) else { return Ok(Verdict::No) };
        if !sources(self.subject).any(|source| model.reaches(source, type_id, relation)) {
            return Ok(Verdict::No);
        }
        let place = (object, relation);
        if let Some(known) = self.known.get(&place) {
            return Ok(if *known { Verdict::Yes } else { Verdict::No });
        }
        if self.open.contains(&place) {
            return Ok(Verdict::Cycle);
        }
        self.count_step()?;
        self.open.push(place);
        let verdict = self.rewrite(object, relation, definition, &definition.rewrite);
        self.open.pop();
        if let Ok(verdict @ (Verdict::Yes | Verdict::No)) = verdict {
            self.known.insert(place, verdict == Verdict::Yes);
        }
        verdict
    }

    fn count_step(&mut self) -> Result<(), Error> {
        let limits = self.run.limits;
        if self.open.len() >= limits.depth {
            return Err(Error::TooDeep(limits.depth));
        }
        self.steps += 1;
        self.total += 1;
        if self.steps > limits.steps {
            return Err(Error::TooManySteps(limits.steps));
        }
        if self.total.is_multiple_of(1024) { self.run.stopped() } else { Ok(()) }
    }

    fn rewrite(
        &mut self,
        object: Node,
        relation: RelationId,
        definition: &'a Definition,
        rewrite: &'a Rewrite,
    ) -> Result<Verdict, Error> {
        match rewrite {
            Rewrite::This => self.assigned(object, relation, definition),
            Rewrite::Computed(computed) => self.holds(object, *computed),
            Rewrite::From { tupleset, computed } => self.from(object, *tupleset, *computed),
            Rewrite::Union(children) => {
                let mut any = Any::default();
                for child in children {
                    if any.settles(self.rewrite(object, relation, definition, child)) {
                        break;
                    }
                }
                any.verdict()
            }
            Rewrite::Intersection(children) => {
                let mut all = All::default();
                for child in children {
                    if all.settles(self.rewrite(object, relation, definition, child)) {
                        break;
                    }
                }
                all.verdict()
            }
            Rewrite::Exclusion { base, subtract } => {
                let mut all = All::default();
                if !all.settles(self.rewrite(object, relation, definition, base)) {
                    self.subtracting += 1;
                    let subtracted = self.rewrite(object, relation, definition, subtract);
                    self.subtracting -= 1;
                    all.settles(subtracted.map(|verdict| match verdict {
                        Verdict::Yes => Verdict::No,
                        Verdict::No => Verdict::Yes,
                        Verdict::Cycle => Verdict::Cycle,
                    }));
                }
                all.verdict()
            }
        }
    }

    /// By a tuple: one that names the subject, everyone of its type, or a userset it belongs to.
    fn assigned(
        &mut self,
        object: Node,
        relation: RelationId,
        definition: &'a Definition,
    ) -> Result<Verdict, Error> {
        let run = self.run;
        let mut any = Any::default();
        let everyone = Actor { node: Node::wildcard(self.subject.node.type_id()), relation: None };
        let of_all = (self.subject.relation.is_none() && self.subject != everyone).then_some(everyone);
        for subject in std::iter::once(self.subject).chain(of_all) {
            if let Some(held) = run.tuples.find(Link { object, relation, subject })
                && any.settles(run.admits(held).map(verdict))
            {
                return any.verdict();
            }
        }
        for (index, restriction) in definition.restrictions.iter().enumerate() {
            let Form::Userset(userset) = restriction.form else { continue };
            let seen = |earlier: &crate::model::Restriction| {
                earlier.type_id == restriction.type_id && earlier.form == restriction.form
            };
            let place = (restriction.type_id, userset);
            let leads = self.subject.relation == Some(userset)
                || sources(self.subject).any(|source| run.model.reaches(source, place.0, place.1));
            if !leads || definition.restrictions[..index].iter().any(seen) {
                continue;
            }
            if let Some(told) = self.by_memberships(object, relation, place) {
                if any.settles(told) {
                    return any.verdict();
                }
                continue;
            }
            for (node, held) in run.tuples.subjects(object, relation, restriction.type_id, Some(userset)) {
                if any.settles(self.behind(held, node, userset)) {
                    return any.verdict();
                }
            }
        }
        any.verdict()
    }

    /// Whether the object names a userset that the subject belongs to, told from the subject's side.
    ///
    /// An object that names many usersets is cheaper to ask about from there: what the subject belongs to is worked out
    /// once, and each of it looked for among what the object names. None where that is too much or not certain.
    fn by_memberships(
        &mut self,
        object: Node,
        relation: RelationId,
        place: Place,
    ) -> Option<Result<Verdict, Error>> {
        let run = self.run;
        let mut usersets = run.tuples.subjects(object, relation, place.0, Some(place.1));
        if self.subtracting > 0 || usersets.nth(FEW_USERSETS).is_none() {
            return None;
        }
        let subject = self.subject;
        let belongs = self
            .belongs
            .entry(place)
            .or_insert_with(|| run.certain_objects(subject, place.0, place.1, MOST_MEMBERSHIPS));
        let mut any = Any::default();
        for node in belongs.as_ref()? {
            let subject = Actor { node: *node, relation: Some(place.1) };
            if let Some(held) = run.tuples.find(Link { object, relation, subject })
                && any.settles(run.admits(held).map(verdict))
            {
                break;
            }
        }
        // Where the object's side may run in circles, a no from this side is no more than that one would have been.
        Some(any.verdict().map(|verdict| if verdict == Verdict::No { Verdict::Cycle } else { verdict }))
    }

    fn from(&mut self, object: Node, tupleset: RelationId, computed: RelationId) -> Result<Verdict, Error> {
        let run = self.run;
        let mut any = Any::default();
        let restrictions =
            run.model.definition(object.type_id(), tupleset).map_or(&[][..], |found| &found.restrictions);
        for (index, restriction) in restrictions.iter().enumerate() {
            let type_id = restriction.type_id;
            let again = restrictions[..index].iter().any(|earlier| earlier.type_id == type_id);
            if again || run.model.definition(type_id, computed).is_none() {
                continue;
            }
            for (parent, held) in run.tuples.subjects(object, tupleset, type_id, None) {
                if any.settles(self.behind(held, parent, computed)) {
                    return any.verdict();
                }
            }
        }
        any.verdict()
    }

    /// Through a tuple that leads to another object's relation.
    fn behind(
        &mut self,
        held: &crate::graph::Held,
        node: Node,
        relation: RelationId,
    ) -> Result<Verdict, Error> {
        if self.run.admits(held)? { self.holds(node, relation) } else { Ok(Verdict::No) }
    }
}

fn verdict(yes: bool) -> Verdict {
    if yes { Verdict::Yes } else { Verdict::No }
}

/// Gathers branches of which one yes is enough.
#[derive(Default)]
struct Any {
    yes: bool,
    cycle: bool,
    error: Option<Error>,
}

impl Any {
    /// Takes one branch in; whether the others no longer matter.
    fn settles(&mut self, branch: Result<Verdict, Error>) -> bool {
        match branch {
            Ok(Verdict::Yes) => self.yes = true,
            Ok(Verdict::No) => {}
            Ok(Verdict::Cycle) => self.cycle = true,
            Err(error) => return keep(&mut self.error, error),
        }
        self.yes
    }

    fn verdict(self) -> Result<Verdict, Error> {
        match self.error {
            _ if self.yes => Ok(Verdict::Yes),
            Some(error) => Err(error),
            None if self.cycle => Ok(Verdict::Cycle),
            None => Ok(Verdict::No),
        }
    }
}

/// Gathers branches of which one no is enough.
#[derive(Default)]
struct All {
    no: bool,
    cycle: bool,
    error: Option<Error>,
}

impl All {
    /// Takes one branch in; whether the others no longer matter.
    fn settles(&mut self, branch: Result<Verdict, Error>) -> bool {
        match branch {
            Ok(Verdict::Yes) => {}
            Ok(Verdict::No) => self.no = true,
            Ok(Verdict::Cycle) => self.cycle = true,
            Err(error) => return keep(&mut self.error, error),
        }
        self.no
    }

    fn verdict(self) -> Result<Verdict, Error> {
        match self.error {
            _ if self.no => Ok(Verdict::No),
            Some(error) => Err(error),
            None if self.cycle => Ok(Verdict::Cycle),
            None => Ok(Verdict::Yes),
        }
    }
}

/// Keeps the first error. One that ends the whole question ends the gathering too.
fn keep(kept: &mut Option<Error>, error: Error) -> bool {
    let ends = matches!(error, Error::Cancelled | Error::TooManySteps(_));
    kept.get_or_insert(error);
    ends
}
