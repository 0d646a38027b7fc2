//! Who asks, how they proved it, and how far what they hold reaches.

use model::{Account, Key, Organization, Scope, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Action, Target};

/// How a caller proved who they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Via {
    /// The kernel vouched for the user at the other end of the Unix socket.
    Socket,
    /// The operator's token of this data directory.
    OperatorToken,
    /// A token made by `outfitter token create`, with its id.
    Token(String),
    /// A JWT of the configured issuer.
    Oidc,
}

impl Via {
    /// The word for audit rows.
    pub fn label(&self) -> String {
        match self {
            Self::Socket => "socket".to_owned(),
            Self::OperatorToken => "token".to_owned(),
            Self::Token(id) => format!("token {id}"),
            Self::Oidc => "oidc".to_owned(),
        }
    }
}

/// An authenticated caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The account they act as.
    pub account: Account,
    /// How they proved it.
    pub via: Via,
    /// What their credential is good for; never more than the account itself may.
    pub reach: Reach,
    /// When their credential ends.
    pub expires_at: Option<Timestamp>,
}

impl Caller {
    /// Someone whose credential is good for all they may do.
    pub fn new(account: Account, via: Via) -> Self {
        Self { account, via, reach: Reach::default(), expires_at: None }
    }

    /// How their credential stands to what is wanted. A narrowed one is good for its own account, and for nobody else's.
    pub(crate) fn covers(&self, action: Action, target: &Target) -> Stand {
        match target {
            Target::Account(other) if *other != self.account && self.reach.within != Within::Everything => {
                Stand::Outside
            }
            _ => self.reach.covers(action, target),
        }
    }
}

/// What a credential is good for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reach {
    /// Reading only.
    #[serde(default)]
    pub read_only: bool,
    /// Only what belongs here.
    #[serde(default)]
    pub within: Within,
}

/// The part of the world a credential is good for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Within {
    /// Wherever the account may go.
    #[default]
    Everything,
    /// One organization; what the platform offers everyone may be viewed and used from there.
    Organization(Organization),
    /// One agent.
    Agent(AgentAddress),
}

/// Where an agent lives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentAddress {
    /// Its scope.
    pub scope: model::ScopeName,
    /// The organization or account that holds the scope.
    #[serde(default)]
    pub holder: String,
    /// Its name.
    pub name: model::Name,
}

impl AgentAddress {
    /// The address of an agent.
    pub fn of(key: &Key) -> Self {
        Self { scope: key.scope.name(), holder: key.scope.holder().to_owned(), name: key.name.clone() }
    }

    /// The agent's identity.
    pub fn key(&self) -> Option<Key> {
        let scope = Scope::from_parts(self.scope.as_str(), &self.holder)?;
        Some(Key { kind: model::Kind::Agent, name: self.name.clone(), scope })
    }
}

/// How a credential stands to what is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stand {
    /// It is good for it.
    Within,
    /// It is good for reading it.
    ReadOnly,
    /// It is not good for it at all.
    Outside,
}

impl Reach {
    /// Whether the credential narrows anything.
    pub fn is_whole(&self) -> bool {
        *self == Self::default()
    }

    fn covers(&self, action: Action, target: &Target) -> Stand {
        let looks = matches!(action, Action::View | Action::Use);
        let inside = match (&self.within, target) {
            (Within::Everything, _) => true,
            (Within::Organization(org), Target::Resource(key)) => match &key.scope {
                Scope::Platform => looks,
                Scope::Organization(of) => of == org,
                Scope::IdentityAccount(_) => false,
            },
            (Within::Organization(org), Target::Organization(of)) => of == org,
            (Within::Organization(_), Target::Platform | Target::Account(_))
            | (Within::Agent(_), Target::Platform) => action == Action::View,
            (Within::Agent(agent), Target::Resource(key)) => looks && agent.key().as_ref() == Some(key),
            (Within::Agent(_), Target::Organization(_) | Target::Account(_)) => false,
        };
        match (inside, self.read_only && action != Action::View) {
            (false, _) => Stand::Outside,
            (true, true) => Stand::ReadOnly,
            (true, false) => Stand::Within,
        }
    }
}
