//! Connecting over HTTP: which flavour, which era, and what each failure says about the peer. The network's failures say
//! nothing about either.

use std::sync::Arc;

use http::HeaderMap;
use tokio::time::timeout;
use url::Url;

use crate::fault::code;
use crate::version::Era;
use crate::web;

use super::access::Access;
use super::channel::{Channel, Miss};
use super::error::{CallError, Class, ConnectError};
use super::handshake::{Discovered, Peer, Refusal, begin, complete, discover, only_legacy};
use super::http::Http;
use super::hub::Hub;
use super::paired::Paired;
use super::settings::{Choice, Settings};
use super::streamable::Streamable;
use super::wire::{Lost, Wire};
use crate::question::Answering;

/// Which HTTP transport is tried first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flavour {
    /// The same as [`Flavour::Streamable`].
    #[default]
    Auto,
    /// Streamable HTTP, then HTTP+SSE.
    Streamable,
    /// HTTP+SSE, then streamable HTTP.
    Sse,
}

/// An HTTP peer.
#[derive(Clone, Debug)]
pub struct Target {
    /// Where it is.
    pub url: Url,
    /// What every request to it carries; never sent to another origin.
    pub headers: HeaderMap,
    /// Which transport is tried first.
    pub flavour: Flavour,
}

/// All that a connection is made of.
pub(crate) struct Connector {
    pub(crate) http: Http,
    pub(crate) url: Url,
    pub(crate) settings: Settings,
    pub(crate) answering: Arc<dyn Answering>,
}

/// A failed try, and whether the other transport may be the right one.
struct Failed {
    error: ConnectError,
    elsewhere: bool,
}

impl From<ConnectError> for Failed {
    fn from(error: ConnectError) -> Self {
        Self { error, elsewhere: false }
    }
}

impl Connector {
    pub(crate) fn new(
        target: &Target,
        client: web::Client,
        settings: Settings,
        answering: Arc<dyn Answering>,
        access: Option<Arc<dyn Access>>,
    ) -> Result<Self, ConnectError> {
        if !matches!(target.url.scheme(), "http" | "https") {
            return Err(ConnectError::Url);
        }
        let http = Http { client, headers: target.headers.clone(), access };
        Ok(Self { http, url: target.url.clone(), settings, answering })
    }

    pub(crate) async fn connect(&self, flavour: Flavour) -> Result<(Channel, Peer), ConnectError> {
        let connected = timeout(self.settings.connect, self.either(flavour)).await;
        connected.unwrap_or(Err(ConnectError::Call(CallError::Timeout)))
    }

    /// The first flavour, and the second when what answers does not speak the first; its failure is the one told.
    async fn either(&self, flavour: Flavour) -> Result<(Channel, Peer), ConnectError> {
        if flavour == Flavour::Sse && self.settings.era != Choice::Modern {
            let first = match self.paired().await {
                Err(error) if error.class() == Class::NotMcp => error,
                done => return done,
            };
            let second = self.streamable().await.map_err(|failed| telling(first, failed.error))?;
            tracing::info!(url = %self.key(), "the server speaks streamable HTTP; declare it so to connect faster");
            return Ok(second);
        }
        match self.streamable().await {
            Err(Failed { error, elsewhere: true }) if self.settings.era != Choice::Modern => {
                let second = self.paired().await.map_err(|second| telling(error, second))?;
                tracing::info!(url = %self.key(), "the server speaks HTTP+SSE; declare it so to connect faster");
                Ok(second)
            }
            done => done.map_err(|failed| failed.error),
        }
    }

    fn hub(&self) -> Arc<Hub> {
        Hub::new(Arc::clone(&self.answering), self.settings.capabilities.clone())
    }

    async fn paired(&self) -> Result<(Channel, Peer), ConnectError> {
        let hub = self.hub();
        let ending = hub.ended.clone().drop_guard();
        let wire: Arc<dyn Wire> =
            Paired::open(self.http.clone(), &self.url, &hub, self.settings.connect / 3).await?;
        let channel = Channel::new(hub, wire);
        let peer = begin(&channel, &self.settings).await?;
        complete(&channel, &peer).await?;
        ending.disarm();
        Ok((channel, peer))
    }

    async fn streamable(&self) -> Result<(Channel, Peer), Failed> {
        let hub = self.hub();
        let ending = hub.ended.clone().drop_guard();
        let wire: Arc<dyn Wire> = Streamable::new(self.http.clone(), self.url.clone(), &hub);
        let channel = Channel::new(hub, wire);
        let peer = self.agree(&channel).await?;
        match peer.era {
            Era::Modern => channel.hub.settle(true, false),
            Era::Legacy => complete(&channel, &peer).await?,
        }
        if let Some(eras) = &self.settings.eras {
            eras.put(&self.key(), peer.era);
        }
        ending.disarm();
        Ok((channel, peer))
    }

    /// What the peer is remembered by.
    fn key(&self) -> String {
        format!("{}{}", self.url.origin().ascii_serialization(), self.url.path())
    }

    async fn agree(&self, channel: &Channel) -> Result<Peer, Failed> {
        match self.settings.era {
            Choice::Legacy => return self.handshake(channel).await,
            Choice::Modern => {
                return match discover(channel, &self.settings).await? {
                    Discovered::Modern(peer) => Ok(peer),
                    Discovered::Legacy => Err(only_legacy().into()),
                };
            }
            Choice::Auto => {}
        }
        let cached = self.settings.eras.as_ref().and_then(|eras| eras.get(&self.key()));
        if cached == Some(Era::Legacy) {
            match self.handshake(channel).await {
                Err(failed)
                    if failed.error.class() == Class::NotMcp || failed.error.class() == Class::Peer => {}
                done => return done,
            }
        }
        match discover(channel, &self.settings).await? {
            Discovered::Modern(peer) => Ok(peer),
            Discovered::Legacy => self.handshake(channel).await,
        }
    }

    async fn handshake(&self, channel: &Channel) -> Result<Peer, Failed> {
        begin(channel, &self.settings).await.map_err(|refusal| {
            let elsewhere = match &refusal {
                Refusal::Miss(Miss::Lost(Lost::Status(status))) => matches!(status, 400 | 404 | 405),
                Refusal::Miss(Miss::Fault(fault, Some(status))) => {
                    matches!(status.as_u16(), 400 | 404 | 405) && !code::MODERN.contains(&fault.code)
                }
                _ => false,
            };
            Failed { error: refusal.into(), elsewhere }
        })
    }
}

/// Of two failures the one that helps: credentials that are wanted, else the first.
fn telling(first: ConnectError, second: ConnectError) -> ConnectError {
    if second.class() == Class::Auth { second } else { first }
}
