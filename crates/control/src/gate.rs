//! The only way from a route to the store. Every method takes proof of a decision, so that nothing is read or written
//! that nobody decided on.

mod rights;
mod stream;

use access::{Action, Permit, Target, Visible};
use model::{Collection, Key, Revision, SecretText, Stored, Timestamp};
use storage::{
    Actor, BackupError, CommitError, Committed, Denied, Edit, Expected, Page, Put, Query, RecordEdit,
    RotateError, Rotated, Store, Unavailable, Write,
};
use tokio::io::AsyncWrite;

pub(crate) use self::rights::Rights;
pub(crate) use self::stream::{Stream, Told};

/// The store, behind permits.
#[derive(Clone)]
pub(crate) struct Gate {
    store: Store,
}

/// An edit that a permit allows.
pub(crate) struct Permitted(Edit);

impl Permitted {
    /// Leave to edit is leave to put.
    pub(crate) fn put(permit: &Permit, put: Put) -> Self {
        require(permit, Action::Edit, &Target::Resource(put.key.clone()));
        Self(Edit::Put(Box::new(put)))
    }

    /// Leave to delete.
    pub(crate) fn delete(permit: &Permit, key: Key, expected: Expected, force: bool) -> Self {
        require(permit, Action::Delete, &Target::Resource(key.clone()));
        Self(Edit::Delete { key, expected, force })
    }

    /// Leave to say who may: one tuple about the permit's target.
    pub(crate) fn grant(permit: &Permit, tuple: &access::Tuple, edit: RecordEdit) -> Self {
        let fits = permit.action() == Action::Grant && permit.target().object() == tuple.object;
        assert!(fits && edit.id == access::tuple_id(tuple), "a grant needs leave to grant on its own object");
        Self(Edit::Record(edit))
    }

    /// Leave to change someone's tokens.
    pub(crate) fn token(permit: &Permit, owner: &model::Account, edit: RecordEdit) -> Self {
        require(permit, Action::Edit, &Target::Account(owner.clone()));
        assert_eq!(edit.collection, Collection::Token, "leave to change an account is for its tokens");
        Self(Edit::Record(edit))
    }

    /// Leave to operate: accounts and organizations, and who is in a new one.
    pub(crate) fn operate(permit: &Permit, edit: RecordEdit) -> Self {
        require(permit, Action::Operate, &Target::Platform);
        Self(Edit::Record(edit))
    }
}

/// A permit for something else would be a fault of this crate, and must not pass.
fn require(permit: &Permit, action: Action, target: &Target) {
    assert!(permit.is_for(action, target), "a permit for {:?} was used for {action:?}", permit.action());
}

impl Gate {
    pub(crate) fn new(store: Store) -> Self {
        Self { store }
    }

    /// The first of the resources that exists, in the order of the permits.
    pub(crate) async fn first(&self, permits: &[Permit]) -> Result<Option<Stored>, Unavailable> {
        let viewed = permits.iter().filter(|permit| permit.action() == Action::View);
        let keys: Vec<Key> = viewed
            .filter_map(|permit| match permit.target() {
                Target::Resource(key) => Some(key.clone()),
                _ => None,
            })
            .collect();
        if keys.is_empty() { Ok(None) } else { self.store.first(&keys).await }
    }

    /// One page of what is visible; the query's own filter only narrows it.
    pub(crate) async fn list(&self, visible: &Visible, query: Query) -> Result<Page, Unavailable> {
        let query = Query { kind: visible.kind(), visibility: visible.filter().clone(), ..query };
        self.store.list(&query).await
    }

    /// Commits what was permitted, for whoever was permitted.
    pub(crate) async fn commit(&self, by: &Permit, write: Draft) -> Result<Committed, CommitError> {
        self.store.commit(write.signed(by)).await
    }

    /// What a commit would do.
    pub(crate) async fn rehearse(&self, by: &Permit, write: Draft) -> Result<Committed, CommitError> {
        self.store.rehearse(write.signed(by)).await
    }

    /// Everything after a revision that a reader with these rights may see.
    pub(crate) fn watch(&self, from: Revision, rights: Rights) -> Stream {
        Stream::new(self.store.watch(from), rights, from)
    }

    pub(crate) async fn revision(&self) -> Result<Revision, Unavailable> {
        self.store.revision().await
    }

    pub(crate) async fn ready(&self) -> Result<(), Unavailable> {
        self.store.ready().await
    }

    /// Puts a denial on record.
    pub(crate) async fn deny(&self, denied: Denied) {
        self.store.deny(denied).await;
    }

    pub(crate) async fn denials(
        &self,
        permit: &Permit,
        after: Option<(Timestamp, String)>,
        limit: usize,
    ) -> Result<Vec<(String, Denied)>, Unavailable> {
        require(permit, Action::Operate, &Target::Platform);
        self.store.denials(after, limit).await
    }

    pub(crate) async fn backup(
        &self,
        permit: &Permit,
        writer: impl AsyncWrite + Unpin + Send,
    ) -> Result<(), BackupError> {
        require(permit, Action::Operate, &Target::Platform);
        self.store.backup(writer).await.map(drop)
    }

    pub(crate) async fn rotate_key(
        &self,
        permit: &Permit,
        passphrase: Option<SecretText>,
    ) -> Result<Rotated, RotateError> {
        require(permit, Action::Operate, &Target::Platform);
        self.store.rotate_key(passphrase).await
    }
}

/// Permitted edits that happen together.
pub(crate) struct Draft {
    pub(crate) at: Timestamp,
    pub(crate) edits: Vec<Permitted>,
    pub(crate) strict: bool,
}

impl Draft {
    /// One edit, now.
    pub(crate) fn of(at: Timestamp, edits: Vec<Permitted>) -> Self {
        Self { at, edits, strict: false }
    }

    fn signed(self, by: &Permit) -> Write {
        Write {
            actor: Actor { account: by.account().clone(), via: by.via().label() },
            at: self.at,
            edits: self.edits.into_iter().map(|Permitted(edit)| edit).collect(),
            strict: self.strict,
        }
    }
}
