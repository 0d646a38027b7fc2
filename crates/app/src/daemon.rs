//! `outfitter serve`: joins the parts and runs them until a signal.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use cli::{ServeOptions, Surroundings};
use control::{Control, Settings};
use edge::oidc::{self, Verifier};
use edge::{Limits, Listeners, Server, Tls};
use model::spec::Rules;
use model::{SecretText, Timestamp};
use storage::{Database, Keyring, Options, Retention, Store};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::data_dir::{DataDir, default_path};
use crate::directory;
use crate::ports::{LocalIdentities, PrometheusText, local_operator};
use crate::tasks::Tasks;
use crate::telemetry;

/// The key-encryption key, in the data directory unless told otherwise.
pub(crate) const KEY_FILE: &str = "master.key";

/// Serves until SIGTERM or SIGINT.
pub(crate) fn serve(options: ServeOptions, surroundings: &Surroundings) -> anyhow::Result<()> {
    let colour = surroundings.stderr_is_terminal && !surroundings.no_color;
    telemetry::start(&options.log, options.log_json, colour)?;
    let path = options.data_dir.clone().map_or_else(|| default_path(surroundings), Ok)?;
    let directory = DataDir::acquire(&path)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(run(options, directory, surroundings));
    // Whatever still computes has had its time; it must not hold up the end.
    runtime.shutdown_timeout(Duration::from_millis(200));
    outcome
}

async fn run(options: ServeOptions, data_dir: DataDir, surroundings: &Surroundings) -> anyhow::Result<()> {
    let issuer = issuer(&options)?;
    let shutdown = CancellationToken::new();
    let mut tasks = Tasks::new(shutdown.clone());
    tasks.spawn("signals", end_on_signal(shutdown.clone())?);
    let listeners = Listeners::bind(listen_options(&options, &data_dir)).await?;

    // The store ends after the edge, so that requests which are still running can finish.
    let drained = CancellationToken::new();
    let store = open_store(&options, &data_dir, &mut tasks, drained.clone()).await?;
    let settings = access::Settings { personal_spawn: personal_spawn(&options) };
    directory::found(&store, &local_operator(), now()).await?;
    let (follower, mut current) = directory::load(&store, settings).await?;
    tasks.spawn("directory", follower.run(shutdown.clone()));
    directory::appoint(&store, &mut current, &local_operator(), now()).await?;
    let identities = LocalIdentities::load_or_create(
        &data_dir,
        current.clone(),
        store.clone(),
        now,
        options.shared_socket,
    )?;
    let identities = Arc::new(identities);
    let metrics = telemetry::collect()?;
    tasks.spawn("metrics", telemetry::keep_up(metrics.clone(), shutdown.clone()));
    let metrics = Arc::new(PrometheusText(metrics));
    let settings = Settings {
        rules: Rules { stdio_proxy: options.stdio_proxy },
        now,
        version: env!("CARGO_PKG_VERSION"),
    };
    let control = Control::new(store, current, settings, metrics, shutdown.clone());

    let url = listeners.url();
    let socket = listeners.socket().display().to_string();
    let server = Server::new(listeners, control::router(control), identities, Limits::default());
    let server = server.with_issuer(issuer);
    tasks.spawn("edge", async move {
        server.run(shutdown).await;
        drained.cancel();
    });

    telemetry::announce(&format!("listening on {url}"));
    if !options.log_json {
        telemetry::complain(&greeting(&url, &data_dir, surroundings));
    }
    tracing::info!(%url, %socket, data_dir = %data_dir.path().display(), "ready");
    tasks.run().await
}

