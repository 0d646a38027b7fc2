//! What a caller may see, as a filter that storage can push into a query.

use crate::{Account, Key, Organization, Scope};

/// Which organizations' resources are visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Organizations {
    /// Every organization's, for operators.
    All,
    /// Those of the named ones only, sorted.
    Only(Vec<Organization>),
}

/// The resources a caller may see: the platform's, some organizations', and the caller's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visibility {
    /// Whether platform resources are visible.
    pub platform: bool,
    /// Which organizations' resources are.
    pub organizations: Organizations,
    /// Whose personal resources are.
    pub account: Option<Account>,
}

impl Visibility {
    /// Whether this admits the resource of `key`.
    pub fn admits(&self, key: &Key) -> bool {
        match &key.scope {
            Scope::Platform => self.platform,
            Scope::Organization(org) => match &self.organizations {
                Organizations::All => true,
                Organizations::Only(orgs) => orgs.contains(org),
            },
            Scope::IdentityAccount(account) => self.account.as_ref() == Some(account),
        }
    }
}
