//! From a store file to a graph and tests that can be asked. Every tuple is checked against the model before any test.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::file::{StoreFile, TupleEntry, read};
use super::{StoreError, StoreTest};
use crate::graph::Graph;
use crate::model::Model;
use crate::schema::Schema;

/// How a store file reaches what it does not hold itself.
pub struct Reader<'a> {
    /// The text of a file, by the name that the store file gives it.
    pub text: &'a mut dyn FnMut(&str) -> Result<String, String>,
    /// The value that YAML or JSON text stands for.
    pub parse: &'a dyn Fn(&str) -> Result<Value, String>,
}

/// A store ready to be asked: its tuples, and for each test those of its own on top.
#[derive(Debug)]
pub struct Store {
    pub(super) tests: Vec<(StoreTest, Graph)>,
}

impl StoreFile {
    /// Loads the model and all tuples.
    pub fn load(&self, reader: &mut Reader<'_>) -> Result<Store, StoreError> {
        let mut graph = Graph::new(Arc::new(self.model(reader)?));
        insert(&mut graph, "tuples", &self.tuples)?;
        insert_files(&mut graph, reader, self.tuple_file.iter().chain(&self.tuple_files))?;
        let mut tests = Vec::new();
        for test in &self.tests {
            let mut graph = graph.clone();
            insert(&mut graph, "tuples", &test.tuples)?;
            insert_files(&mut graph, reader, test.tuple_file.iter().chain(&test.tuple_files))?;
            tests.push((test.clone(), graph));
        }
        Ok(Store { tests })
    }

    fn model(&self, reader: &mut Reader<'_>) -> Result<Model, StoreError> {
        match (&self.model, &self.model_file) {
            (Some(_), Some(_)) => Err(StoreError::TwoModels),
            (None, None) => Err(StoreError::NoModel),
            (Some(text), None) => model(text, text.trim_start().starts_with('{'), reader)
                .map_err(|reason| wrong_model("model", reason)),
            (None, Some(name)) => {
                if has_extension(name, "mod") {
                    let instead = "write the modules as one `.fga` file";
                    return Err(StoreError::Unsupported { name: name.clone(), kind: ".mod", instead });
                }
                let text = text_of(name, reader)?;
                let json = has_extension(name, "json");
                model(&text, json, reader).map_err(|reason| wrong_model(name, reason))
            }
        }
    }
}

fn wrong_model(place: &str, reason: String) -> StoreError {
    StoreError::Model { place: place.to_owned(), reason }
}

fn model(text: &str, json: bool, reader: &Reader<'_>) -> Result<Model, String> {
    if !json {
        return Model::parse(text).map_err(|error| error.to_string());
    }
    let schema = Schema::from_json(&(reader.parse)(text)?).map_err(|error| error.to_string())?;
    Model::new(schema).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        problems.join("; ")
    })
}

fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

fn text_of(name: &str, reader: &mut Reader<'_>) -> Result<String, StoreError> {
    (reader.text)(name).map_err(|reason| StoreError::Missing { name: name.to_owned(), reason })
}

fn insert(graph: &mut Graph, place: &str, entries: &[TupleEntry]) -> Result<(), StoreError> {
    for entry in entries {
        let tuple = entry.tuple().map_err(|error| StoreError::Tuple {
            place: place.to_owned(),
            tuple: entry.to_string(),
            reason: error.to_string(),
        })?;
        graph.insert(&tuple).map_err(|reason| StoreError::Unfit {
            place: place.to_owned(),
            tuple: entry.to_string(),
            reason,
        })?;
    }
    Ok(())
}

fn insert_files<'a>(
    graph: &mut Graph,
    reader: &mut Reader<'_>,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), StoreError> {
    for name in names {
        if has_extension(name, "csv") {
            let instead = "write the tuples as YAML or JSON";
            return Err(StoreError::Unsupported { name: name.clone(), kind: ".csv", instead });
        }
        let text = text_of(name, reader)?;
        let entries = (reader.parse)(&text).and_then(read::<Vec<TupleEntry>>);
        let entries = entries.map_err(|reason| StoreError::Malformed { name: name.clone(), reason })?;
        insert(graph, name, &entries)?;
    }
    Ok(())
}