/// Where to go and what to try.
fn greeting(url: &str, directory: &DataDir, surroundings: &Surroundings) -> String {
    let program = surroundings.executable.strip_prefix(&surroundings.current_dir);
    let program = program.unwrap_or(&surroundings.executable).display();
    let default = default_path(surroundings).is_ok_and(|path| path == directory.path());
    let flag = if default { String::new() } else { format!(" --data-dir {}", directory.path().display()) };
    format!(
        "Outfitter is ready.\n  API:   {url}/api/openapi.json (token: {}/operator.token)\n  Data:  {}\n  \
         Try:   {program}{flag} mcpserver init --type stdio --name everything > everything.yaml\n         \
         {program}{flag} mcpserver apply -f everything.yaml\n         {program}{flag} mcpserver list\n  \
         Stop:  Ctrl-C",
        directory.path().display(),
        directory.path().display(),
    )
}

async fn open_store(
    options: &ServeOptions,
    directory: &DataDir,
    tasks: &mut Tasks,
    ending: CancellationToken,
) -> anyhow::Result<Store> {
    let key_file = options.key_file.clone().unwrap_or_else(|| directory.file(KEY_FILE));
    let keyring = Keyring::load_or_create(&key_file, passphrase(options.key_passphrase_file.as_deref())?)?;
    let retention = Retention { history: options.keep_history, audit: options.keep_audit };
    let database = database(options.database.as_deref(), directory)?;
    let (store, service) = Store::open(Options { database, retention }, keyring).await?;
    tasks.spawn("storage", service.run(ending));
    Ok(store)
}

/// Which database, from its URL; a file in the data directory if none is given.
pub(crate) fn database(url: Option<&str>, directory: &DataDir) -> anyhow::Result<Database> {
    match url {
        None => Ok(Database::Sqlite(directory.file("outfitter.db"))),
        Some(url) if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
            Ok(Database::Postgres(url.to_owned()))
        }
        Some(url) => match url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:")) {
            Some(path) if !path.is_empty() => Ok(Database::Sqlite(path.into())),
            _ => anyhow::bail!("--database must be a postgres://… or sqlite:PATH URL"),
        },
    }
}

/// The passphrase in a file, without its last line break.
pub(crate) fn passphrase(path: Option<&std::path::Path>) -> anyhow::Result<Option<SecretText>> {
    let Some(path) = path else { return Ok(None) };
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    anyhow::ensure!(!text.is_empty(), "{} holds no passphrase", path.display());
    Ok(Some(SecretText::new(text.to_owned())))
}

fn listen_options(options: &ServeOptions, directory: &DataDir) -> edge::Options {
    let tls = options.tls_cert.clone().zip(options.tls_key.clone());
    let tls = tls.map(|(certificate, key)| Tls { certificate, key });
    edge::Options {
        listen: options.listen,
        socket: options.socket.clone().unwrap_or_else(|| directory.file("outfitter.sock")),
        shared_socket: options.shared_socket,
        tls,
        behind_tls_proxy: options.behind_tls_proxy,
        allowed_hosts: options.allowed_hosts.clone(),
    }
}

/// Whoever signs in with the configured issuer.
fn issuer(options: &ServeOptions) -> anyhow::Result<Option<Verifier>> {
    let Some(issuer) = &options.oidc_issuer else {
        anyhow::ensure!(options.oidc_audience.is_none(), "--oidc-audience needs --oidc-issuer");
        return Ok(None);
    };
    let (audience, claim) = (options.oidc_audience.as_deref(), options.oidc_account_claim.as_deref());
    let checked = oidc::Options::checked(issuer, audience, claim)?;
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Ok(Some(Verifier::new(checked, Arc::new(clock))))
}

/// Whether people may start programs for themselves: unless told, only while nobody else can reach the daemon.
fn personal_spawn(options: &ServeOptions) -> bool {
    options.personal_spawn.unwrap_or(options.listen.ip().is_loopback() && !options.behind_tls_proxy)
}

/// Begins shutdown at the first SIGTERM or SIGINT.
fn end_on_signal(shutdown: CancellationToken) -> anyhow::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            () = shutdown.cancelled() => {}
        }
        tracing::info!("shutting down");
        shutdown.cancel();
    })
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
