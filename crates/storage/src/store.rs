//! The handle that everybody holds: opens the database, and passes writes to the one writer.

use std::path::PathBuf;
use std::sync::Arc;

use model::{Key, Revision, SecretText, Stored};
use tokio::sync::{mpsc, oneshot, watch};

use crate::engine::{Engine, Session};
use crate::prune::{self, Cutoffs};
use crate::schema::{self, MigrateError};
use crate::seal::{self, Place};
use crate::vault::Vault;
use crate::writer::{self, Job, Latest, QUEUE, Writer};
use crate::{
    CommitError, Committed, KeyError, Keyring, Options, Service, Unavailable, Write, record, rotate,
};

/// Why a store does not open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The database cannot be reached or read.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// A newer binary wrote it.
    #[error("{}", schema::newer(*found))]
    Newer {
        /// The schema it has.
        found: i64,
        /// The newest schema this binary knows.
        known: i64,
    },
    /// The database was sealed with a key, and there is no key file.
    #[error(
        "the key file is gone: this database was sealed with key {key_id}, and {} did not exist\n  \
         hint: put the key file back, from wherever you keep its copy",
        path.display()
    )]
    KeyGone {
        /// Where the file should be.
        path: PathBuf,
        /// The key it should hold.
        key_id: String,
    },
    /// The key file belongs to another database.
    #[error("{} is not this database's key file: it was sealed with key {key_id}", path.display())]
    WrongKey {
        /// The file.
        path: PathBuf,
        /// The key it should hold.
        key_id: String,
    },
    /// The key file cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// Why a secret is not to be had.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// The database could not be read.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// What is stored was altered, moved, or sealed with another key.
    #[error("secret `{slot}` of {key} does not open: it was altered, or sealed with another key")]
    Unopened {
        /// The resource.
        key: Key,
        /// Its slot.
        slot: String,
    },
}

/// A handle on the stored resources; cheap to clone.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub engine: Engine,
    pub vault: Arc<Vault>,
    pub jobs: mpsc::Sender<Job>,
    pub latest: watch::Receiver<Latest>,
}

impl Store {
    /// Opens the database, brings its schema up to date, removes what is too old and finishes an interrupted
    /// change of key. Writes are answered once the service runs.
    pub async fn open(options: Options, keyring: Keyring) -> Result<(Self, Service), OpenError> {
        let (engine, mut session) = match prepare(&options).await {
            Ok(prepared) => prepared,
            Err(error) => {
                keyring.discard();
                return Err(error);
            }
        };
        let keyring = check_key(&mut session, keyring).await?;
        let cutoffs = Cutoffs::of(options.retention);
        let revision = loop {
            let revision = writer::begin(&mut session).await?.revision;
            let more = prune::prune(&mut session, revision, cutoffs).await?;
            session.commit().await?;
            if !more {
                break revision;
            }
        };
        let (jobs, queue) = mpsc::channel(QUEUE);
        let (publisher, latest) = watch::channel(Latest { revision, records: revision });
        let vault = Arc::new(Vault::new(keyring));
        let writer = Writer {
            engine: engine.clone(),
            vault: Arc::clone(&vault),
            jobs: queue,
            latest: publisher,
            session: Some(session),
        };
        let store = Self { inner: Arc::new(Inner { engine, vault, jobs, latest }) };
        let service = Service::new(writer, &store, options.retention);
        Ok((store, service))
    }

    /// Does all edits of a write, or none; durable when it returns.
    pub async fn commit(&self, write: Write) -> Result<Committed, CommitError> {
        self.ask(|answer| Job::Write(Box::new(write), answer)).await?
    }

    /// What `commit` would do now, without doing it.
    pub async fn rehearse(&self, write: Write) -> Result<Committed, CommitError> {
        writer::rehearse(&self.inner.engine, &self.inner.vault, &write).await
    }

