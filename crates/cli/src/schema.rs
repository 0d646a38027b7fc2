//! `schema`: a kind's JSON Schema, for editors and checkers.

use model::Kind;
use serde_json::{Value as Json, json};

use crate::failure::Failure;
use crate::output::Output;

/// Prints the schema.
pub fn run(kind: Kind, output: &mut Output) -> Result<(), Failure> {
    let (mut document, definitions) = model::kind_schema(kind);
    if let Json::Object(map) = &mut document {
        map.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
        map.insert("$defs".into(), Json::Object(definitions));
    }
    output.json(&document)
}
