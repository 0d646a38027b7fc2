//! A PostgreSQL server for tests: started when first needed, gone with the process that needed it.

use std::ffi::OsString;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Names the URL of an administrator's database to use instead of starting a server.
const URL: &str = "OUTFITTER_TEST_POSTGRES";
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the server until its input ends, which it also does when the test process is killed. A line of input
/// means that the data is needed again.
const WATCHER: &str = r#"directory="$1"; shift
"$@" & server=$!
if read -r keep; then kill -INT "$server"; wait "$server"
else kill -QUIT "$server"; wait "$server"; rm -rf "$directory"; fi"#;

/// A server, and a way to make databases in it.
pub struct Postgres {
    /// URL up to and without the database's name.
    base: String,
    admin: String,
    query: String,
    cluster: Option<Cluster>,
}

struct Cluster {
    directory: PathBuf,
    port: u16,
    watcher: Mutex<Option<Child>>,
}

impl Postgres {
    /// The server that all tests of this process share.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Postgres> = OnceLock::new();
        SHARED.get_or_init(|| match std::env::var(URL) {
            Ok(url) => Self::existing(&url),
            Err(_) => Self::start_private(),
        })
    }

    /// A server of its own, which can be stopped and started again.
    pub fn start_private() -> Self {
        let cluster = Cluster::create();
        cluster.start();
        let base = format!("postgres://postgres@127.0.0.1:{}", cluster.port);
        Self { base, admin: "postgres".to_owned(), query: String::new(), cluster: Some(cluster) }
    }

    fn existing(url: &str) -> Self {
        let (address, query) = url
            .split_once('?')
            .map_or((url, String::new()), |(address, query)| (address, format!("?{query}")));
        let (base, admin) = address.rsplit_once('/').expect("the URL names a database");
        Self { base: base.to_owned(), admin: admin.to_owned(), query, cluster: None }
    }

    /// The URL of a new, empty database.
    pub fn database(&self) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{number}", std::process::id());
        let admin = self.url(&self.admin);
        let sql = format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'");
        let made = Command::new(program("psql")).args(["-XqAt", "-c", &sql, &admin]).output();
        let made = made.expect("psql runs");
        assert!(made.status.success(), "psql: {}", String::from_utf8_lossy(&made.stderr));
        self.url(&name)
    }

    /// Stops the server under its clients.
    pub fn stop(&self) {
        self.cluster.as_ref().expect("a private server").stop();
    }

    /// Starts it again with the same data on the same port.
    pub fn start(&self) {
        self.cluster.as_ref().expect("a private server").start();
    }

    fn url(&self, database: &str) -> String {
        format!("{}/{database}{}", self.base, self.query)
    }
}

impl Cluster {
    fn create() -> Self {
        let directory = tempfile::Builder::new().prefix("postgres-").tempdir().expect("a directory").keep();
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(&directory));
        }
        let data = directory.join("data");
        let mut initdb = as_server_user("initdb");
        initdb.arg("-D").arg(&data).args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"]);
        run(initdb.arg("--no-sync").current_dir(&directory));
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        Self { directory, port: port.expect("a free port").port(), watcher: Mutex::new(None) }
    }

    fn start(&self) {
        let mut words: Vec<OsString> = vec![self.directory.clone().into()];
        let server = as_server_user("postgres");
        words.push(server.get_program().to_owned());
        words.extend(server.get_args().map(ToOwned::to_owned));
        words.extend(["-D".into(), self.directory.join("data").into(), "-k".into()]);
        words.push(self.directory.clone().into());
        for setting in [
            format!("port={}", self.port),
            "listen_addresses=127.0.0.1".to_owned(),
            "fsync=on".to_owned(),
            "shared_buffers=16MB".to_owned(),
            "max_connections=300".to_owned(),
        ] {
            words.extend(["-c".into(), setting.into()]);
        }
        let log = std::fs::File::create(self.directory.join("watcher.log")).expect("a log file");
        let watcher = Command::new("sh")
            .args(["-c", WATCHER, "postgres-watcher"])
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log)
            .current_dir(&self.directory)
            .process_group(0)
            .spawn()
            .expect("sh runs");
        *self.watcher.lock().expect("no test panicked here") = Some(watcher);
        self.wait_until_ready();
    }

    fn wait_until_ready(&self) {
        let started = Instant::now();
        let port = self.port.to_string();
        loop {
            let mut ask = Command::new(program("pg_isready"));
            ask.args(["-q", "-h", "127.0.0.1", "-U", "postgres", "-p", &port]).stdout(Stdio::null());
            if ask.status().is_ok_and(|status| status.success()) {
                return;
            }
            if started.elapsed() > PATIENCE {
                let log = std::fs::read_to_string(self.directory.join("watcher.log")).unwrap_or_default();
                panic!("PostgreSQL did not start:\n{log}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn stop(&self) {
        if let Some(mut watcher) = self.watcher.lock().expect("no test panicked here").take() {
            if let Some(mut input) = watcher.stdin.take() {
                input.write_all(b"keep\n").expect("the watcher listens");
            }
            watcher.wait().expect("the watcher ends");
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Ok(Some(mut watcher)) = self.watcher.get_mut().map(Option::take) {
            drop(watcher.stdin.take());
            let _ = watcher.wait();
        }
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A program of the server, which refuses to run as root.
fn as_server_user(name: &str) -> Command {
    let program = program(name);
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]).arg(program);
    command
}

/// From the newest version that is installed, or else from the search path.
fn program(name: &str) -> PathBuf {
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<(u32, PathBuf)> = installed
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
        .map(|(version, path)| (version, path.join("bin").join(name)))
        .filter(|(_, path)| path.exists())
        .collect();
    found.sort();
    found.pop().map_or_else(|| Path::new(name).to_owned(), |(_, path)| path)
}

fn run(command: &mut Command) {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
}
