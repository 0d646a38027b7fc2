//! The decision. A [`Permit`] has private fields and only [`decide`] makes one; whatever acts takes a permit.

use model::{Account, Key, Scope};

use crate::{Caller, Via};

/// What a caller wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Read it.
    View,
    /// Create or change it.
    Edit,
    /// Remove it.
    Delete,
    /// Look after the daemon itself: keys, backups, metrics.
    Operate,
}

/// What they want to do it to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A declared resource, existing or not.
    Resource(Key),
    /// The daemon.
    Daemon,
}

/// Leave to act. Proof that a decision was made for this caller, action and target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permit {
    account: Account,
    via: Via,
    action: Action,
    target: Target,
}

impl Permit {
    /// Who may act.
    pub const fn account(&self) -> &Account {
        &self.account
    }

    /// How they proved who they are.
    pub const fn via(&self) -> Via {
        self.via
    }

    /// What they may do.
    pub const fn action(&self) -> Action {
        self.action
    }

    /// To what.
    pub const fn target(&self) -> &Target {
        &self.target
    }
}

/// A refusal. What a caller may not even see is told apart, since it must answer like what does not exist.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Denial {
    /// The caller may not know whether it exists.
    #[error("not visible to {account}")]
    Hidden {
        /// Who asked.
        account: Account,
    },
    /// The caller may see it, but not do this.
    #[error("{account} may not {verb} in scope {scope}: {reason}")]
    Forbidden {
        /// Who asked.
        account: Account,
        /// What they wanted.
        verb: &'static str,
        /// Where.
        scope: String,
        /// Why not.
        reason: &'static str,
    },
}

/// Decides whether `caller` may do `action` to `target`.
pub fn decide(caller: &Caller, action: Action, target: Target) -> Result<Permit, Denial> {
    let account = &caller.account;
    let forbidden = |scope: String, reason| Denial::Forbidden {
        account: account.clone(),
        verb: match action {
            Action::View => "read",
            Action::Edit => "write",
            Action::Delete => "delete",
            Action::Operate => "operate the daemon",
        },
        scope,
        reason,
    };
    match &target {
        Target::Daemon if caller.operator => {}
        Target::Daemon => return Err(forbidden("platform".into(), "only operators may")),
        Target::Resource(key) => match &key.scope {
            Scope::Platform if caller.operator || action == Action::View => {}
            Scope::Platform => return Err(forbidden("platform".into(), "only operators may")),
            Scope::Organization(_) if caller.operator => {}
            Scope::IdentityAccount(owner) if owner == account => {}
            Scope::Organization(_) | Scope::IdentityAccount(_) => {
                return Err(Denial::Hidden { account: account.clone() });
            }
        },
    }
    Ok(Permit { account: account.clone(), via: caller.via, action, target })
}

#[cfg(test)]
mod tests {
    use model::{Kind, Scope};

    use super::*;

    fn caller(name: &str, operator: bool) -> Caller {
        Caller { account: name.parse().unwrap(), operator, via: Via::Socket }
    }

    fn ask(caller: &Caller, action: Action, scope: Scope) -> &'static str {
        let target = Target::Resource(Key { kind: Kind::McpServer, name: "x".parse().unwrap(), scope });
        match decide(caller, action, target) {
            Ok(_) => "yes",
            Err(Denial::Hidden { .. }) => "hidden",
            Err(Denial::Forbidden { .. }) => "no",
        }
    }

    #[test]
    fn the_scope_table_holds() {
        let (operator, alice) = (caller("root", true), caller("alice", false));
        let own = Scope::IdentityAccount("alice".parse().unwrap());
        let org = Scope::Organization("acme".parse().unwrap());
        for (who, action, scope, expected) in [
            (&alice, Action::View, &Scope::Platform, "yes"),
            (&alice, Action::Edit, &Scope::Platform, "no"),
            (&alice, Action::Delete, &Scope::Platform, "no"),
            (&alice, Action::Edit, &own, "yes"),
            (&alice, Action::View, &org, "hidden"),
            (&operator, Action::Edit, &Scope::Platform, "yes"),
            (&operator, Action::Edit, &org, "yes"),
            (&operator, Action::View, &own, "hidden"),
        ] {
            assert_eq!(ask(who, action, scope.clone()), expected, "{who:?} {action:?} {scope}");
        }
    }

    #[test]
    fn only_operators_look_after_the_daemon() {
        assert!(decide(&caller("root", true), Action::Operate, Target::Daemon).is_ok());
        assert!(decide(&caller("alice", false), Action::Operate, Target::Daemon).is_err());
    }

    #[test]
    fn what_is_visible_equals_what_may_be_viewed() {
        let scopes = [
            Scope::Platform,
            Scope::Organization("acme".parse().unwrap()),
            Scope::IdentityAccount("alice".parse().unwrap()),
            Scope::IdentityAccount("root".parse().unwrap()),
        ];
        for who in [caller("root", true), caller("alice", false)] {
            for scope in &scopes {
                let key = Key { kind: Kind::Agent, name: "x".parse().unwrap(), scope: scope.clone() };
                let seen = crate::visible(&who, Kind::Agent).admits(&key);
                assert_eq!(
                    seen,
                    decide(&who, Action::View, Target::Resource(key)).is_ok(),
                    "{who:?} {scope}"
                );
            }
        }
    }
}
