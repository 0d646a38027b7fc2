//! Records: what the daemon keeps beside the resources people declare.
//!
//! A record is JSON under a collection and an id; two ids are the same only when they are the same byte for byte.

use std::fmt;
use std::str::FromStr;

use serde_json::Value as Json;

use crate::Revision;

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Collection {
    /// A person's account.
    Account,
    /// An organization.
    Organization,
    /// A credential that was handed out.
    Token,
    /// A relationship between a subject and an object.
    Tuple,
}

impl Collection {
    /// Every collection.
    pub const ALL: [Self; 4] = [Self::Account, Self::Organization, Self::Token, Self::Tuple];

    /// The spelling in storage and in the audit log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Account => "accounts",
            Self::Organization => "organizations",
            Self::Token => "tokens",
            Self::Tuple => "tuples",
        }
    }

    /// The word for one of its records: `account`, `token`, ….
    pub const fn title(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Organization => "organization",
            Self::Token => "token",
            Self::Tuple => "tuple",
        }
    }
}

impl fmt::Display for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that names no collection.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{given}` is not a collection; known are accounts, organizations, tokens, tuples")]
pub struct UnknownCollection {
    given: String,
}

impl FromStr for Collection {
    type Err = UnknownCollection;

    fn from_str(text: &str) -> Result<Self, UnknownCollection> {
        Self::ALL
            .into_iter()
            .find(|collection| collection.as_str() == text)
            .ok_or_else(|| UnknownCollection { given: text.escape_debug().take(80).collect() })
    }
}

/// A record as storage keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// What it is about.
    pub collection: Collection,
    /// Its identity within the collection.
    pub id: String,
    /// What it says.
    pub body: Json,
    /// The commit that last changed it.
    pub revision: Revision,
}

/// One record's change.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordChange {
    /// What it is about.
    pub collection: Collection,
    /// Its identity within the collection.
    pub id: String,
    /// What it says now; nothing when it is gone.
    pub body: Option<Json>,
}

#[cfg(test)]
mod tests {
    use super::Collection;
    use crate::Kind;

    #[test]
    fn a_collection_survives_its_text_form_and_is_no_kind() {
        for collection in Collection::ALL {
            assert_eq!(collection.to_string().parse(), Ok(collection));
            assert!(collection.as_str().parse::<Kind>().is_err(), "the history tells them apart by the word");
        }
        for unknown in ["", "account", "Tokens", "tuples "] {
            let error = unknown.parse::<Collection>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{unknown}` is not a collection")), "{error}");
        }
    }
}
