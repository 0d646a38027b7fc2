//! A store with its service running, on either database, and short ways to write to it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use model::{Body, Collection, Key, Kind, Mention, Organizations, Reference, Scope, SecretText, SecretWrite};
use model::{Timestamp, Visibility};
use storage::{
    Actor, CommitError, Committed, Database, Edit, Expected, Keyring, Options, Presence, Put, Query,
    RecordEdit, Retention, Store, Write,
};
use tempfile::TempDir;
use testkit::postgres::Postgres;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Runs each test once on each database.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name($crate::contract::fixture::Fixture::sqlite().await).await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name($crate::contract::fixture::Fixture::postgres().await).await;
            })*
        }
    };
}
pub(crate) use on_both;

pub const FOREVER: Retention =
    Retention { history: Duration::from_secs(1 << 40), audit: Duration::from_secs(1 << 40) };

pub struct Fixture {
    pub store: Store,
    pub database: Database,
    pub directory: TempDir,
    running: Option<(CancellationToken, JoinHandle<()>)>,
}

impl Fixture {
    pub async fn sqlite() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let database = Database::Sqlite(directory.path().join("data.db"));
        Self::on(database, directory).await
    }

    pub async fn postgres() -> Self {
        let database = Database::Postgres(Postgres::shared().database());
        Self::on(database, tempfile::tempdir().unwrap()).await
    }

    pub async fn on(database: Database, directory: TempDir) -> Self {
        let keyring = Keyring::load_or_create(&directory.path().join("keys"), None).unwrap();
        let options = Options { database: database.clone(), retention: FOREVER };
        let (store, service) = Store::open(options, keyring).await.unwrap();
        let shutdown = CancellationToken::new();
        let task = tokio::spawn(service.run(shutdown.clone()));
        Self { store, database, directory, running: Some((shutdown, task)) }
    }

    /// A store of the same kind of database, with nothing in it.
    pub fn empty(&self) -> (Database, TempDir) {
        let directory = tempfile::tempdir().unwrap();
        let database = match self.database {
            Database::Sqlite(_) => Database::Sqlite(directory.path().join("data.db")),
            Database::Postgres(_) => Database::Postgres(Postgres::shared().database()),
        };
        (database, directory)
    }

    pub fn keys(&self) -> PathBuf {
        self.directory.path().join("keys")
    }

    pub fn keyring(&self) -> Keyring {
        Keyring::load_or_create(&self.keys(), None).unwrap()
    }

    /// Stops the service, once everything queued is done.
    pub async fn stop(&mut self) {
        if let Some((shutdown, task)) = self.running.take() {
            shutdown.cancel();
            task.await.unwrap();
        }
    }

    /// Stops, and opens the same database again.
    pub async fn reopen(mut self) -> Self {
        self.stop().await;
        let Self { store, database, directory, .. } = self;
        drop(store);
        Self::on(database, directory).await
    }

    /// Stops, then has these writes wait together for a service that starts only then.
    pub async fn commit_together(&mut self, writes: [Vec<Edit>; 2]) -> [Result<Committed, CommitError>; 2] {
        self.stop().await;
        let options = Options { database: self.database.clone(), retention: FOREVER };
        let (store, service) = Store::open(options, self.keyring()).await.unwrap();
        let shutdown = CancellationToken::new();
        let [first, second] = writes.map(|edits| store.commit(write(edits)));
        let both = async {
            let both = tokio::join!(biased; first, second);
            shutdown.cancel();
            both
        };
        let ((first, second), ()) = tokio::join!(biased; both, service.run(shutdown.clone()));
        self.store = store.clone();
        [first, second]
    }

    pub async fn commit(&self, edits: Vec<Edit>) -> Result<Committed, CommitError> {
        self.store.commit(write(edits)).await
    }

    /// Runs SQL behind the store's back.
    pub async fn sql(&self, sql: &str) {
        sql_on(&self.database, sql).await;
    }
}

