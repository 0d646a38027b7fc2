//! A resource: what it is, where it lives, what it says, and when it last changed.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::spec::Spec;
use crate::{Kind, Metadata, Name, Scope, Timestamp};

/// The one API version.
pub const API_VERSION: &str = "agentic.stigmer.ai/v1";

/// The number of a commit; grows by one with each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Revision(pub i64);

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The identity of a resource. Ordered by kind, then name, then scope: the order of lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// What it is.
    pub kind: Kind,
    /// What it is called.
    pub name: Name,
    /// Where it lives.
    pub scope: Scope,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}` ({})", self.kind.title(), self.name, self.scope)
    }
}

/// A declared resource that passed validation, its secrets taken out or still inside.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// Name, scope and labels.
    pub metadata: Metadata,
    /// What it declares.
    pub spec: Spec,
}

impl Resource {
    /// Its kind, which the spec decides.
    pub const fn kind(&self) -> Kind {
        self.spec.kind()
    }
}

/// A resource as storage keeps it. The spec is JSON as written, since an older binary may have written it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// Its identity.
    pub key: Key,
    /// Random, never reused: a resource deleted and made again has another one.
    pub id: String,
    /// The commit that last changed it.
    pub revision: Revision,
    /// Labels, annotations and spec.
    pub body: Body,
    /// When it was first applied.
    pub created_at: Timestamp,
    /// By whom.
    pub created_by: String,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// By whom.
    pub updated_by: String,
}

/// What a person wrote of a resource, secrets' values apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// `metadata.labels`.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub labels: serde_json::Map<String, Value>,
    /// `metadata.annotations`.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub annotations: serde_json::Map<String, Value>,
    /// `spec`.
    pub spec: Value,
}
