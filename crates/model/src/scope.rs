//! Where a resource lives: the platform, one organization, or one person's account.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::nearest;
use crate::{Account, Organization};

/// A scope as a manifest spells it, without its holder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScopeName {
    /// Visible to everyone, edited by operators.
    Platform,
    /// Visible to members, edited by admins.
    Organization,
    /// One person's own.
    #[default]
    IdentityAccount,
}

impl ScopeName {
    /// Every scope, widest first.
    pub const ALL: [Self; 3] = [Self::Platform, Self::Organization, Self::IdentityAccount];

    /// The spelling in manifests, routes and flags.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Platform => "platform",
            Self::Organization => "organization",
            Self::IdentityAccount => "identity_account",
        }
    }
}

impl fmt::Display for ScopeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A scope that is not one of the three.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{given}` is not a scope; use platform, organization or identity_account")]
pub struct UnknownScope {
    given: String,
    /// The known scope closest to what was given.
    pub nearest: Option<&'static str>,
}

impl FromStr for ScopeName {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text).ok_or_else(|| UnknownScope {
            given: text.escape_debug().take(80).collect(),
            nearest: nearest(text, Self::ALL.into_iter().map(Self::as_str)),
        })
    }
}

/// A scope with whoever holds it; the order is the order of lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The platform.
    Platform,
    /// An organization.
    Organization(Organization),
    /// A person's account.
    IdentityAccount(Account),
}

impl Scope {
    /// The scope's name, without its holder.
    pub const fn name(&self) -> ScopeName {
        match self {
            Self::Platform => ScopeName::Platform,
            Self::Organization(_) => ScopeName::Organization,
            Self::IdentityAccount(_) => ScopeName::IdentityAccount,
        }
    }

    /// The organization or account that holds it; empty for the platform.
    pub fn holder(&self) -> &str {
        match self {
            Self::Platform => "",
            Self::Organization(org) => org.as_str(),
            Self::IdentityAccount(account) => account.as_str(),
        }
    }

    /// Puts a stored scope and holder together again.
    pub fn from_parts(name: &str, holder: &str) -> Option<Self> {
        match (name.parse().ok()?, holder) {
            (ScopeName::Platform, "") => Some(Self::Platform),
            (ScopeName::Platform, _) => None,
            (ScopeName::Organization, org) => org.parse().ok().map(Self::Organization),
            (ScopeName::IdentityAccount, account) => account.parse().ok().map(Self::IdentityAccount),
        }
    }

    /// The organization, when it is one.
    pub const fn organization(&self) -> Option<&Organization> {
        match self {
            Self::Organization(org) => Some(org),
            _ => None,
        }
    }
}

/// As tables show it: `platform`, `organization/my-org`, `identity_account`.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Organization(org) => write!(f, "organization/{org}"),
            other => f.write_str(other.name().as_str()),
        }
    }
}
