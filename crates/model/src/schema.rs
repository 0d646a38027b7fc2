//! Each kind's JSON Schema, derived from its Rust type, and the walker that checks a tree against it.
//!
//! The same schema checks manifests, describes the REST bodies and completes in editors.

mod format;
mod walk;

use std::sync::LazyLock;

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value as Json, json};

use crate::spec::{AgentInstanceSpec, AgentSpec, EnvironmentSpec, ExecutorSpec, McpServerSpec};
use crate::tree::Node;
use crate::{API_VERSION, Kind, Metadata, Problem};

/// A kind's schemas: of a whole document, and the definitions it refers to.
struct Schemas {
    document: Json,
    definitions: Map<String, Json>,
}

static SCHEMAS: LazyLock<[Schemas; 5]> = LazyLock::new(|| Kind::ALL.map(build));

fn of(kind: Kind) -> &'static Schemas {
    let index = Kind::ALL.iter().position(|known| *known == kind).unwrap_or_default();
    &SCHEMAS[index]
}

fn build(kind: Kind) -> Schemas {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let metadata = subschema::<Metadata>(&mut generator);
    let spec = match kind {
        Kind::McpServer => subschema::<McpServerSpec>(&mut generator),
        Kind::Agent => subschema::<AgentSpec>(&mut generator),
        Kind::AgentInstance => subschema::<AgentInstanceSpec>(&mut generator),
        Kind::Environment => subschema::<EnvironmentSpec>(&mut generator),
        Kind::Executor => subschema::<ExecutorSpec>(&mut generator),
    };
    let document = json!({
        "title": kind.as_str(),
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string", "enum": [API_VERSION]},
            "kind": {"type": "string", "enum": [kind.as_str()]},
            "metadata": metadata,
            "spec": spec,
            "status": {"type": "object", "description": "Set by the server; ignored when applied"},
        },
        "required": ["apiVersion", "kind", "metadata", "spec"],
        "additionalProperties": false,
    });
    Schemas { document, definitions: generator.take_definitions(true) }
}

fn subschema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Json {
    generator.subschema_for::<T>().to_value()
}

/// Checks a document of `kind`, returns every problem, and drops fields that are left empty.
pub fn check(kind: Kind, document: &mut Node) -> Vec<Problem> {
    let schemas = of(kind);
    walk::Walker::new(&schemas.definitions).check(&schemas.document, document)
}

/// The JSON Schema of a document of `kind`: itself and its definitions, with a pattern for each format.
pub fn kind_schema(kind: Kind) -> (Json, Map<String, Json>) {
    let schemas = of(kind);
    let mut document = schemas.document.clone();
    format::add_patterns(&mut document);
    let mut definitions = schemas.definitions.clone();
    definitions.values_mut().for_each(format::add_patterns);
    (document, definitions)
}
