//! The decision. A [`Permit`] has private fields and only [`decide`] makes one; whatever acts takes a permit.

use fga::{Query, Reason, Subject};
use model::{Account, Revision, Scope, Timestamp};

use crate::action::account;
use crate::caller::Stand;
use crate::{Action, Caller, Directory, Target, Via};

/// Leave to act. Proof that a decision was made for this caller, action and target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permit {
    caller: Caller,
    action: Action,
    target: Target,
    decided_at: Revision,
}

impl Permit {
    /// Who may act.
    pub const fn account(&self) -> &Account {
        &self.caller.account
    }

    /// How they proved who they are.
    pub const fn via(&self) -> &Via {
        &self.caller.via
    }

    /// The commit that the decision rests on.
    pub const fn decided_at(&self) -> Revision {
        self.decided_at
    }

    /// The same decision by another directory; the credential must still hold too.
    pub fn again(&self, directory: &Directory, now: Timestamp) -> Result<Self, Denial> {
        if !directory.still_holds(&self.caller, now) {
            let reason = "the credential no longer holds".to_owned();
            return Err(Denial::Hidden { account: self.caller.account.clone(), reason });
        }
        decide(directory, &self.caller, self.action, self.target.clone())
    }

    /// What they may do.
    pub const fn action(&self) -> Action {
        self.action
    }

    /// To what.
    pub const fn target(&self) -> &Target {
        &self.target
    }

    /// Whether it is leave to do exactly this.
    pub fn is_for(&self, action: Action, target: &Target) -> bool {
        self.action == action && self.target == *target
    }
}

/// A refusal. What a caller may not even see is told apart, since it must answer like what does not exist.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum Denial {
    /// The caller may not know whether it exists.
    #[error("not visible to {account}")]
    Hidden {
        /// Who asked.
        account: Account,
        /// Why, for the audit log.
        reason: String,
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
        reason: String,
    },
}

impl Denial {
    /// Why, for the audit log.
    pub fn reason(&self) -> &str {
        match self {
            Self::Hidden { reason, .. } | Self::Forbidden { reason, .. } => reason,
        }
    }
}

/// Decides whether `caller` may do `action` to `target`.
pub fn decide(
    directory: &Directory,
    caller: &Caller,
    action: Action,
    target: Target,
) -> Result<Permit, Denial> {
    let account = &caller.account;
    let asked = match caller.covers(action, &target) {
        Stand::Outside => Err("the token does not reach it".to_owned()),
        Stand::ReadOnly => Err("the token is read-only".to_owned()),
        Stand::Within => match holds(directory, account, action, &target) {
            Ok(true) => Ok(()),
            Ok(false) => Err(missing(action, &target).to_owned()),
            Err(error) => Err(format!("undecided: {error}")),
        },
    };
    let Err(reason) = asked else {
        let decided_at = directory.revision();
        return Ok(Permit { caller: caller.clone(), action, target, decided_at });
    };
    let sees = caller.covers(Action::View, &target) == Stand::Within
        && holds(directory, account, Action::View, &target).unwrap_or(false);
    // That there is a platform is no secret.
    if action != Action::View && sees || target == Target::Platform {
        let (verb, scope) = (action.words(), place(&target));
        return Err(Denial::Forbidden { account: account.clone(), verb, scope, reason });
    }
    Err(Denial::Hidden { account: account.clone(), reason })
}

/// Why an account may do something: the relations that decide, from the target down; empty if it may not.
pub fn explain(directory: &Directory, who: &Account, action: Action, target: &Target) -> Vec<Reason> {
    let implied = target.implied();
    let query = Query::new(directory.graph()).contextual(&implied);
    query.explain(&target.object(), action.relation(), &Subject::Object(account(who))).unwrap_or_default()
}

fn holds(directory: &Directory, who: &Account, action: Action, target: &Target) -> Result<bool, fga::Error> {
    let implied = target.implied();
    let query = Query::new(directory.graph()).contextual(&implied);
    match query.check(&target.object(), action.relation(), &Subject::Object(account(who))) {
        // Not everything can be done to everything.
        Err(fga::Error::UnknownRelation { .. }) => Ok(false),
        answer => answer,
    }
}

/// Whose right it would have been.
fn missing(action: Action, target: &Target) -> &'static str {
    match (action, target) {
        (Action::Operate | Action::Grant, Target::Platform) => "only operators may",
        (Action::View | Action::Edit, Target::Account(_)) => "only they themselves and operators may",
        (Action::View, Target::Organization(_)) => "only its members and operators may",
        (Action::Edit | Action::Grant, Target::Organization(_)) => "only its admins and operators may",
        (Action::Operate, Target::Resource(_))
        | (_, Target::Platform | Target::Account(_) | Target::Organization(_)) => "that cannot be done to it",
        (Action::UseSecret, Target::Resource(_)) => {
            "only its owner, admins of its organization, and whom they granted it may"
        }
        (Action::Spawn, Target::Resource(key)) => match key.scope {
            Scope::IdentityAccount(_) => "only its owner may, and only operators while personal_spawn is off",
            Scope::Organization(_) => "only admins of the organization and operators may",
            Scope::Platform => "only operators may",
        },
        (Action::Delete | Action::Grant, Target::Resource(key)) => match key.scope {
            Scope::IdentityAccount(_) => "only its owner may",
            Scope::Organization(_) => "only admins of the organization and operators may",
            Scope::Platform => "only operators may",
        },
        (Action::View | Action::Use, Target::Resource(key)) if key.scope.organization().is_some() => {
            "only members of the organization, and whom its admins granted it, may"
        }
        (_, Target::Resource(key)) => match key.scope {
            Scope::IdentityAccount(_) => "only its owner, and whom they granted it, may",
            Scope::Organization(_) => {
                "only admins of the organization, operators, and whom they granted it, may"
            }
            Scope::Platform => "only operators, and whom they granted it, may",
        },
    }
}

fn place(target: &Target) -> String {
    match target {
        Target::Resource(key) => key.scope.to_string(),
        Target::Organization(org) => format!("organization/{org}"),
        Target::Account(_) => "identity_account".to_owned(),
        Target::Platform => "platform".to_owned(),
    }
}
