//! Everything that decisions rest on, as of one revision: who there is, what they hold, and who was granted what.
//!
//! A directory is a snapshot. Applying a change makes the next one and shares what did not change. Law: applying a
//! history in any pieces equals loading all of it.

mod record;

use std::sync::{Arc, OnceLock};

use fga::{Graph, Model, Object, Subject, Tuple};
use imbl::{HashMap, OrdMap};
use model::{Account, Change, Changes, Collection, Organization, Record, RecordChange, Revision, Timestamp};

pub use self::record::{AccountRecord, OrganizationRecord, TokenRecord, TupleRecord, tuple_id};
use crate::action::platform;
use crate::{Caller, Via};

/// The authorization model, as text.
pub const MODEL: &str = include_str!("outfitter.fga");

/// Names kept without a use, before they are dropped.
const SPARE_NAMES: usize = 10_000;

/// What the daemon's configuration says about rights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Whether people may declare and start programs in their own scope.
    pub personal_spawn: bool,
}

/// Why a credential is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Nobody holds it.
    #[error("the token is not valid")]
    Unknown,
    /// Its time is over.
    #[error("the token {id} expired at {at}")]
    Expired {
        /// The token.
        id: String,
        /// Whose it was.
        account: Account,
        /// When.
        at: Timestamp,
    },
    /// It was taken back.
    #[error("the token {id} was revoked")]
    Revoked {
        /// The token.
        id: String,
        /// Whose it was.
        account: Account,
    },
    /// The issuer names someone who is not known by that name alone.
    #[error("`{0}` is not an account that the issuer may name")]
    Reserved(String),
}

/// The snapshot.
#[derive(Clone, Debug)]
pub struct Directory {
    revision: Revision,
    graph: Graph,
    accounts: OrdMap<Account, AccountRecord>,
    /// Accounts by what the issuer calls them.
    subjects: HashMap<String, Account>,
    organizations: OrdMap<Organization, OrganizationRecord>,
    /// Tokens by id.
    tokens: OrdMap<String, TokenRecord>,
    /// Ids of tokens by digest.
    digests: HashMap<String, String>,
    /// Records that could not be read; they grant nothing.
    unread: usize,
}

fn model() -> Arc<Model> {
    static COMPILED: OnceLock<Arc<Model>> = OnceLock::new();
    let compile =
        || Arc::new(Model::parse(MODEL).expect("the model in this crate is valid; a test compiles it"));
    Arc::clone(COMPILED.get_or_init(compile))
}

impl Directory {
    /// Nobody, and nothing granted.
    pub fn new(settings: Settings) -> Self {
        let mut graph = Graph::new(model());
        let everyone = |relation: &str| Tuple {
            object: platform(),
            relation: relation.to_owned(),
            subject: Subject::Wildcard("identity_account".to_owned()),
            condition: None,
        };
        let held = ["signed_in"].into_iter().chain(settings.personal_spawn.then_some("personal_spawner"));
        for relation in held {
            graph.insert(&everyone(relation)).expect("the model in this crate takes everyone here");
        }
        Self {
            revision: Revision(0),
            graph,
            accounts: OrdMap::new(),
            subjects: HashMap::new(),
            organizations: OrdMap::new(),
            tokens: OrdMap::new(),
            digests: HashMap::new(),
            unread: 0,
        }
    }

    /// All records of a revision.
    pub fn load(settings: Settings, records: &[Record], revision: Revision) -> Self {
        let mut directory = Self::new(settings);
        for record in records {
            directory.put(record.collection, &record.id, Some(&record.body));
        }
        directory.revision = revision;
        directory
    }

    /// The directory after a commit.
    #[must_use]
    pub fn apply(&self, changes: &Changes) -> Self {
        let mut next = self.clone();
        for change in &changes.changes {
            if let Change::Record(RecordChange { collection, id, body }) = change {
                next.put(*collection, id, body.as_ref());
            }
        }
        next.revision = changes.revision;
        if next.graph.name_count() > 2 * next.graph.len() + SPARE_NAMES {
            next.graph = next.graph.compacted();
        }
        next
    }

    /// The commit it is as of.
    pub const fn revision(&self) -> Revision {
        self.revision
    }

    /// The tuples.
    pub const fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The accounts that were made here, by name.
    pub fn accounts(&self) -> impl Iterator<Item = (&Account, &AccountRecord)> {
        self.accounts.iter()
    }

    /// One account's record.
    pub fn account(&self, name: &Account) -> Option<&AccountRecord> {
        self.accounts.get(name)
    }

    /// The organizations, by name.
    pub fn organizations(&self) -> impl Iterator<Item = (&Organization, &OrganizationRecord)> {
        self.organizations.iter()
    }

    /// Whether an organization was made.
    pub fn has_organization(&self, org: &Organization) -> bool {
        self.organizations.contains_key(org)
    }

    /// The tokens that were not revoked, by id.
    pub fn tokens(&self) -> impl Iterator<Item = (&String, &TokenRecord)> {
        self.tokens.iter().filter(|(_, token)| token.revoked_at.is_none())
    }

    /// One token that was not revoked.
    pub fn token(&self, id: &str) -> Option<&TokenRecord> {
        self.tokens.get(id).filter(|token| token.revoked_at.is_none())
    }

    /// How many records could not be read.
    pub const fn unread(&self) -> usize {
        self.unread
    }

