//! What decisions rest on, kept up with the store: loaded at start, then advanced by every commit that changes rights.

use std::sync::Arc;
use std::time::Duration;

use access::{AccountRecord, Directory, Settings, Subject, Tuple, TupleRecord, tuple_id};
use model::{Account, Collection, Timestamp};
use storage::{Actor, Edit, Presence, RecordEdit, RecordWatch, Store, WatchError, Write};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Pause after the store could not be read.
const PAUSE: Duration = Duration::from_millis(200);

/// The directory as of now, for whoever decides.
pub(crate) type Current = watch::Receiver<Arc<Directory>>;

/// Keeps the directory.
pub(crate) struct Follower {
    store: Store,
    settings: Settings,
    sender: watch::Sender<Arc<Directory>>,
    changes: RecordWatch,
}

/// Reads everything that decisions rest on.
pub(crate) async fn load(store: &Store, settings: Settings) -> anyhow::Result<(Follower, Current)> {
    let directory = read(store, settings).await?;
    let changes = store.watch_records(directory.revision());
    let (sender, current) = watch::channel(Arc::new(directory));
    Ok((Follower { store: store.clone(), settings, sender, changes }, current))
}

async fn read(store: &Store, settings: Settings) -> Result<Directory, storage::Unavailable> {
    let (records, revision) = store.records(&Collection::ALL).await?;
    let directory = Directory::load(settings, &records, revision);
    if directory.unread() > 0 {
        tracing::warn!(
            count = directory.unread(),
            "some records of rights cannot be read; they grant nothing"
        );
    }
    Ok(directory)
}

impl Follower {
    /// Follows the store until shutdown.
    pub(crate) async fn run(mut self, shutdown: CancellationToken) {
        while let Some(followed) = shutdown.run_until_cancelled(self.step()).await {
            match followed {
                Ok(()) => {}
                Err(WatchError::Closed) => return shutdown.cancelled().await,
                Err(WatchError::Compacted { .. }) => self.begin_again().await,
                Err(WatchError::Unavailable(error)) => {
                    tracing::warn!(%error, "rights cannot be followed now");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    async fn step(&mut self) -> Result<(), WatchError> {
        let changes = self.changes.next().await?;
        self.sender.send_modify(|directory| *directory = Arc::new(directory.apply(&changes)));
        Ok(())
    }

    /// What happened in between is no longer kept: everything is read again.
    async fn begin_again(&mut self) {
        match read(&self.store, self.settings).await {
            Ok(directory) => {
                self.changes = self.store.watch_records(directory.revision());
                self.sender.send_replace(Arc::new(directory));
            }
            Err(error) => {
                tracing::warn!(%error, "rights cannot be read now");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// The first start makes the local user the platform's operator, before anything is committed.
pub(crate) async fn found(store: &Store, user: &Account, at: Timestamp) -> anyhow::Result<()> {
    let records = appointment(user, at)?;
    store.found(actor(user), at, records).await?;
    Ok(())
}

/// So does a start that finds nobody.
pub(crate) async fn appoint(
    store: &Store,
    current: &mut Current,
    user: &Account,
    at: Timestamp,
) -> anyhow::Result<()> {
    if current.borrow().has_operator() {
        return Ok(());
    }
    let edit = |(collection, id, body)| {
        Edit::Record(RecordEdit { collection, id, belongs: None, body: Some(body), expected: Presence::Any })
    };
    let known = current.borrow().account(user).is_some();
    let news = appointment(user, at)?.into_iter().filter(|(of, ..)| !(known && *of == Collection::Account));
    let edits = news.map(edit).collect();
    let committed =
        store.commit(Write { actor: actor(user), at, edits, decided_at: None, strict: false }).await?;
    current.wait_for(|directory| directory.revision() >= committed.revision).await?;
    Ok(())
}

fn actor(user: &Account) -> Actor {
    Actor { account: user.clone(), via: "start".to_owned() }
}

/// The records that make a user of this machine an operator.
fn appointment(
    user: &Account,
    at: Timestamp,
) -> serde_json::Result<Vec<(Collection, String, serde_json::Value)>> {
    let tuple = Tuple {
        object: access::platform(),
        relation: "operator".to_owned(),
        subject: Subject::Object(access::account(user)),
        condition: None,
    };
    let account = AccountRecord { created_at: at, created_by: user.clone(), subject: None, local: true };
    let grant = TupleRecord::new(&tuple, at, user.clone());
    Ok(vec![
        (Collection::Account, user.to_string(), serde_json::to_value(account)?),
        (Collection::Tuple, tuple_id(&tuple), serde_json::to_value(grant)?),
    ])
}
