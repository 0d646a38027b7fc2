//! What makes a model invalid, by OpenFGA's rules; all problems come at once, rule by rule in the order written.

mod conditions;
mod entry;
mod index;
mod names;
mod references;

#[cfg(test)]
mod tests;

use std::fmt::{self, Display, Formatter};

use super::Schema;
use index::Index;

/// How many types a model may have.
pub const MAX_TYPES: usize = 100;
/// How many problems are told apart; of the rest only the number is told.
const MAX_PROBLEMS: usize = 100;

/// One thing wrong with a model, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The type it is about.
    pub type_name: Option<String>,
    /// The relation of that type it is about.
    pub relation: Option<String>,
    /// What is wrong.
    pub message: String,
}

impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (&self.type_name, &self.relation) {
            (Some(type_name), Some(relation)) => write!(f, "relation `{relation}` of type `{type_name}`: ")?,
            (Some(type_name), None) => write!(f, "type `{type_name}`: ")?,
            (None, _) => {}
        }
        f.write_str(&self.message)
    }
}

impl Schema {
    /// All that is wrong with the model; an empty list says that it is valid. The expressions of conditions are
    /// not looked at. A model with too many types hears only that, and one with very many problems the first
    /// hundred, so that the work stays bounded.
    pub fn problems(&self) -> Vec<Problem> {
        let mut found = Problems::default();
        if self.types.is_empty() {
            found.of_model("a model needs at least one type");
        }
        if self.types.len() > MAX_TYPES {
            found.of_model(format!(
                "the model has {} types, more than the {MAX_TYPES} allowed",
                self.types.len()
            ));
            return found.told();
        }
        let index = Index::new(self);
        names::check(self, &mut found);
        references::check(self, &index, &mut found);
        entry::check(&index, &mut found);
        conditions::check(self, &mut found);
        found.told()
    }
}

/// Collects problems. Each repeats the names it is about, which may be long, so their number is bounded.
#[derive(Default)]
struct Problems {
    kept: Vec<Problem>,
    left_out: usize,
}

impl Problems {
    fn of_model(&mut self, message: impl Into<String>) {
        self.keep(None, None, message.into());
    }

    fn of_type(&mut self, type_name: &str, message: impl Into<String>) {
        self.keep(Some(type_name), None, message.into());
    }

    fn of_relation(&mut self, type_name: &str, relation: &str, message: impl Into<String>) {
        self.keep(Some(type_name), Some(relation), message.into());
    }

    fn keep(&mut self, type_name: Option<&str>, relation: Option<&str>, message: String) {
        if self.kept.len() == MAX_PROBLEMS {
            self.left_out += 1;
            return;
        }
        let (type_name, relation) = (type_name.map(str::to_owned), relation.map(str::to_owned));
        self.kept.push(Problem { type_name, relation, message });
    }

    fn told(mut self) -> Vec<Problem> {
        if self.left_out > 0 {
            let message = format!("{} more problems are not shown", self.left_out);
            self.kept.push(Problem { type_name: None, relation: None, message });
        }
        self.kept
    }
}
