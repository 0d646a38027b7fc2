//! Environment: named values, some of them secret. The same shape declares variables elsewhere (`env_spec`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Problem;

/// One variable. A secret's value is taken out before anything stores or shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EnvValue {
    /// The value. Absent: declared only, or keep the stored secret. Empty clears a stored secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("format" = "text"))]
    pub value: Option<String>,
    /// Whether it is sealed at rest and never shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_secret: bool,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("format" = "text"))]
    pub description: String,
    /// Whether a server may start without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// A set of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EnvironmentSpec {
    /// What the set is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("format" = "text"))]
    pub description: String,
    /// The variables by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("propertyNames" = {"format": "env-key"}, "maxProperties" = 1000))]
    pub data: BTreeMap<String, EnvValue>,
}

impl EnvironmentSpec {
    /// Whether it declares and describes nothing.
    pub fn is_empty(&self) -> bool {
        self.description.is_empty() && self.data.is_empty()
    }

    pub(super) fn problems(&self, path: &str, problems: &mut Vec<Problem>) {
        check_values(&self.data, path, problems);
    }
}

/// What looks like a secret should be one.
pub(super) fn check_values(data: &BTreeMap<String, EnvValue>, path: &str, problems: &mut Vec<Problem>) {
    for (key, value) in data {
        if !value.is_secret && value.value.as_deref().is_some_and(|text| looks_secret(key, text)) {
            problems.push(
                Problem::warning(
                    format!("{path}.{key}.value"),
                    "looks like a secret but is stored in the clear",
                )
                .hint("add `is_secret: true`"),
            );
        }
    }
}

/// Whether a variable is named like a secret and holds its value, not a placeholder for it.
pub(super) fn looks_secret(key: &str, text: &str) -> bool {
    let key = key.to_ascii_uppercase();
    let named = ["TOKEN", "SECRET", "PASSWORD", "API_KEY", "APIKEY", "PRIVATE_KEY"];
    named.iter().any(|word| key.ends_with(word)) && !text.is_empty() && !text.contains("${")
}
