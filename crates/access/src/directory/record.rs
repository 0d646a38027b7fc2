//! The records a directory is made of, as storage keeps them.

use fga::Tuple;
use model::{Account, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Reach;

/// A person's account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountRecord {
    /// When it was made.
    pub created_at: Timestamp,
    /// By whom.
    pub created_by: Account,
    /// What the OIDC issuer calls this person, if it is not the account's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Whether it is a user of this machine, whom no issuer may name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
}

/// An organization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrganizationRecord {
    /// When it was made.
    pub created_at: Timestamp,
    /// By whom.
    pub created_by: Account,
}

/// A bearer token. Its text is not kept anywhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRecord {
    /// Whose it is.
    pub account: Account,
    /// The digest of its text.
    pub digest: String,
    /// What its maker calls it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// What it is good for.
    #[serde(default)]
    pub reach: Reach,
    /// When it was made.
    pub created_at: Timestamp,
    /// By whom.
    pub created_by: Account,
    /// When it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// When it was taken back; it stays known, so that its use is put on record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
}

/// A relation that somebody granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TupleRecord {
    /// To what.
    pub object: String,
    /// Which relation.
    pub relation: String,
    /// Who has it.
    pub subject: String,
    /// When it was granted.
    pub created_at: Timestamp,
    /// By whom.
    pub created_by: Account,
}

impl TupleRecord {
    /// The record of a tuple.
    pub fn new(tuple: &Tuple, created_at: Timestamp, created_by: Account) -> Self {
        Self {
            object: tuple.object.to_string(),
            relation: tuple.relation.clone(),
            subject: tuple.subject.to_string(),
            created_at,
            created_by,
        }
    }

    /// The tuple, if the texts are one.
    pub fn tuple(&self) -> Option<Tuple> {
        Tuple::parse(&self.object, &self.relation, &self.subject).ok()
    }
}

/// A tuple's id among the records. None of its parts can hold the characters between them.
pub fn tuple_id(tuple: &Tuple) -> String {
    format!("{} {} {}", tuple.object, tuple.relation, tuple.subject)
}

pub(super) fn parse_tuple_id(id: &str) -> Option<Tuple> {
    let mut parts = id.split(' ');
    let (object, relation, subject) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    Tuple::parse(object, relation, subject).ok()
}
