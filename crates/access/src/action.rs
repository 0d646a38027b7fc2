//! What can be done, and to what, in the words of the authorization model.

use fga::{Object, Subject, Tuple};
use model::{Account, Key, Kind, Name, Organization, Scope};

/// What a caller wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Read it.
    View,
    /// Let an agent use it.
    Use,
    /// Create or change it.
    Edit,
    /// Remove it.
    Delete,
    /// Declare or start the program behind it.
    Spawn,
    /// Hand its secrets to a program.
    UseSecret,
    /// Answer for it when a call waits for approval.
    Approve,
    /// Say who else may.
    Grant,
    /// Look after the daemon itself: keys, backups, metrics, accounts.
    Operate,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 9] = [
        Self::View,
        Self::Use,
        Self::Edit,
        Self::Delete,
        Self::Spawn,
        Self::UseSecret,
        Self::Approve,
        Self::Grant,
        Self::Operate,
    ];

    /// The relation that gives it.
    pub const fn relation(self) -> &'static str {
        match self {
            Self::View => "can_view",
            Self::Use => "can_use",
            Self::Edit => "can_edit",
            Self::Delete => "can_delete",
            Self::Spawn => "can_spawn",
            Self::UseSecret => "can_use_secret",
            Self::Approve => "can_approve",
            Self::Grant => "can_grant",
            Self::Operate => "can_operate",
        }
    }

    /// The verb of the command line.
    pub const fn verb(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Use => "use",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Spawn => "spawn",
            Self::UseSecret => "use-secret",
            Self::Approve => "approve",
            Self::Grant => "grant",
            Self::Operate => "operate",
        }
    }

    /// The words for people.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::View => "read",
            Self::Use => "use it",
            Self::Edit => "write",
            Self::Delete => "delete",
            Self::Spawn => "declare programs that the daemon starts",
            Self::UseSecret => "use its secrets",
            Self::Approve => "approve",
            Self::Grant => "decide who may",
            Self::Operate => "operate the daemon",
        }
    }
}

impl std::str::FromStr for Action {
    type Err = UnknownAction;

    fn from_str(text: &str) -> Result<Self, UnknownAction> {
        let known = |action: &Self| action.verb() == text || action.relation() == text;
        Self::ALL.into_iter().find(known).ok_or_else(|| {
            let near = model::nearest(text, Self::ALL.into_iter().map(Self::verb));
            UnknownAction { given: text.escape_debug().take(80).collect(), near }
        })
    }
}

/// A verb that is none.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{given}` is not a verb{}; known are view, use, edit, delete, spawn, use-secret, approve, grant, operate",
    near.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default())]
pub struct UnknownAction {
    given: String,
    near: Option<&'static str>,
}

/// What they want to do it to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A declared resource, existing or not.
    Resource(Key),
    /// An organization.
    Organization(Organization),
    /// A person's account: their tokens.
    Account(Account),
    /// The installation.
    Platform,
}

/// The one platform's id.
const PLATFORM: &str = "outfitter";

/// The platform in the graph.
pub fn platform() -> Object {
    Object::new("platform", PLATFORM)
}

/// An organization in the graph.
pub fn organization(org: &Organization) -> Object {
    Object::new("organization", org.as_str())
}

/// A person in the graph.
pub fn account(account: &Account) -> Object {
    Object::new("identity_account", account.as_str())
}

/// A resource in the graph. Its id is its address, so that an explanation can be read.
pub fn resource(key: &Key) -> Object {
    let id = match &key.scope {
        Scope::Platform => format!("platform/{}", key.name),
        scope => format!("{}/{}/{}", scope.name(), scope.holder(), key.name),
    };
    Object::new(key.kind.type_name(), id)
}

/// The resource that an object stands for.
pub fn resource_of(object: &Object) -> Option<Key> {
    let kind = Kind::ALL.into_iter().find(|kind| kind.type_name() == object.type_name)?;
    let (scope, rest) = object.id.split_once('/')?;
    let (holder, name) = rest.rsplit_once('/').unwrap_or(("", rest));
    let name: Name = name.parse().ok()?;
    Some(Key { kind, name, scope: Scope::from_parts(scope, holder)? })
}

impl Target {
    /// The object it is in the graph.
    pub fn object(&self) -> Object {
        match self {
            Self::Resource(key) => resource(key),
            Self::Organization(org) => organization(org),
            Self::Account(name) => account(name),
            Self::Platform => platform(),
        }
    }

    /// The tuples that follow from what and where it is. They are not stored: the target's own row says the same, so
    /// that the two cannot come apart.
    pub fn implied(&self) -> Vec<Tuple> {
        let object = self.object();
        let tuple = |object: &Object, relation: &str, subject: Object| Tuple {
            object: object.clone(),
            relation: relation.to_owned(),
            subject: Subject::Object(subject),
            condition: None,
        };
        match self {
            Self::Platform => Vec::new(),
            Self::Organization(_) => vec![tuple(&object, "platform", platform())],
            Self::Account(name) => {
                vec![tuple(&object, "person", account(name)), tuple(&object, "platform", platform())]
            }
            Self::Resource(key) => {
                let mut implied = vec![tuple(&object, "host", platform())];
                match &key.scope {
                    Scope::Platform => implied.push(tuple(&object, "platform", platform())),
                    Scope::Organization(org) => {
                        implied.push(tuple(&object, "organization", organization(org)));
                        implied.push(tuple(&organization(org), "platform", platform()));
                    }
                    Scope::IdentityAccount(name) => {
                        implied.push(tuple(&object, "identity_account", account(name)));
                        implied.push(tuple(&object, "owner", account(name)));
                    }
                }
                implied
            }
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Platform => f.write_str("platform"),
            target => target.object().fmt(f),
        }
    }
}
