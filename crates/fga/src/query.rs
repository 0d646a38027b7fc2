//! The questions one can ask: may this subject, which objects may it, which subjects may, and why.
//!
//! A query never answers yes because of a cycle, a bound or an error.

mod check;
mod explain;
mod list_objects;
mod list_users;

pub use self::explain::{Because, Reason};
pub use self::list_users::UserFilter;
use crate::condition::{Context, EvaluationError};
use crate::graph::{Actor, Graph, Held, Node, Overlay, Tuples, Unfit};
use crate::model::{Model, RelationId, Source, TypeId};
use crate::tuple::{Object, Subject, Tuple};

/// How far a query goes before it gives up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most relations on the path from an object to a subject, as OpenFGA counts them.
    pub depth: usize,
    /// Most relations looked at for one subject and object.
    pub steps: usize,
    /// Most contextual tuples.
    pub contextual: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 25, steps: 100_000, contextual: 100 }
    }
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The object's type is not in the model.
    #[error("`{0}` is not a type of the model")]
    UnknownType(String),
    /// The relation is not one of the object's type.
    #[error("`{relation}` is not a relation of type `{type_name}`")]
    UnknownRelation {
        /// The type.
        type_name: String,
        /// The relation.
        relation: String,
    },
    /// The subject names a type or relation that is not in the model.
    #[error("the subject `{subject}` does not fit the model: {reason}")]
    Subject {
        /// The subject.
        subject: String,
        /// What does not fit.
        reason: Unfit,
    },
    /// A contextual tuple does not fit the model.
    #[error("the contextual tuple {tuple} does not fit the model: {reason}")]
    Contextual {
        /// The tuple.
        tuple: String,
        /// What does not fit.
        reason: Unfit,
    },
    /// There are more contextual tuples than allowed.
    #[error("more than {0} contextual tuples")]
    TooManyContextual(usize),
    /// A condition on the way could not be evaluated.
    #[error(transparent)]
    Condition(#[from] EvaluationError),
    /// The path is longer than allowed.
    #[error("the answer lies deeper than {0} relations")]
    TooDeep(usize),
    /// More would have to be looked at than allowed.
    #[error("the answer takes more than {0} steps")]
    TooManySteps(usize),
    /// The asker no longer wants to know.
    #[error("the question was withdrawn")]
    Cancelled,
}

/// A question's surroundings: the tuples, the request's own ones, its context and its bounds.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    graph: &'a Graph,
    contextual: &'a [Tuple],
    context: Option<&'a Context>,
    limits: Limits,
    stop: Option<&'a dyn Fn() -> bool>,
}

impl<'a> Query<'a> {
    /// Asks `graph`, without context, within the usual limits.
    pub fn new(graph: &'a Graph) -> Self {
        Self { graph, contextual: &[], context: None, limits: Limits::default(), stop: None }
    }

    /// With tuples that hold for this question only.
    #[must_use]
    pub fn contextual(self, contextual: &'a [Tuple]) -> Self {
        Self { contextual, ..self }
    }

    /// With parameters for conditions.
    #[must_use]
    pub fn context(self, context: &'a Context) -> Self {
        Self { context: Some(context), ..self }
    }

    /// Within other limits.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Until `stop` says so; it is asked every thousand steps or so.
    #[must_use]
    pub fn until(self, stop: &'a dyn Fn() -> bool) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Whether `subject` has `relation` to `object`.
    pub fn check(&self, object: &Object, relation: &str, subject: &Subject) -> Result<bool, Error> {
        let mut overlay = self.overlay()?;
        let (node, relation) = self.place(&mut overlay, object, relation)?;
        let actor = self.actor(&mut overlay, subject)?;
        self.run(&overlay).checker(actor).check(node, relation)
    }

    /// The objects of a type to which `subject` has `relation`, in order of their ids.
    pub fn list_objects(
        &self,
        type_name: &str,
        relation: &str,
        subject: &Subject,
    ) -> Result<Vec<Object>, Error> {
        let mut overlay = self.overlay()?;
        let (type_id, relation_id) = self.relation(type_name, relation)?;
        let actor = self.actor(&mut overlay, subject)?;
        let nodes = self.run(&overlay).list_objects(actor, type_id, relation_id)?;
        let mut objects: Vec<Object> =
            nodes.into_iter().map(|node| Object::new(type_name, overlay.id(node))).collect();
        objects.sort_unstable();
        Ok(objects)
    }

    /// The subjects of the filter's form that have `relation` to `object`, in order.
    pub fn list_users(
        &self,
        object: &Object,
        relation: &str,
        filter: &UserFilter,
    ) -> Result<Vec<Subject>, Error> {
        let mut overlay = self.overlay()?;
        let (node, relation) = self.place(&mut overlay, object, relation)?;
        let wanted = filter.resolve(self.model())?;
        let actors = self.run(&overlay).list_users(node, relation, wanted)?;
        let mut subjects: Vec<Subject> =
            actors.into_iter().map(|actor| subject_of(self.model(), &overlay, actor)).collect();
        subjects.sort_unstable();
        Ok(subjects)
    }

    /// Why `subject` has `relation` to `object`: the reasons from the object down to tuples; none if it has not.
    pub fn explain(&self, object: &Object, relation: &str, subject: &Subject) -> Result<Vec<Reason>, Error> {
        let mut overlay = self.overlay()?;
        let (node, relation) = self.place(&mut overlay, object, relation)?;
        let actor = self.actor(&mut overlay, subject)?;
        self.run(&overlay).explain(actor, node, relation)
    }

    fn model(&self) -> &'a Model {
        self.graph.model()
    }