    /// The resource, if it exists.
    pub async fn get(&self, key: &Key) -> Result<Option<Stored>, Unavailable> {
        self.first(std::slice::from_ref(key)).await
    }

    /// The last commit's revision.
    pub async fn revision(&self) -> Result<Revision, Unavailable> {
        writer::revision(&mut self.inner.engine.reader().await?).await
    }

    /// Whether the database answers and the writer runs.
    pub async fn ready(&self) -> Result<(), Unavailable> {
        if self.inner.jobs.is_closed() {
            return Err(Unavailable::closed());
        }
        self.revision().await.map(drop)
    }

    /// The value of a resource's secret, if one is stored.
    pub async fn open_secret(&self, key: &Key, slot: &str) -> Result<Option<SecretText>, SecretError> {
        const SQL: &str = "SELECT s.resource_id, s.version, s.key_id, s.wrapped, s.sealed FROM resources r \
             JOIN secrets s ON s.resource_id = r.id \
             WHERE r.kind = $1 AND r.name = $2 AND r.scope = $3 AND r.holder = $4 AND s.slot = $5";
        let mut args = record::key_args(key).to_vec();
        args.push(slot.into());
        let rows = self.inner.engine.reader().await?.rows(SQL, args).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let (id, sealed) = (row.text(0)?, writer::sealed(row, 1)?);
        if self.inner.vault.keys().find(&sealed.key_id).is_none() {
            self.inner.vault.reload().await;
        }
        let place = Place { key, resource_id: &id, slot };
        seal::open(&self.inner.vault.keys(), place, &sealed)
            .map(Some)
            .map_err(|_| SecretError::Unopened { key: key.clone(), slot: slot.to_owned() })
    }

    /// Puts a job to the writer and waits for its answer.
    pub(crate) async fn ask<T>(&self, job: impl FnOnce(oneshot::Sender<T>) -> Job) -> Result<T, Unavailable> {
        let (answer, answered) = oneshot::channel();
        self.inner.jobs.send(job(answer)).await.map_err(|_| Unavailable::closed())?;
        answered.await.map_err(|_| Unavailable::closed())
    }
}

/// Opens the database and brings its schema up to date.
async fn prepare(options: &Options) -> Result<(Engine, Session), OpenError> {
    let engine = Engine::open(&options.database).await?;
    let mut session = engine.writer().await?;
    schema::migrate(&mut session).await.map_err(|error| match error {
        MigrateError::Unavailable(unavailable) => OpenError::Unavailable(unavailable),
        MigrateError::Newer { found } => OpenError::Newer { found, known: schema::VERSION },
    })?;
    Ok((engine, session))
}

/// Makes sure that the keys are this database's, and that they are all it needs.
async fn check_key(session: &mut Session, mut keyring: Keyring) -> Result<Keyring, OpenError> {
    // Of replicas that start together on a new database, the first one's key counts.
    let keys = keyring.keys();
    let args = vec![keys.active().id.as_str().into(), keys.check_value().into()];
    session.begin_write().await?;
    session.run("UPDATE meta SET key_id = $1, key_check = $2 WHERE id = 1 AND key_id IS NULL", args).await?;
    let rows = session.rows("SELECT key_id, key_check FROM meta WHERE id = 1", vec![]).await?;
    session.commit().await?;
    let row = rows.first().ok_or_else(|| Unavailable::corrupt("the meta row is missing"))?;
    let key_id = row.maybe_text(0)?.unwrap_or_default();
    let check = row.maybe_bytes(1)?.unwrap_or_default();
    if keyring.keys().passes(&key_id, &check).is_err() {
        let path = keyring.path().to_owned();
        if keyring.was_created() {
            keyring.discard();
            return Err(OpenError::KeyGone { path, key_id });
        }
        return Err(OpenError::WrongKey { path, key_id });
    }
    if keyring.keys().has_old() && rotate::finish(session, keyring.keys()).await? {
        keyring.retire()?;
    }
    Ok(keyring)
}
