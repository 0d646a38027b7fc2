//! An authorization model as its author writes it: types, relations, conditions. Nothing here is checked yet:
//! `problems` says what is wrong with it.

mod braces;
mod json;
mod lex;
mod parameter;
mod parse;
mod print;
mod validate;
mod walk;

#[cfg(test)]
mod tests;

pub use json::JsonError;
pub use parse::{MAX_NESTING, MAX_TEXT, SyntaxError};
pub use validate::{MAX_TYPES, Problem};

/// A whole model of schema 1.1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// The types, in the order written.
    pub types: Vec<TypeDefinition>,
    /// The conditions, in the order written.
    pub conditions: Vec<ConditionDefinition>,
}

/// `type document`.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDefinition {
    /// Its name.
    pub name: String,
    /// Its relations, in the order written.
    pub relations: Vec<RelationDefinition>,
}

/// `define viewer: [user] or editor`.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationDefinition {
    /// Its name.
    pub name: String,
    /// Who has it.
    pub rewrite: Rewrite,
    /// What the brackets list: the subjects a tuple may name. Empty without brackets.
    pub assignable: Vec<Restriction>,
}

/// Who has a relation.
#[derive(Clone, Debug, PartialEq)]
pub enum Rewrite {
    /// Whoever a tuple names: the brackets.
    This,
    /// Whoever has another relation to the same object.
    Computed(String),
    /// `computed from tupleset`: whoever has `computed` to an object that `tupleset` points to.
    TupleToUserset {
        /// The relation that points to other objects.
        tupleset: String,
        /// The relation to have there.
        computed: String,
    },
    /// `or`.
    Union(Vec<Rewrite>),
    /// `and`.
    Intersection(Vec<Rewrite>),
    /// `but not`.
    Exclusion {
        /// Who has it at first.
        base: Box<Rewrite>,
        /// Who of those has it not.
        subtract: Box<Rewrite>,
    },
}

/// One entry of the brackets: `user`, `user:*`, `group#member`, each perhaps `with condition`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Restriction {
    /// The subject's type.
    pub type_name: String,
    /// Which subjects of that type.
    pub form: Form,
    /// The condition that a tuple must carry.
    pub condition: Option<String>,
}

/// Which subjects of a type an entry of the brackets admits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Single objects: `user`.
    Object,
    /// All objects at once: `user:*`.
    Wildcard,
    /// Whoever has a relation to an object: `group#member`.
    Userset(String),
}

/// `condition non_expired(now: timestamp) { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionDefinition {
    /// Its name.
    pub name: String,
    /// Its parameters, in the order written.
    pub parameters: Vec<(String, ParameterType)>,
    /// The CEL expression, trimmed.
    pub expression: String,
}

/// The type of a condition's parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterType {
    /// Any JSON value.
    Any,
    /// `true` or `false`.
    Bool,
    /// Text.
    String,
    /// A signed integer.
    Int,
    /// An unsigned integer.
    Uint,
    /// A floating-point number.
    Double,
    /// A span of time, written `1h30m`.
    Duration,
    /// A point in time, written as in RFC 3339.
    Timestamp,
    /// An IP address of version 4 or 6.
    IpAddress,
    /// `map<T>`: text to T.
    Map(Box<ParameterType>),
    /// `list<T>`.
    List(Box<ParameterType>),
}
