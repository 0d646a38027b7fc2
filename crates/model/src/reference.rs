//! References between resources: how they are written, and which resources they may mean.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::{Key, Kind, Name, Organization, Scope, ScopeName};

/// A reference as declared: a bare name, or a name with its scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Reference {
    /// The scope, when it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeName>,
    /// The organization, when it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub org: Option<Organization>,
    /// The kind as written, when it was; the field that holds the reference decides what it must be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The name.
    pub name: Name,
}

/// A reference found in a resource, with the field that holds it and the kind it must name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The field, as a path from the document's root.
    pub path: String,
    /// The kind the field refers to.
    pub kind: Kind,
    /// What was written.
    pub reference: Reference,
}

impl Mention {
    /// The resources it may mean, nearest first, seen from a resource in `holder`. Upwards only.
    pub fn candidates(&self, holder: &Scope) -> Vec<Key> {
        self.reference.candidates(self.kind, holder)
    }
}

impl Reference {
    /// A bare name.
    pub const fn bare(name: Name) -> Self {
        Self { scope: None, org: None, kind: None, name }
    }

    /// The resources it may mean, nearest first, seen from `holder`: own scope, then the platform, or just
    /// the scope it names.
    pub fn candidates(&self, kind: Kind, holder: &Scope) -> Vec<Key> {
        let key = |scope: Scope| Key { kind, name: self.name.clone(), scope };
        let scopes = match (self.scope, &self.org) {
            (Some(ScopeName::Platform), _) => vec![Scope::Platform],
            (Some(ScopeName::Organization) | None, Some(org)) => vec![Scope::Organization(org.clone())],
            (Some(ScopeName::Organization), None) => {
                holder.organization().map(|org| Scope::Organization(org.clone())).into_iter().collect()
            }
            (Some(ScopeName::IdentityAccount), _) => match holder {
                Scope::IdentityAccount(_) => vec![holder.clone()],
                _ => vec![],
            },
            (None, None) => match holder {
                Scope::Platform => vec![Scope::Platform],
                own => vec![own.clone(), Scope::Platform],
            },
        };
        scopes.into_iter().filter(|scope| kind.allows(scope.name())).map(key).collect()
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Fields(Fields),
}

#[derive(Deserialize)]
struct Fields {
    scope: Option<ScopeName>,
    org: Option<Organization>,
    kind: Option<String>,
    #[serde(alias = "slug")]
    name: Name,
}

impl TryFrom<Written> for Reference {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        match written {
            Written::Fields(Fields { scope, org, kind, name }) => Ok(Self { scope, org, kind, name }),
            Written::Text(text) => Self::parse(&text),
        }
    }
}

impl Reference {
    /// Reads `name`, `platform/name`, `identity_account/name` or `organization/org/name`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let name = |text: &str| text.parse::<Name>().map_err(|error| format!("name {error}"));
        let parts: Vec<&str> = text.split('/').collect();
        match parts.as_slice() {
            [bare] => Ok(Self::bare(name(bare)?)),
            ["organization", org, named] => Ok(Self {
                scope: Some(ScopeName::Organization),
                org: Some(org.parse().map_err(|error| format!("organization {error}"))?),
                kind: None,
                name: name(named)?,
            }),
            ["organization", _] => Err("write organization/ORG/NAME".to_owned()),
            [scope, named] => Ok(Self {
                scope: Some(scope.parse().map_err(|error: crate::UnknownScope| error.to_string())?),
                org: None,
                kind: None,
                name: name(named)?,
            }),
            _ => Err("write NAME, platform/NAME, identity_account/NAME or organization/ORG/NAME".to_owned()),
        }
    }
}

impl JsonSchema for Reference {
    fn schema_name() -> Cow<'static, str> {
        "Reference".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A resource's name, alone or with its scope",
            "anyOf": [
                {"type": "string", "format": "reference", "minLength": 1, "maxLength": 200},
                {
                    "type": "object",
                    "properties": {
                        "kind": {"type": "string"},
                        "scope": {"type": "string", "enum": ["platform", "organization", "identity_account"]},
                        "org": {"type": "string", "format": "slug"},
                        "name": {"type": "string", "format": "slug"},
                        "slug": {"type": "string", "format": "slug", "description": "Read as `name`"},
                    },
                    "x-exactly-one": ["name", "slug"],
                    "additionalProperties": false,
                },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Reference;
    use crate::{Kind, Scope};

    fn seen_from(text: &str, kind: Kind, holder: &Scope) -> Vec<String> {
        Reference::parse(text)
            .unwrap()
            .candidates(kind, holder)
            .iter()
            .map(|key| key.scope.to_string())
            .collect()
    }

    #[test]
    fn a_bare_name_looks_upwards_only() {
        let alice = Scope::IdentityAccount("alice".parse().unwrap());
        let org = Scope::Organization("acme".parse().unwrap());
        for (text, holder, expected) in [
            ("github", &alice, vec!["identity_account", "platform"]),
            ("github", &org, vec!["organization/acme", "platform"]),
            ("github", &Scope::Platform, vec!["platform"]),
            ("platform/github", &alice, vec!["platform"]),
            ("organization/other/github", &alice, vec!["organization/other"]),
            ("identity_account/github", &org, vec![]),
        ] {
            assert_eq!(seen_from(text, Kind::McpServer, holder), expected, "{text} from {holder}");
        }
    }

    #[test]
    fn a_kind_without_platform_scope_is_never_looked_up_there() {
        let alice = Scope::IdentityAccount("alice".parse().unwrap());
        assert_eq!(seen_from("prod", Kind::Environment, &alice), ["identity_account"]);
    }

    #[test]
    fn both_spellings_mean_the_same() {
        let text: Reference = serde_json::from_str("\"organization/acme/x\"").unwrap();
        let map: Reference =
            serde_json::from_str(r#"{"scope":"organization","org":"acme","slug":"x"}"#).unwrap();
        assert_eq!(text, map);
    }
}