pub async fn sql_on(database: &Database, sql: &str) {
    use sqlx::{AssertSqlSafe, Connection as _};
    match database {
        Database::Sqlite(path) => {
            let url = format!("sqlite://{}", path.display());
            let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
            connection.close().await.unwrap();
        }
        Database::Postgres(url) => {
            let mut connection = sqlx::PgConnection::connect(url).await.unwrap();
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
            connection.close().await.unwrap();
        }
    }
}

pub fn now() -> Timestamp {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Timestamp::from_millis(i64::try_from(now.as_millis()).unwrap())
}

pub fn write(edits: Vec<Edit>) -> Write {
    let actor = Actor { account: "alice".parse().unwrap(), via: "test".to_owned() };
    Write { actor, at: now(), edits, strict: false, decided_at: None }
}

pub fn alice() -> Scope {
    Scope::IdentityAccount("alice".parse().unwrap())
}

pub fn org(name: &str) -> Scope {
    Scope::Organization(name.parse().unwrap())
}

pub fn key(kind: Kind, name: &str, scope: Scope) -> Key {
    Key { kind, name: name.parse().unwrap(), scope }
}

pub fn server(name: &str) -> Key {
    key(Kind::McpServer, name, Scope::Platform)
}

pub fn body(value: impl Into<serde_json::Value>) -> Body {
    Body { spec: serde_json::json!({ "value": value.into() }), ..Body::default() }
}

pub fn put(key: Key, value: impl Into<serde_json::Value>) -> Put {
    Put {
        key,
        body: body(value),
        tags: vec![],
        search: String::new(),
        mentions: vec![],
        secrets: BTreeMap::new(),
        expected: Expected::Any,
        compares_secrets: true,
    }
}

pub fn edit(put: Put) -> Edit {
    Edit::Put(Box::new(put))
}

/// A put that any revision allows.
pub fn set(key: Key, value: impl Into<serde_json::Value>) -> Edit {
    edit(put(key, value))
}

pub fn delete(key: Key) -> Edit {
    Edit::Delete { key, expected: Expected::Any, force: false }
}

/// A record that may be there or not, and belongs to nothing.
pub fn record(collection: Collection, id: &str, body: impl Into<serde_json::Value>) -> RecordEdit {
    let (id, body) = (id.to_owned(), Some(body.into()));
    RecordEdit { collection, id, belongs: None, body, expected: Presence::Any }
}

/// A tuple that belongs to a resource.
pub fn tuple(id: &str, belongs: Key) -> Edit {
    let body = serde_json::json!({ "tuple": id });
    Edit::Record(RecordEdit { belongs: Some(belongs), ..record(Collection::Tuple, id, body) })
}

/// An agent that refers to servers.
pub fn agent(name: &str, scope: Scope, uses: &[&str]) -> Put {
    let mentions = uses.iter().enumerate().map(|(index, text)| Mention {
        path: format!("spec.servers[{index}]"),
        kind: Kind::McpServer,
        reference: Reference::parse(text).unwrap(),
    });
    let value = serde_json::json!(uses);
    Put { mentions: mentions.collect(), ..put(key(Kind::Agent, name, scope), value) }
}

pub fn with_secrets(key: Key, secrets: &[(&str, SecretWrite)]) -> Put {
    let secrets = secrets.iter().map(|(slot, write)| ((*slot).to_owned(), write.clone())).collect();
    Put { secrets, ..put(key, 1) }
}

pub fn value(text: &str) -> SecretWrite {
    SecretWrite::Set(SecretText::new(text.to_owned()))
}

/// Everything of a kind, as an operator sees it.
pub fn everything(kind: Kind) -> Query {
    Query {
        kind,
        visibility: Visibility {
            platform: true,
            organizations: Organizations::All,
            account: Some("alice".parse().unwrap()),
            also: vec![],
        },
        scope: None,
        org: None,
        tags: vec![],
        search: None,
        after: None,
        limit: 1000,
    }
}
