//! Whether a model admits a tuple, and if not, why.

use super::names::Names;
use super::{Actor, Node};
use crate::model::{Form, Model, RelationId, TypeId};
use crate::tuple::{Object, Subject, Tuple, TupleCondition};

/// Why a tuple is not taken in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A type the model does not have.
    #[error("`{0}` is not a type of the model")]
    Type(String),
    /// A relation the type does not have.
    #[error("`{relation}` is not a relation of type `{type_name}`")]
    Relation {
        /// The type.
        type_name: String,
        /// The relation.
        relation: String,
    },
    /// The relation's brackets do not admit the subject, or not with this condition.
    #[error("`{relation}` of type `{type_name}` does not take {subject}")]
    Subject {
        /// The object's type.
        type_name: String,
        /// The relation.
        relation: String,
        /// The subject and its condition.
        subject: String,
    },
    /// The condition does not take the tuple's context.
    #[error("condition `{name}`: {reason}")]
    Condition {
        /// The condition.
        name: String,
        /// Why not.
        reason: String,
    },
    /// There is no number left for another object of the type.
    #[error("there are too many objects of type `{0}`")]
    Full(String),
}

/// A tuple's names, numbered as far as the model knows them.
pub(super) struct Fit {
    pub(super) object: TypeId,
    pub(super) relation: RelationId,
    pub(super) subject_type: TypeId,
    pub(super) form: Form,
}

impl Fit {
    pub(super) fn subject(&self, names: &mut Names, subject: &Subject) -> Result<Actor, Unfit> {
        let relation = match self.form {
            Form::Userset(relation) => Some(relation),
            Form::Object | Form::Wildcard => None,
        };
        let node = match subject {
            Subject::Wildcard(_) => Node::wildcard(self.subject_type),
            Subject::Object(object) | Subject::Userset(object, _) => {
                names.intern(self.subject_type, &object.id).ok_or_else(|| full(object))?
            }
        };
        Ok(Actor { node, relation })
    }
}

pub(super) fn full(object: &Object) -> Unfit {
    Unfit::Full(object.type_name.clone())
}

/// Whether the model admits the tuple: its types, its relation's brackets, its condition and that one's context.
pub(super) fn fit(model: &Model, tuple: &Tuple) -> Result<Fit, Unfit> {
    let type_of = |name: &str| model.type_id(name).ok_or_else(|| Unfit::Type(name.to_owned()));
    let relation_of = |type_id, relation: &str| {
        let type_name = model.type_name(type_id).to_owned();
        let unknown = || Unfit::Relation { type_name, relation: relation.to_owned() };
        model.relation_id(type_id, relation).ok_or_else(unknown)
    };
    let object = type_of(&tuple.object.type_name)?;
    let relation = relation_of(object, &tuple.relation)?;
    let subject_type = type_of(tuple.subject.type_name())?;
    let form = match &tuple.subject {
        Subject::Object(_) => Form::Object,
        Subject::Wildcard(_) => Form::Wildcard,
        Subject::Userset(_, userset) => Form::Userset(relation_of(subject_type, userset)?),
    };
    let condition = tuple.condition.as_ref();
    let restrictions = model.definition(object, relation).map_or(&[][..], |found| &found.restrictions);
    let admitted = restrictions.iter().any(|restriction| {
        restriction.type_id == subject_type
            && restriction.form == form
            && restriction.condition.as_deref() == condition.map(|condition| condition.name.as_str())
    });
    if !admitted {
        let with = condition.map(|condition| format!(" with `{}`", condition.name)).unwrap_or_default();
        return Err(Unfit::Subject {
            type_name: tuple.object.type_name.clone(),
            relation: tuple.relation.clone(),
            subject: format!("`{}`{with}", tuple.subject),
        });
    }
    if let Some(TupleCondition { name, context }) = condition {
        let accepted = model.condition(name).map(|condition| condition.accepts(context));
        if let Some(Err(error)) = accepted {
            return Err(Unfit::Condition { name: name.clone(), reason: error.to_string() });
        }
    }
    Ok(Fit { object, relation, subject_type, form })
}
