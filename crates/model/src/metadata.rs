//! `metadata`: name, scope and labels; what the server sets is accepted on input and ignored.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Account, Key, Kind, Name, Organization, Problem, Revision, Scope, ScopeName};

/// What a document's `metadata` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Metadata {
    /// Lower case letters, digits and hyphens, 1 to 63, starting with a letter.
    #[schemars(with = "String", extend("format" = "slug"))]
    pub name: Name,
    /// Who can see it: `platform`, `organization` or `identity_account` (the default).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ScopeSchema")]
    pub scope: Option<ScopeName>,
    /// The organization; required when the scope is `organization`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("format" = "slug"))]
    pub org: Option<Organization>,
    /// Free key and value pairs to select by.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, Label>", extend("maxProperties" = 256, "propertyNames" = {"format": "line", "minLength": 1, "maxLength": 256}))]
    pub labels: BTreeMap<String, String>,
    /// Free key and value pairs for tools.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, Annotation>", extend("maxProperties" = 256, "propertyNames" = {"format": "line", "minLength": 1, "maxLength": 256}))]
    pub annotations: BTreeMap<String, String>,
    /// Set by the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub id: Option<String>,
    /// Set by the server; a document that carries an older one than the stored is a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64", range(min = 0))]
    pub revision: Option<Revision>,
    /// Set by the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub created_at: Option<String>,
    /// Set by the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub created_by: Option<String>,
    /// Set by the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub updated_at: Option<String>,
    /// Set by the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub updated_by: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case", inline)]
#[expect(dead_code, reason = "stands for ScopeName in the schema")]
enum ScopeSchema {
    Platform,
    Organization,
    IdentityAccount,
}

#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "stands for a label's text in the schema")]
struct Label(#[schemars(length(max = 256))] String);

#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "stands for an annotation's text in the schema")]
struct Annotation(#[schemars(length(max = 65536))] String);

impl Metadata {
    /// Only a name; everything else at its default.
    pub fn named(name: Name) -> Self {
        Self {
            name,
            scope: None,
            org: None,
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            id: None,
            revision: None,
            created_at: None,
            created_by: None,
            updated_at: None,
            updated_by: None,
        }
    }

    /// The identity of the resource when `caller` applies it. Call after `problems` found none.
    pub fn key(&self, kind: Kind, caller: &Account) -> Key {
        let scope = match (self.scope.unwrap_or_default(), &self.org) {
            (ScopeName::Platform, _) => Scope::Platform,
            (ScopeName::Organization, Some(org)) => Scope::Organization(org.clone()),
            _ => Scope::IdentityAccount(caller.clone()),
        };
        Key { kind, name: self.name.clone(), scope }
    }

    /// What is wrong with scope and organization together.
    pub(crate) fn problems(&self, kind: Kind) -> Vec<Problem> {
        let mut problems = Vec::new();
        let scope = self.scope.unwrap_or_default();
        match (scope, &self.org) {
            (ScopeName::Organization, None) => problems.push(
                Problem::error("metadata.org", "scope `organization` needs `org`")
                    .hint("add `org: NAME` under `metadata`, or use another scope"),
            ),
            (ScopeName::Platform | ScopeName::IdentityAccount, Some(_)) => problems.push(
                Problem::error("metadata.org", format!("`org` does not go with scope `{scope}`"))
                    .hint("set `scope: organization`, or remove `org`"),
            ),
            _ => {}
        }
        if !kind.allows(scope) {
            problems.push(
                Problem::error("metadata.scope", format!("{kind} cannot live in scope `{scope}`"))
                    .hint("use `organization` or `identity_account`"),
            );
        }
        problems
    }
}
