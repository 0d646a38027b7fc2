//! Store test files as OpenFGA's command line reads them: a model, tuples, and questions with the answers expected.
//!
//! Pure: whoever calls brings the text of other files and a parser for YAML. A file that is not wholly understood is an
//! error, so that no test passes because it was not read.

mod file;
mod load;
mod report;
mod run;

#[cfg(test)]
mod tests;

pub use file::{
    CheckTest, ConditionEntry, ListObjectsTest, ListUsersTest, StoreFile, StoreTest, TupleEntry,
    UserFilterEntry, UsersExpected,
};
pub use load::{Reader, Store};
pub use report::{Count, Failure, Report, TestReport};

use crate::graph::Unfit;

/// Why a store file cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// It does not have the form of a store file.
    #[error("{0}")]
    Form(String),
    /// It has no model.
    #[error("there is no model: give `model` or `model_file`")]
    NoModel,
    /// It has two models.
    #[error("there are two models: give either `model` or `model_file`")]
    TwoModels,
    /// A file it names cannot be had.
    #[error("`{name}`: {reason}")]
    Missing {
        /// The file as it is named.
        name: String,
        /// Why not.
        reason: String,
    },
    /// A file it names is of a kind that is not read.
    #[error("`{name}`: {kind} files are not supported; {instead}")]
    Unsupported {
        /// The file as it is named.
        name: String,
        /// Its kind.
        kind: &'static str,
        /// What to use.
        instead: &'static str,
    },
    /// A file it names does not have the form it should.
    #[error("`{name}`: {reason}")]
    Malformed {
        /// The file as it is named.
        name: String,
        /// Why not.
        reason: String,
    },
    /// The model is none.
    #[error("`{place}`: {reason}")]
    Model {
        /// The field, or the file as it is named.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A tuple is none.
    #[error("`{place}`: the tuple {tuple}: {reason}")]
    Tuple {
        /// The field, or the file as it is named.
        place: String,
        /// The tuple as it is written.
        tuple: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A tuple does not fit the model.
    #[error("`{place}`: the tuple {tuple} does not fit the model: {reason}")]
    Unfit {
        /// The field, or the file as it is named.
        place: String,
        /// The tuple.
        tuple: String,
        /// What does not fit.
        reason: Unfit,
    },
}