    fn run<'q>(&'q self, overlay: &'q Overlay<'a>) -> Run<'q, Overlay<'a>> {
        Run {
            model: self.model(),
            tuples: overlay,
            context: self.context,
            limits: self.limits,
            stop: self.stop,
        }
    }

    fn overlay(&self) -> Result<Overlay<'a>, Error> {
        if self.contextual.len() > self.limits.contextual {
            return Err(Error::TooManyContextual(self.limits.contextual));
        }
        let mut overlay = Overlay::new(self.graph);
        for tuple in self.contextual {
            overlay.add(tuple).map_err(|reason| Error::Contextual { tuple: tuple.to_string(), reason })?;
        }
        Ok(overlay)
    }

    fn relation(&self, type_name: &str, relation: &str) -> Result<(TypeId, RelationId), Error> {
        let model = self.model();
        let type_id = model.type_id(type_name).ok_or_else(|| Error::UnknownType(type_name.to_owned()))?;
        let unknown =
            || Error::UnknownRelation { type_name: type_name.to_owned(), relation: relation.to_owned() };
        Ok((type_id, model.relation_id(type_id, relation).ok_or_else(unknown)?))
    }

    fn place(
        &self,
        overlay: &mut Overlay<'a>,
        object: &Object,
        relation: &str,
    ) -> Result<(Node, RelationId), Error> {
        let (type_id, relation) = self.relation(&object.type_name, relation)?;
        let node =
            overlay.intern(type_id, object).map_err(|_| Error::UnknownType(object.type_name.clone()))?;
        Ok((node, relation))
    }

    fn actor(&self, overlay: &mut Overlay<'a>, subject: &Subject) -> Result<Actor, Error> {
        let model = self.model();
        let misfit = |reason| Error::Subject { subject: subject.to_string(), reason };
        let type_name = subject.type_name();
        let type_id = model.type_id(type_name).ok_or_else(|| misfit(Unfit::Type(type_name.to_owned())))?;
        match subject {
            Subject::Wildcard(_) => Ok(Actor { node: Node::wildcard(type_id), relation: None }),
            Subject::Object(object) => {
                Ok(Actor { node: overlay.intern(type_id, object).map_err(misfit)?, relation: None })
            }
            Subject::Userset(object, relation) => {
                let unknown = Unfit::Relation { type_name: type_name.to_owned(), relation: relation.clone() };
                let relation = model.relation_id(type_id, relation).ok_or_else(|| misfit(unknown))?;
                let node = overlay.intern(type_id, object).map_err(misfit)?;
                Ok(Actor { node, relation: Some(relation) })
            }
        }
    }
}

/// A query over numbers.
struct Run<'a, T> {
    model: &'a Model,
    tuples: &'a T,
    context: Option<&'a Context>,
    limits: Limits,
    stop: Option<&'a dyn Fn() -> bool>,
}

impl<T> Clone for Run<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Run<'_, T> {}

impl<T: Tuples> Run<'_, T> {
    /// Whether what a tuple carries lets it count.
    fn admits(&self, held: &Held) -> Result<bool, Error> {
        let Some(held) = held else { return Ok(true) };
        let empty = Context::new();
        match self.model.condition(&held.name) {
            Some(condition) => Ok(condition.evaluate(&held.context, self.context.unwrap_or(&empty))?),
            None => Ok(false),
        }
    }

    fn stopped(&self) -> Result<(), Error> {
        if self.stop.is_some_and(|stop| stop()) { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// Where ways for this subject begin.
fn sources(actor: Actor) -> impl Iterator<Item = Source> {
    let type_id = actor.node.type_id();
    let (first, second) = match actor.relation {
        Some(relation) => (Source::Userset(type_id, relation), None),
        None if actor.node.is_wildcard() => (Source::Wildcard(type_id), None),
        None => (Source::Object(type_id), Some(Source::Wildcard(type_id))),
    };
    std::iter::once(first).chain(second)
}

fn subject_of(model: &Model, tuples: &impl Tuples, actor: Actor) -> Subject {
    let type_name = model.type_name(actor.node.type_id());
    if actor.node.is_wildcard() {
        return Subject::Wildcard(type_name.to_owned());
    }
    let object = Object::new(type_name, tuples.id(actor.node));
    match actor.relation {
        None => Subject::Object(object),
        Some(relation) => Subject::Userset(object, model.relation_name(relation).to_owned()),
    }
}
