//! A machine's own access, without a person: client credentials, by a secret or a signed assertion, shown to one
//! issuer only.

use std::sync::{Mutex, MutexGuard, PoisonError};

use http::HeaderValue;
use rmcp::transport::auth::{ClientCredentialsConfig, JwtSigningAlgorithm};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use url::Url;

use crate::client::{Access, AccessError, Challenge, Retry};
use crate::question::Boxed;
use crate::web;

use super::credentials::Tokens;
use super::demand::{self, Demand};
use super::error::Error;
use super::provider::Provider;
use super::secret::Secret;
use super::settings::check_server;
use super::sign_in::STEP_DEADLINE;

/// How an assertion is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the algorithms")]
pub enum Algorithm {
    Rs256,
    Rs384,
    Rs512,
    Es256,
    Es384,
}

/// What the machine proves its identity with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A secret that the authorization server knows too.
    Secret(Secret),
    /// A private key in PEM, whose public half the authorization server knows.
    Private {
        /// The key.
        pem: Secret,
        /// How it signs.
        algorithm: Algorithm,
    },
}

/// The settings of a machine's access to one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineSettings {
    /// The MCP server.
    pub server: Url,
    /// The client id.
    pub id: String,
    /// What proves it.
    pub key: Key,
    /// The issuer that knows the client. Without it, the issuer the server names first.
    pub issuer: Option<String>,
    /// What is asked for instead of all that the server's metadata lists; what the server demands is added.
    pub scopes: Vec<String>,
}

/// Gives a client tokens that no person has to ask for; they are kept in memory only.
pub struct Machine {
    settings: MachineSettings,
    web: web::Client,
    /// Whoever holds its permit asks for a token.
    gate: Semaphore,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    tokens: Option<Tokens>,
    shown: Option<Secret>,
    issuer: Option<String>,
    scopes: Vec<String>,
}

impl Machine {
    /// A machine whose requests for tokens go through `web`.
    pub fn new(settings: MachineSettings, web: web::Client) -> Result<Self, Error> {
        check_server(&settings.server)?;
        let state = State { issuer: settings.issuer.clone(), ..State::default() };
        Ok(Self { settings, web, gate: Semaphore::new(1), state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn enter(&self) -> Result<SemaphorePermit<'_>, Error> {
        let permit = timeout(STEP_DEADLINE, self.gate.acquire()).await.map_err(|_| Error::Deadline)?;
        Ok(permit.expect("the gate is never closed"))
    }

    fn is_stale(&self) -> bool {
        self.state().tokens.as_ref().is_some_and(Tokens::is_stale)
    }

    async fn header(&self) -> Result<Option<HeaderValue>, Error> {
        if self.is_stale() {
            let _permit = self.enter().await?;
            if self.is_stale() {
                self.request(None).await?;
            }
        }
        let mut state = self.state();
        state.shown = state.tokens.as_ref().map(|tokens| tokens.access.clone());
        state.tokens.as_ref().map(Tokens::header).transpose()
    }

    async fn answer(&self, challenge: Challenge) -> Result<Retry, Error> {
        let demand = Demand::of(&challenge, &self.settings.server);
        let shown = match &demand {
            Demand::Nothing => return Ok(Retry::GiveUp),
            Demand::Scopes(scopes) if scopes.iter().all(|scope| self.state().scopes.contains(scope)) => {
                return Ok(Retry::GiveUp);
            }
            _ => self.state().shown.clone(),
        };
        let _permit = self.enter().await?;
        let newer = |tokens: &Tokens| Some(&tokens.access) != shown.as_ref();
        if demand == Demand::Token && self.state().tokens.as_ref().is_some_and(newer) {
            return Ok(Retry::Again);
        }
        self.request(Some(&challenge)).await?;
        Ok(Retry::Again)
    }

    async fn request(&self, challenge: Option<&Challenge>) -> Result<(), Error> {
        timeout(STEP_DEADLINE, self.exchange(challenge)).await.unwrap_or(Err(Error::Deadline))
    }

    async fn exchange(&self, challenge: Option<&Challenge>) -> Result<(), Error> {
        let provider = Provider::discover(&self.web, &self.settings.server, challenge).await?;
        if self.state().issuer.as_ref().is_some_and(|issuer| *issuer != provider.issuer) {
            return Err(Error::Issuer);
        }
        let mut scopes = self.state().scopes.clone();
        demand::unite(&mut scopes, self.settings.scopes.iter().cloned());
        if let Some(challenge) = challenge {
            demand::unite(&mut scopes, demand::scopes(challenge, &self.settings.server));
        }
        if scopes.is_empty() {
            scopes = provider.manager.select_initial_scopes(&[]).await;
        }
        let config = self.config(scopes.clone(), provider.resource.clone());
        let issuer = Some(provider.issuer);
        let mut manager = provider.manager;
        manager.validate_client_credentials_metadata(&config).map_err(|_| Error::Token)?;
        manager.configure_client_credentials(&config).map_err(|_| Error::Token)?;
        // The exchange cannot move between threads, so it has one of its own; its request has a deadline.
        let runtime = Handle::current();
        let exchange = move || runtime.block_on(manager.exchange_client_credentials(&config));
        let answer = spawn_blocking(exchange).await.map_err(|_| Error::Token)?;
        let tokens = Some(Tokens::read(&answer.map_err(|error| Error::of_token(&error))?)?);
        let mut state = self.state();
        (state.tokens, state.issuer, state.scopes) = (tokens, issuer, scopes);
        Ok(())
    }

    fn config(&self, scopes: Vec<String>, resource: String) -> ClientCredentialsConfig {
        let (client_id, resource) = (self.settings.id.clone(), Some(resource));
        match &self.settings.key {
            Key::Secret(secret) => {
                let client_secret = secret.expose().to_owned();
                ClientCredentialsConfig::ClientSecret { client_id, client_secret, scopes, resource }
            }
            Key::Private { pem, algorithm } => ClientCredentialsConfig::PrivateKeyJwt {
                client_id,
                signing_key: pem.expose().as_bytes().to_vec(),
                signing_algorithm: algorithm.into(),
                token_endpoint_audience: None,
                scopes,
                resource,
            },
        }
    }
}

impl From<&Algorithm> for JwtSigningAlgorithm {
    fn from(algorithm: &Algorithm) -> Self {
        match algorithm {
            Algorithm::Rs256 => Self::RS256,
            Algorithm::Rs384 => Self::RS384,
            Algorithm::Rs512 => Self::RS512,
            Algorithm::Es256 => Self::ES256,
            Algorithm::Es384 => Self::ES384,
        }
    }
}

impl Access for Machine {
    fn authorization(&self) -> Boxed<'_, Result<Option<HeaderValue>, AccessError>> {
        Box::pin(async { self.header().await.map_err(|error| AccessError(error.to_string())) })
    }

    fn challenged(&self, challenge: Challenge) -> Boxed<'_, Result<Retry, AccessError>> {
        Box::pin(async { self.answer(challenge).await.map_err(|error| AccessError(error.to_string())) })
    }
}
