//! What conditions answer, by theme.

mod bounds;
mod contexts;
mod definitions;
mod hostile;
mod language;

use serde_json::{Value, json};

use super::{CompileError, Condition, Context, EvaluationError};
use crate::schema::{ConditionDefinition, ParameterType};

fn define(parameters: &[(&str, ParameterType)], expression: &str) -> Result<Condition, CompileError> {
    Condition::compile(&ConditionDefinition {
        name: "allowed".to_owned(),
        parameters: parameters.iter().map(|(name, kind)| ((*name).to_owned(), kind.clone())).collect(),
        expression: expression.to_owned(),
    })
}

fn context(value: Value) -> Context {
    match value {
        Value::Object(context) => context,
        other => panic!("{other} is no context"),
    }
}

fn list(kind: ParameterType) -> ParameterType {
    ParameterType::List(Box::new(kind))
}

fn map(kind: ParameterType) -> ParameterType {
    ParameterType::Map(Box::new(kind))
}

/// Evaluates with the context given by the request alone.
fn ask(
    parameters: &[(&str, ParameterType)],
    expression: &str,
    request: Value,
) -> Result<bool, EvaluationError> {
    let condition = define(parameters, expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
    condition.evaluate(&context(json!({})), &context(request))
}