    /// Whether anybody operates the platform.
    pub fn has_operator(&self) -> bool {
        self.graph.about(&platform()).iter().any(|tuple| tuple.relation == "operator")
    }

    /// The grants on an object.
    pub fn grants(&self, object: &Object) -> Vec<Tuple> {
        let mut tuples = self.graph.about(object);
        tuples.retain(|tuple| grantable(&tuple.object.type_name, &tuple.relation));
        tuples
    }

    /// Whether a tuple is one that the model admits.
    pub fn admits(&self, tuple: &Tuple) -> Result<(), fga::Unfit> {
        fga::Overlay::new(&self.graph).add(tuple)
    }

    /// Who holds the token with this digest.
    pub fn bearer(&self, digest: &str, now: Timestamp) -> Result<Caller, Refused> {
        let id = self.digests.get(digest).ok_or(Refused::Unknown)?;
        let token = self.tokens.get(id).ok_or(Refused::Unknown)?;
        if token.revoked_at.is_some() {
            return Err(Refused::Revoked { id: id.clone(), account: token.account.clone() });
        }
        if let Some(at) = token.expires_at.filter(|at| *at <= now) {
            return Err(Refused::Expired { id: id.clone(), account: token.account.clone(), at });
        }
        Ok(Caller {
            account: token.account.clone(),
            via: Via::Token(id.clone()),
            reach: token.reach.clone(),
            expires_at: token.expires_at,
        })
    }

    /// Whom the issuer means: the account linked to that name, else the one spelt like it, unless that one belongs to
    /// someone at this machine or is linked to another name.
    pub fn issued(&self, subject: &str, expires_at: Timestamp) -> Result<Caller, Refused> {
        let reserved = || Refused::Reserved(subject.escape_debug().take(80).collect());
        let account = if let Some(linked) = self.subjects.get(subject) {
            linked.clone()
        } else {
            let account: Account = subject.parse().map_err(|_| reserved())?;
            let known = self.accounts.get(&account);
            if known.is_some_and(|known| known.local || known.subject.is_some()) {
                return Err(reserved());
            }
            account
        };
        Ok(Caller { expires_at: Some(expires_at), ..Caller::new(account, Via::Oidc) })
    }

    /// Whether a caller's credential is still what it was.
    pub fn still_holds(&self, caller: &Caller, now: Timestamp) -> bool {
        let kept = match &caller.via {
            Via::Token(id) => self.token(id).is_some_and(|token| token.reach == caller.reach),
            Via::Socket | Via::OperatorToken | Via::Oidc => true,
        };
        kept && caller.expires_at.is_none_or(|at| at > now)
    }

    /// Takes one record in, or out.
    fn put(&mut self, collection: Collection, id: &str, body: Option<&serde_json::Value>) {
        let read = match collection {
            Collection::Account => self.put_account(id, body),
            Collection::Organization => self.put_organization(id, body),
            Collection::Token => self.put_token(id, body),
            Collection::Tuple => self.put_tuple(id, body),
        };
        if read.is_none() {
            self.unread += 1;
        }
    }

    fn put_account(&mut self, id: &str, body: Option<&serde_json::Value>) -> Option<()> {
        let account: Account = id.parse().ok()?;
        if let Some(subject) = self.accounts.remove(&account).and_then(|before| before.subject) {
            self.subjects.remove(&subject);
        }
        if let Some(body) = body {
            let record: AccountRecord = serde_json::from_value(body.clone()).ok()?;
            if let Some(subject) = &record.subject {
                self.subjects.insert(subject.clone(), account.clone());
            }
            self.accounts.insert(account, record);
        }
        Some(())
    }

    fn put_organization(&mut self, id: &str, body: Option<&serde_json::Value>) -> Option<()> {
        let org: Organization = id.parse().ok()?;
        self.organizations.remove(&org);
        if let Some(body) = body {
            self.organizations.insert(org, serde_json::from_value(body.clone()).ok()?);
        }
        Some(())
    }

    fn put_token(&mut self, id: &str, body: Option<&serde_json::Value>) -> Option<()> {
        if let Some(before) = self.tokens.remove(id) {
            self.digests.remove(&before.digest);
        }
        if let Some(body) = body {
            let record: TokenRecord = serde_json::from_value(body.clone()).ok()?;
            self.digests.insert(record.digest.clone(), id.to_owned());
            self.tokens.insert(id.to_owned(), record);
        }
        Some(())
    }

    fn put_tuple(&mut self, id: &str, body: Option<&serde_json::Value>) -> Option<()> {
        match body {
            None => {
                let tuple = record::parse_tuple_id(id)?;
                self.graph.remove(&tuple);
            }
            Some(body) => {
                let record: TupleRecord = serde_json::from_value(body.clone()).ok()?;
                let tuple = record.tuple().filter(|tuple| tuple_id(tuple) == id)?;
                if !grantable(&tuple.object.type_name, &tuple.relation) {
                    return None;
                }
                self.graph.insert(&tuple).ok()?;
            }
        }
        Some(())
    }
}

/// Whether a relation is given by people; the others follow from what and where a thing is.
pub fn grantable(type_name: &str, relation: &str) -> bool {
    match type_name {
        "platform" => relation == "operator",
        "organization" => matches!(relation, "admin" | "member"),
        "identity_account" => false,
        _ => matches!(relation, "editor" | "viewer" | "approver" | "secret_user"),
    }
}
