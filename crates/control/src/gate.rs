//! The only way from a route to the store. Every method takes proof of a decision, so that nothing is read or written
//! that nobody decided on.

mod rights;
mod stream;

use access::{Action, Denial, Directory, Permit, Target, Visible};
use edge::Failure;
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
pub(crate) struct Permitted {
    edit: Edit,
    permit: Permit,
}

impl Permitted {
    fn new(permit: &Permit, edit: Edit) -> Self {
        Self { edit, permit: permit.clone() }
    }

    /// Leave to edit is leave to put.
    pub(crate) fn put(permit: &Permit, put: Put) -> Self {
        require(permit, Action::Edit, &Target::Resource(put.key.clone()));
        Self::new(permit, Edit::Put(Box::new(put)))
    }

    /// Leave to delete.
    pub(crate) fn delete(permit: &Permit, key: Key, expected: Expected, force: bool) -> Self {
        require(permit, Action::Delete, &Target::Resource(key.clone()));
        Self::new(permit, Edit::Delete { key, expected, force })
    }

    /// Leave to say who may: one tuple about the permit's target.
    pub(crate) fn grant(permit: &Permit, tuple: &access::Tuple, edit: RecordEdit) -> Self {
        let fits = permit.action() == Action::Grant && permit.target().object() == tuple.object;
        assert!(fits && edit.id == access::tuple_id(tuple), "a grant needs leave to grant on its own object");
        Self::new(permit, Edit::Record(edit))
    }

    /// Leave to change someone's tokens.
    pub(crate) fn token(permit: &Permit, owner: &model::Account, edit: RecordEdit) -> Self {
        require(permit, Action::Edit, &Target::Account(owner.clone()));
        assert_eq!(edit.collection, Collection::Token, "leave to change an account is for its tokens");
        Self::new(permit, Edit::Record(edit))
    }

    /// Leave to operate: accounts and organizations, and who is in a new one.
    pub(crate) fn operate(permit: &Permit, edit: RecordEdit) -> Self {
        require(permit, Action::Operate, &Target::Platform);
        Self::new(permit, Edit::Record(edit))
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

    /// Commits what was permitted, unless rights changed since.
    pub(crate) async fn commit(&self, draft: &Draft) -> Result<Committed, CommitError> {
        self.store.commit(draft.signed()).await
    }

    /// What a commit would do.
    pub(crate) async fn rehearse(&self, draft: &Draft) -> Result<Committed, CommitError> {
        self.store.rehearse(draft.signed()).await
    }

    /// Everything after a revision that a reader with these rights may see.
    pub(crate) fn watch(&self, from: Revision, newest: Revision, rights: Rights) -> Stream {
        Stream::new(&self.store, rights, from, newest)
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

/// A condition on the directory that must hold when the edits are committed.
pub(crate) type Condition = Box<dyn Fn(&Directory) -> Result<(), Failure> + Send + Sync>;

/// Permitted edits that happen together.
pub(crate) struct Draft {
    by: Permit,
    at: Timestamp,
    edits: Vec<Permitted>,
    /// Leave that was needed besides, such as to start a program.
    besides: Vec<Permit>,
    strict: bool,
    condition: Option<Condition>,
}

impl Draft {
    /// Edits in the name of whoever `by` permits, now.
    pub(crate) fn new(by: &Permit, at: Timestamp, edits: Vec<Permitted>) -> Self {
        Self { by: by.clone(), at, edits, besides: Vec::new(), strict: false, condition: None }
    }

    /// With leave that was needed besides.
    pub(crate) fn besides(self, besides: Vec<Permit>) -> Self {
        Self { besides, ..self }
    }

    /// Whether a mention of nothing refuses it.
    pub(crate) fn strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// Only if this holds, too.
    pub(crate) fn provided(self, condition: Condition) -> Self {
        Self { condition: Some(condition), ..self }
    }

    /// Whether its own condition holds.
    pub(crate) fn holds(&self, directory: &Directory) -> Result<(), Failure> {
        self.condition.as_ref().map_or(Ok(()), |condition| condition(directory))
    }

    /// Decides everything again, by a newer directory.
    pub(crate) fn decide_again(
        &mut self,
        directory: &Directory,
        now: Timestamp,
    ) -> Result<(), Box<(Permit, Denial)>> {
        let permits = self.edits.iter_mut().map(|edit| &mut edit.permit).chain(&mut self.besides);
        for permit in permits.chain([&mut self.by]) {
            *permit = permit.again(directory, now).map_err(|denial| Box::new((permit.clone(), denial)))?;
        }
        Ok(())
    }

    fn signed(&self) -> Write {
        let permits = self.edits.iter().map(|edit| &edit.permit).chain(&self.besides).chain([&self.by]);
        Write {
            actor: Actor { account: self.by.account().clone(), via: self.by.via().label() },
            at: self.at,
            edits: self.edits.iter().map(|permitted| permitted.edit.clone()).collect(),
            strict: self.strict,
            decided_at: permits.map(Permit::decided_at).min(),
        }
    }
}
