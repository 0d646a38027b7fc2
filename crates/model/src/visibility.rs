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

/// The resources a caller may see: the platform's, some organizations', the caller's own, and single ones besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visibility {
    /// Whether platform resources are visible.
    pub platform: bool,
    /// Which organizations' resources are.
    pub organizations: Organizations,
    /// Whose personal resources are.
    pub account: Option<Account>,
    /// Single resources that are visible besides; sorted.
    pub also: Vec<Key>,
}

impl Visibility {
    /// Whether this admits the resource of `key`.
    pub fn admits(&self, key: &Key) -> bool {
        self.admits_scope(&key.scope) || self.also.binary_search(key).is_ok()
    }

    /// Whether this admits everything in `scope`, whatever it is.
    pub fn admits_scope(&self, scope: &Scope) -> bool {
        match scope {
            Scope::Platform => self.platform,
            Scope::Organization(org) => match &self.organizations {
                Organizations::All => true,
                Organizations::Only(orgs) => orgs.contains(org),
            },
            Scope::IdentityAccount(account) => self.account.as_ref() == Some(account),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Organizations, Visibility};
    use crate::{Key, Kind, Scope};

    fn key(kind: Kind, name: &str, scope: Scope) -> Key {
        Key { kind, name: name.parse().unwrap(), scope }
    }

    #[test]
    fn single_resources_are_admitted_besides_whole_scopes() {
        let org = |name: &str| Scope::Organization(name.parse().unwrap());
        let own = |name: &str| Scope::IdentityAccount(name.parse().unwrap());
        let visibility = Visibility {
            platform: false,
            organizations: Organizations::Only(vec!["acme".parse().unwrap()]),
            account: Some("alice".parse().unwrap()),
            also: vec![
                key(Kind::McpServer, "shared", org("other")),
                key(Kind::McpServer, "shared", own("bob")),
                key(Kind::Agent, "helper", Scope::Platform),
            ],
        };
        assert!(visibility.also.is_sorted());
        for (kind, name, scope, admitted) in [
            (Kind::McpServer, "any", org("acme"), true),
            (Kind::McpServer, "any", own("alice"), true),
            (Kind::McpServer, "any", own("Alice"), false),
            (Kind::McpServer, "shared", org("other"), true),
            (Kind::McpServer, "shared", own("bob"), true),
            (Kind::McpServer, "shared", Scope::Platform, false),
            (Kind::Agent, "shared", org("other"), false),
            (Kind::McpServer, "other", org("other"), false),
            (Kind::Agent, "helper", Scope::Platform, true),
        ] {
            let key = key(kind, name, scope);
            assert_eq!(visibility.admits(&key), admitted, "{key}");
        }
    }
}
