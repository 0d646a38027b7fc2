//! AgentInstance: an agent together with the environments that hold its values.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use super::EnvValue;
use super::environment::check_values;
use crate::tree::item;
use crate::{Kind, Mention, Problem, Reference};

/// An agent with its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AgentInstanceSpec {
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 4096), extend("format" = "text"))]
    pub description: String,
    /// The agent.
    pub agent_ref: Reference,
    /// Where values come from; later ones win.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub environment_refs: Vec<Reference>,
    /// Read as a list of one.
    #[serde(default, skip_serializing)]
    #[schemars(with = "Reference")]
    environment_ref: Option<Reference>,
    /// Values of this instance alone; they win over the environments.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "values_or_texts")]
    #[schemars(with = "BTreeMap<String, ValueOrText>", extend(
        "propertyNames" = {"format": "env-key"}, "maxProperties" = 1000
    ))]
    pub runtime_env: BTreeMap<String, EnvValue>,
}

fn values_or_texts<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, EnvValue>, D::Error> {
    let values = BTreeMap::<String, ValueOrText>::deserialize(deserializer)?;
    Ok(values.into_iter().map(|(key, value)| (key, value.0)).collect())
}

/// A value, or its text alone.
struct ValueOrText(EnvValue);

impl<'de> Deserialize<'de> for ValueOrText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Text(String),
            Value(EnvValue),
        }
        Ok(Self(match Either::deserialize(deserializer)? {
            Either::Value(value) => value,
            Either::Text(text) => EnvValue { value: Some(text), ..EnvValue::default() },
        }))
    }
}

impl JsonSchema for ValueOrText {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "EnvValueOrText".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<EnvValue>();
        json_schema!({"anyOf": [{"type": "string", "format": "text"}, value]})
    }
}

impl AgentInstanceSpec {
    /// Moves the single environment into the list, unless both were written.
    pub(super) fn settle(&mut self) {
        if self.environment_refs.is_empty() {
            self.environment_refs.extend(self.environment_ref.take());
        }
    }

    pub(super) fn problems(&self, problems: &mut Vec<Problem>) {
        check_values(&self.runtime_env, "spec.runtime_env", problems);
        if self.environment_ref.is_some() {
            let message = "environment_ref and environment_refs exclude each other";
            problems.push(Problem::error("spec.environment_ref", message).hint("keep environment_refs"));
        }
        for (index, reference) in self.environment_refs.iter().enumerate() {
            if self.environment_refs[..index].contains(reference) {
                let problem = Problem::error(item("spec.environment_refs", index), "is listed twice");
                problems.push(problem.hint("keep one of them"));
            }
        }
    }

    pub(super) fn mentions(&self) -> Vec<Mention> {
        let agent =
            Mention { path: "spec.agent_ref".into(), kind: Kind::Agent, reference: self.agent_ref.clone() };
        let environments = self.environment_refs.iter().enumerate().map(|(index, reference)| Mention {
            path: item("spec.environment_refs", index),
            kind: Kind::Environment,
            reference: reference.clone(),
        });
        std::iter::once(agent).chain(environments).collect()
    }
}
