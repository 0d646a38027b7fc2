//! The tokens of a signed-in person as credentials of a client: renewed when they end, one renewal at a time, and
//! asked for anew when the server wants more.

use std::sync::{Arc, Mutex, PoisonError};

use http::HeaderValue;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::client::{Access, AccessError, Challenge, Retry};
use crate::question::Boxed;

use super::browser::Browser;
use super::credentials::{Credentials, Tokens};
use super::demand::Demand;
use super::error::Error;
use super::limit::Limit;
use super::pending::PENDING_DEADLINE;
use super::secret::Secret;
use super::sign_in::{STEP_DEADLINE, SignIn};

/// Gives a client the tokens of a sign-in.
pub struct Bearer {
    sign_in: Arc<SignIn>,
    browser: Option<Arc<dyn Browser>>,
    /// Whoever holds its permit renews tokens or signs in.
    gate: Semaphore,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    shown: Option<Secret>,
    wanted: Option<Challenge>,
    limit: Limit,
}

impl Bearer {
    /// Uses the credentials of `sign_in`. Without a `browser` nobody is bothered: a challenge that needs a person is
    /// kept for [`Bearer::wanted`].
    pub fn new(sign_in: Arc<SignIn>, browser: Option<Arc<dyn Browser>>) -> Self {
        Self { sign_in, browser, gate: Semaphore::new(1), state: Mutex::default() }
    }

    /// The challenge that only a person can answer, for [`SignIn::begin`]; gone once tokens are at hand.
    pub fn wanted(&self) -> Option<Challenge> {
        self.state().wanted.clone()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn enter(&self) -> Result<SemaphorePermit<'_>, Error> {
        // A person may be at it, and each step before and after has its own deadline.
        let patience = PENDING_DEADLINE + STEP_DEADLINE * 3;
        let permit = timeout(patience, self.gate.acquire()).await.map_err(|_| Error::Deadline)?;
        Ok(permit.expect("the gate is never closed"))
    }

    async fn header(&self) -> Result<Option<HeaderValue>, Error> {
        let mut held = self.sign_in.held().await?;
        if is_stale(held.as_ref()) {
            let _permit = self.enter().await?;
            held = self.sign_in.held().await?;
            if let Some(stale) = held.clone().filter(|held| is_stale(Some(held))) {
                let renewed = self.sign_in.renew(stale, None).await?;
                held = if renewed { self.sign_in.held().await? } else { None };
            }
        }
        let tokens = held.and_then(|held| held.tokens);
        let mut state = self.state();
        state.shown = tokens.as_ref().map(|tokens| tokens.access.clone());
        if tokens.is_some() {
            state.wanted = None;
        }
        tokens.map(|tokens| tokens.header()).transpose()
    }

    async fn answer(&self, challenge: Challenge) -> Result<Retry, Error> {
        let demand = Demand::of(&challenge, &self.sign_in.settings().server);
        if demand == Demand::Nothing {
            return Ok(Retry::GiveUp);
        }
        let shown = self.state().shown.clone();
        let _permit = self.enter().await?;
        let held = self.sign_in.held().await?;
        let newer = |held: &Credentials| held.access().is_some_and(|access| Some(access) != shown.as_ref());
        if held.as_ref().is_some_and(newer) {
            return Ok(Retry::Again);
        }
        if let Some(held) = held {
            let asked = |scope: &String| held.scopes.contains(scope);
            match &demand {
                // They were asked for and not granted: asking again would change nothing.
                Demand::Scopes(scopes) if scopes.iter().all(asked) => return Ok(Retry::GiveUp),
                Demand::Token if self.sign_in.renew(held, Some(&challenge)).await? => {
                    return Ok(Retry::Again);
                }
                _ => {}
            }
        }
        self.ask(challenge).await
    }

    async fn ask(&self, challenge: Challenge) -> Result<Retry, Error> {
        self.state().wanted = Some(challenge.clone());
        let browser = self.browser.as_ref().ok_or(Error::SignIn)?;
        if !self.state().limit.admit() {
            return Err(Error::TooMany);
        }
        let pending = self.sign_in.begin(Some(&challenge)).await?;
        let visit = timeout(PENDING_DEADLINE, browser.visit(pending.url));
        let callback = visit.await.map_err(|_| Error::Deadline)??;
        self.sign_in.finish(&callback).await?;
        self.state().wanted = None;
        Ok(Retry::Again)
    }
}

fn is_stale(held: Option<&Credentials>) -> bool {
    held.and_then(|held| held.tokens.as_ref()).is_some_and(Tokens::is_stale)
}

impl Access for Bearer {
    fn authorization(&self) -> Boxed<'_, Result<Option<HeaderValue>, AccessError>> {
        Box::pin(async { self.header().await.map_err(|error| AccessError(error.to_string())) })
    }

    fn challenged(&self, challenge: Challenge) -> Boxed<'_, Result<Retry, AccessError>> {
        Box::pin(async { self.answer(challenge).await.map_err(|error| AccessError(error.to_string())) })
    }
}
