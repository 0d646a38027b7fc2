//! What a store file says, field by field. Unknown fields are errors: a misspelt expectation would expect nothing.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::StoreError;
use crate::condition::Context;
use crate::tuple::{Malformed, Tuple, TupleCondition};

/// A store file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreFile {
    /// The store's name.
    pub name: Option<String>,
    /// The model as text: the DSL, or its JSON form.
    pub model: Option<String>,
    /// The file with the model.
    pub model_file: Option<String>,
    /// Tuples that every test has.
    pub tuples: Vec<TupleEntry>,
    /// A file with more of them.
    pub tuple_file: Option<String>,
    /// Files with more of them.
    pub tuple_files: Vec<String>,
    /// The tests.
    pub tests: Vec<StoreTest>,
}

/// A tuple as store files write it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TupleEntry {
    /// Who has the relation.
    pub user: String,
    /// Which relation.
    pub relation: String,
    /// To what.
    pub object: String,
    /// Under which condition.
    #[serde(default)]
    pub condition: Option<ConditionEntry>,
}

/// The condition of a tuple.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConditionEntry {
    /// Its name.
    pub name: String,
    /// Parameters given with the tuple.
    #[serde(default)]
    pub context: Option<Context>,
}

/// A test: tuples of its own, and questions.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreTest {
    /// Its name.
    pub name: Option<String>,
    /// What it shows.
    pub description: Option<String>,
    /// Tuples that only this test has.
    pub tuples: Vec<TupleEntry>,
    /// A file with more of them.
    pub tuple_file: Option<String>,
    /// Files with more of them.
    pub tuple_files: Vec<String>,
    /// Who may what.
    pub check: Vec<CheckTest>,
    /// Which objects.
    pub list_objects: Vec<ListObjectsTest>,
    /// Which users.
    pub list_users: Vec<ListUsersTest>,
}

/// Whether users have relations to objects.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CheckTest {
    /// The one user.
    pub user: Option<String>,
    /// Or several.
    pub users: Vec<String>,
    /// The one object.
    pub object: Option<String>,
    /// Or several.
    pub objects: Vec<String>,
    /// Parameters for conditions.
    pub context: Option<Context>,
    /// Tuples that hold for this question only.
    pub contextual_tuples: Vec<TupleEntry>,
    /// The answer expected for each relation.
    pub assertions: BTreeMap<String, bool>,
}

/// To which objects of a type a user has relations.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListObjectsTest {
    /// The user.
    pub user: String,
    /// The objects' type.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Parameters for conditions.
    #[serde(default)]
    pub context: Option<Context>,
    /// Tuples that hold for this question only.
    #[serde(default)]
    pub contextual_tuples: Vec<TupleEntry>,
    /// The objects expected for each relation, in any order.
    pub assertions: BTreeMap<String, Vec<String>>,
}

/// Which users have relations to an object.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListUsersTest {
    /// The object.
    pub object: String,
    /// Which users to list.
    pub user_filter: Vec<UserFilterEntry>,
    /// Parameters for conditions.
    #[serde(default)]
    pub context: Option<Context>,
    /// Tuples that hold for this question only.
    #[serde(default)]
    pub contextual_tuples: Vec<TupleEntry>,
    /// The users expected for each relation, in any order.
    pub assertions: BTreeMap<String, UsersExpected>,
}

/// Which users to list: those of a type, or whoever has a relation to objects of it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserFilterEntry {
    /// Their type.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The relation of usersets.
    #[serde(default)]
    pub relation: Option<String>,
}

/// The users expected.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UsersExpected {
    /// In any order.
    pub users: Vec<String>,
}

impl StoreFile {
    /// Reads a parsed file; an error names the test it is in.
    pub fn from_value(mut value: Value) -> Result<Self, StoreError> {
        let tests = value.as_object_mut().and_then(|fields| fields.remove("tests"));
        let mut file: Self = read(value).map_err(StoreError::Form)?;
        let tests: Vec<Value> = match tests {
            None | Some(Value::Null) => Vec::new(),
            Some(tests) => read(tests).map_err(|reason| StoreError::Form(format!("`tests`: {reason}")))?,
        };
        for (index, test) in tests.into_iter().enumerate() {
            let name = test["name"]
                .as_str()
                .map_or_else(|| format!("number {}", index + 1), |name| format!("`{name}`"));
            file.tests.push(read(test).map_err(|reason| StoreError::Form(format!("test {name}: {reason}")))?);
        }
        Ok(file)
    }
}

pub(super) fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

impl TupleEntry {
    /// The tuple, if its texts are well formed.
    pub fn tuple(&self) -> Result<Tuple, Malformed> {
        let condition = self.condition.as_ref().map(|condition| TupleCondition {
            name: condition.name.clone(),
            context: condition.context.clone().unwrap_or_default(),
        });
        Ok(Tuple { condition, ..Tuple::parse(&self.object, &self.relation, &self.user)? })
    }
}

impl std::fmt::Display for TupleEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}#{}@{}", self.object, self.relation, self.user)
    }
}
