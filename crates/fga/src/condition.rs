//! Conditions: a tuple holds only where its CEL expression is true for the tuple's and the request's context.
//! Compiling and evaluating are bounded in time and memory, pure, and a failure is never an answer.

mod address;
mod check;
mod coerce;
mod cost;
mod environment;
mod error;
pub mod limits;
mod measure;
mod moment;
mod outcome;
mod parse;
mod pattern;
mod scan;
#[cfg(test)]
mod tests;

use cel::common::types::CelBool;
use cel::{ExecutionError, IdedExpr, Value};

pub use error::{CompileError, EvaluationError};

use crate::schema::{ConditionDefinition, ParameterType};
use measure::{Usage, Weight};

/// The values that a tuple or a request gives for a condition's parameters.
pub type Context = serde_json::Map<String, serde_json::Value>;

/// A condition that can be evaluated.
#[derive(Debug)]
pub struct Condition {
    name: String,
    parameters: Vec<(String, ParameterType)>,
    expression: IdedExpr,
    facts: check::Facts,
}

impl Condition {
    /// Compiles a definition, or says what is wrong with it.
    pub fn compile(definition: &ConditionDefinition) -> Result<Condition, CompileError> {
        let name = &definition.name;
        let parameters = &definition.parameters;
        check_parameters(name, parameters)?;
        let mut expression = parse::parse(name, &definition.expression)?;
        let names: Vec<_> = parameters.iter().map(|(parameter, _)| parameter.as_str()).collect();
        let facts = check::check(name, &names, &mut expression)?;
        if outcome::is_never_bool(parameters, &expression) {
            return Err(CompileError::NotBool { condition: name.clone() });
        }
        Ok(Condition { name: name.clone(), parameters: parameters.clone(), expression, facts })
    }

    /// The condition's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the condition holds. The tuple's own context wins over the request's where both give a
    /// parameter, and keys that are no parameters are ignored. Every parameter must be given, even where the
    /// answer could be told without. As everywhere in CEL, a loop takes a map's keys in no certain order.
    pub fn evaluate(&self, tuple: &Context, request: &Context) -> Result<bool, EvaluationError> {
        let given = || {
            let given = |name: &String| tuple.get(name).or_else(|| request.get(name));
            self.parameters.iter().filter_map(move |(name, kind)| Some((name, kind, given(name)?)))
        };
        let missing = |name: &&String| !tuple.contains_key(*name) && !request.contains_key(*name);
        let missing: Vec<String> =
            self.parameters.iter().map(|(name, _)| name).filter(missing).cloned().collect();
        if !missing.is_empty() {
            return Err(EvaluationError::Missing { condition: self.name.clone(), parameters: missing });
        }
        let mut usage = Usage::default();
        let mut context = cel::Context::with_env(environment::environment());
        for (name, kind, value) in given() {
            context.add_variable_as_val(name.as_str(), read(&mut usage, name, kind, value)?);
        }
        if self.facts.grows {
            let weights = given().map(|(name, _, value)| (name.as_str(), Weight::of(value)));
            if cost::steps(&self.expression, weights) > limits::EVALUATION_STEPS {
                return Err(EvaluationError::TooCostly { condition: self.name.clone() });
            }
        }
        let value = Value::resolve_val(&self.expression, &context);
        let value = value.map_err(|failure| EvaluationError::Failed {
            condition: self.name.clone(),
            reason: reason(&failure),
        })?;
        match value.downcast_ref::<CelBool>() {
            Some(answer) => Ok(*answer.inner()),
            None => Err(EvaluationError::NotBool {
                condition: self.name.clone(),
                found: value.get_type().name().to_owned(),
            }),
        }
    }

    /// What a tuple may carry: only declared parameters, each of its declared type.
    pub fn accepts(&self, tuple: &Context) -> Result<(), EvaluationError> {
        let mut usage = Usage::default();
        for (key, value) in tuple {
            let Some((name, kind)) = self.parameters.iter().find(|(name, _)| name == key) else {
                let condition = self.name.clone();
                return Err(EvaluationError::Undeclared { condition, parameter: key.clone() });
            };
            read(&mut usage, name, kind, value)?;
        }
        Ok(())
    }
}

fn read<'v>(
    usage: &mut Usage,
    name: &str,
    kind: &ParameterType,
    value: &'v serde_json::Value,
) -> Result<coerce::Bound<'v>, EvaluationError> {
    let parameter = || name.to_owned();
    usage.add(value).map_err(|reason| EvaluationError::TooLarge { parameter: parameter(), reason })?;
    let expected = || coerce::type_name(kind);
    coerce::coerce(kind, value)
        .ok_or_else(|| EvaluationError::Parameter { parameter: parameter(), expected: expected() })
}

fn check_parameters(condition: &str, parameters: &[(String, ParameterType)]) -> Result<(), CompileError> {
    for (index, (name, _)) in parameters.iter().enumerate() {
        let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let reason = if name.is_empty()
            || !name.chars().all(letters)
            || name.starts_with(|c: char| c.is_ascii_digit())
        {
            "it is not a name"
        } else if environment::environment().types().find_type(name).is_some() {
            "it is the name of a type"
        } else if parameters[..index].iter().any(|(earlier, _)| earlier == name) {
            "it is declared twice"
        } else {
            continue;
        };
        let (condition, parameter) = (condition.to_owned(), name.clone());
        return Err(CompileError::ParameterName { condition, parameter, reason });
    }
    Ok(())
}

/// What went wrong, without the values: they may be long, or nobody's business.
fn reason(failure: &ExecutionError) -> String {
    match failure {
        ExecutionError::NoSuchKey(_) => "a key is not there".to_owned(),
        ExecutionError::NoSuchOverload(overload) => overload.to_string(),
        ExecutionError::UnexpectedType { got, want } => {
            format!("got a value of type {got} instead of {want}")
        }
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "division by zero".to_owned()
        }
        ExecutionError::Overflow(..) => "a number is out of range".to_owned(),
        ExecutionError::IndexOutOfBounds(_) => "an index is out of bounds".to_owned(),
        ExecutionError::DuplicateKey(_) => "a map repeats a key".to_owned(),
        ExecutionError::FunctionError { function, .. } => format!("`{function}` cannot read its argument"),
        _ => "the values do not fit the operation".to_owned(),
    }
}
