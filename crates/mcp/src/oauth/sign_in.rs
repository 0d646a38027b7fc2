//! Sign-ins to one server: begun, shown to a person by somebody else, finished once; and the renewal of their tokens.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::transport::auth::{CredentialStore, InMemoryCredentialStore, StoredCredentials};
use tokio::time::timeout;
use url::Url;

use crate::client::Challenge;
use crate::web;

use super::address;
use super::callback::Callback;
use super::credentials::{Credentials, Tokens};
use super::error::Error;
use super::pending::{Flow, Pending, Table};
use super::provider::Provider;
use super::settings::{Registration, Settings};
use super::store::Store;

/// How long one step may take, however many requests it needs.
pub(super) const STEP_DEADLINE: Duration = Duration::from_mins(2);

/// Signs in to one server, for one user.
pub struct SignIn {
    settings: Settings,
    web: web::Client,
    store: Arc<dyn Store>,
    pending: Mutex<Table>,
}

impl SignIn {
    /// Sign-ins whose credentials go to `store`. Everything is sent through `web`.
    pub fn new(settings: Settings, web: web::Client, store: Arc<dyn Store>) -> Result<Self, Error> {
        settings.check()?;
        Ok(Self { settings, web, store, pending: Mutex::default() })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Finds the authorization server and prepares a sign-in that asks for what `challenge` demands, beside what was
    /// asked for before. Whoever shows the page to a person brings back the callback.
    pub async fn begin(&self, challenge: Option<&Challenge>) -> Result<Pending, Error> {
        timeout(STEP_DEADLINE, self.prepare(challenge)).await.unwrap_or(Err(Error::Deadline))
    }

    /// Ends a sign-in with the URL the person was sent back to. Each sign-in can be finished once, whatever comes of it.
    pub async fn finish(&self, callback: &Url) -> Result<(), Error> {
        timeout(STEP_DEADLINE, self.complete(callback)).await.unwrap_or(Err(Error::Deadline))
    }

    /// Forgets tokens and client, so that the next sign-in begins with nothing.
    pub async fn forget(&self) -> Result<(), Error> {
        Ok(self.store.clear().await?)
    }

    /// The credentials for this server.
    pub(super) async fn held(&self) -> Result<Option<Credentials>, Error> {
        let held = self.store.load().await?;
        Ok(held.filter(|held| held.server == self.settings.server.as_str()))
    }

    async fn prepare(&self, challenge: Option<&Challenge>) -> Result<Pending, Error> {
        let mut provider = Provider::discover(&self.web, &self.settings.server, challenge).await?;
        provider.check_for_people()?;
        let held = self.held().await?;
        let moved = held.as_ref().is_some_and(|held| held.issuer != provider.issuer);
        if moved && matches!(self.settings.client, Registration::Preregistered { issuer: None, .. }) {
            return Err(Error::Issuer);
        }
        let held = held.filter(|_| !moved);
        let scopes = provider.scopes(&self.settings, challenge, held.as_ref()).await;
        let client = provider.identify(&self.settings, held.as_ref(), &scopes).await?;

        let words: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let url = provider.manager.get_authorization_url(&words).await;
        let url = url.ok().and_then(|url| Url::parse(&url).ok());
        let url = url.filter(|url| address::is_confidential(url) && address::has_single_parameters(url));
        let url = url.ok_or(Error::Endpoint("authorization endpoint"))?;
        let state = url.query_pairs().find(|(name, _)| name == "state").map(|(_, value)| value.into_owned());
        let state = state.ok_or(Error::Endpoint("authorization endpoint"))?;

        let pending = Pending { url, issuer: provider.issuer.clone(), state: state.clone() };
        let flow = Flow { provider, client, scopes };
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).put(state, flow);
        Ok(pending)
    }

    async fn complete(&self, callback: &Url) -> Result<(), Error> {
        let callback = Callback::read(callback, &self.settings.redirect)?;
        let flow = self.pending.lock().unwrap_or_else(PoisonError::into_inner).take(&callback.state);
        let Flow { provider, client, scopes } = flow.ok_or(Error::Callback)?;
        let promised = provider.advertises("authorization_response_iss_parameter_supported");
        let code = callback.code(&provider.issuer, promised)?;

        let issuer = callback.issuer.as_deref();
        let answer =
            provider.manager.exchange_code_for_token_with_issuer(code, &callback.state, issuer).await;
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                if provider.refusal().as_deref() == Some("invalid_client") {
                    self.store.clear().await?;
                }
                return Err(Error::of_token(&error));
            }
        };
        let tokens = Some(Tokens::read(&answer)?);
        let server = self.settings.server.to_string();
        let credentials = Credentials { server, issuer: provider.issuer, client, scopes, tokens };
        Ok(self.store.save(credentials).await?)
    }

    /// Renews the tokens; `false` when only a person can. Tokens are shown only to the issuer they came from.
    pub(super) async fn renew(
        &self,
        held: Credentials,
        challenge: Option<&Challenge>,
    ) -> Result<bool, Error> {
        timeout(STEP_DEADLINE, self.refresh(held, challenge)).await.unwrap_or(Err(Error::Deadline))
    }

    async fn refresh(&self, held: Credentials, challenge: Option<&Challenge>) -> Result<bool, Error> {
        let Some(answer) = held.tokens.as_ref().and_then(Tokens::answer) else { return Ok(false) };
        let mut provider = Provider::discover(&self.web, &self.settings.server, challenge).await?;
        if provider.issuer != held.issuer {
            return Ok(false);
        }
        provider.configure(&held.client)?;
        // Without scopes the authorization server gives what it gave before.
        let stored = StoredCredentials::new(held.client.id.clone(), Some(answer), Vec::new(), None);
        let memory = InMemoryCredentialStore::new();
        memory.save(stored).await.map_err(|_| Error::Token)?;
        provider.manager.set_credential_store(memory);

        match provider.manager.refresh_token().await {
            Ok(answer) => {
                let tokens = Some(Tokens::read(&answer)?);
                self.store.save(Credentials { tokens, ..held }).await?;
                Ok(true)
            }
            Err(_) => match provider.refusal().as_deref() {
                Some("invalid_client") => self.store.clear().await.map(|()| Ok(false))?,
                Some("invalid_grant" | "unauthorized_client") => {
                    self.store.save(Credentials { tokens: None, ..held }).await.map(|()| Ok(false))?
                }
                // Whatever else is wrong may be right again in a moment; the tokens are still good then.
                _ => Err(Error::Token),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_step_has_two_minutes() {
        assert_eq!(super::STEP_DEADLINE.as_secs(), 120);
    }
}
