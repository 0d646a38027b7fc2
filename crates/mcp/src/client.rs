//! The client side: a session with one peer, whatever its era and transport. Everything that waits has a deadline, and
//! what the peer sends without being asked is dropped and counted.

mod access;
mod bulletin;
mod call;
mod channel;
mod connect;
mod counts;
mod eras;
mod error;
mod handshake;
mod headers;
mod http;
mod hub;
mod list;
mod paired;
mod params;
mod pipe;
mod settings;
mod stream;
mod streamable;
mod subscription;
mod wire;

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::header::Mirror;
use crate::json::View;
use crate::question::Answering;
use crate::version::Era;
use crate::web;

use channel::{Channel, Miss};
use connect::Connector;
use handshake::{begin, complete};
use hub::Hub;
use pipe::Pipe;
use wire::{Lost, Wire};

pub use access::{Access, AccessError, Challenge, Retry};
pub use bulletin::Event;
pub use call::{Call, MAX_ROUNDS};
pub use connect::{Flavour, Target};
pub use counts::Counts;
pub use eras::{EraCache, MAX_PEERS};
pub use error::{CallError, Class, ConnectError};
pub use handshake::Peer;
pub use list::{List, ListError, Listing, MAX_ITEMS, MAX_PAGES};
pub use settings::{Choice, Settings};
pub use subscription::MAX_WATCHED;

/// A session with a peer; clones share it, and it ends with the last of them.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    channel: Channel,
    settings: Settings,
    answering: Arc<dyn Answering>,
    peer: RwLock<Arc<Peer>>,
    wishes: Mutex<HashMap<String, Arc<[Mirror]>>>,
    /// How often the session was begun.
    generation: AtomicU64,
    /// Held by whoever begins it anew.
    renewing: tokio::sync::Mutex<()>,
    watched: watch::Sender<BTreeSet<String>>,
}

impl Session {
    /// A session over a pair of reader and writer, one message per line.
    pub async fn over<R, W>(
        reader: R,
        writer: W,
        settings: Settings,
        answering: Arc<dyn Answering>,
        events: mpsc::Sender<Event>,
    ) -> Result<Self, ConnectError>
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let hub = Hub::new(Arc::clone(&answering), settings.capabilities.clone());
        let ending = hub.ended.clone().drop_guard();
        let wire: Arc<dyn Wire> = Pipe::open(reader, writer, &hub, settings.write);
        let channel = Channel::new(hub, wire);
        let agreed = timeout(settings.connect, handshake::over_pipe(&channel, &settings)).await;
        let peer = agreed.unwrap_or(Err(ConnectError::Call(CallError::Timeout)))?;
        ending.disarm();
        Ok(Self::begun(channel, settings, answering, peer, events))
    }

    /// A session over HTTP.
    pub async fn connect(
        target: Target,
        client: web::Client,
        settings: Settings,
        answering: Arc<dyn Answering>,
        events: mpsc::Sender<Event>,
        access: Option<Arc<dyn Access>>,
    ) -> Result<Self, ConnectError> {
        let connector = Connector::new(&target, client, settings, Arc::clone(&answering), access)?;
        let (channel, peer) = connector.connect(target.flavour).await?;
        Ok(Self::begun(channel, connector.settings, answering, peer, events))
    }

    fn begun(
        channel: Channel,
        settings: Settings,
        answering: Arc<dyn Answering>,
        peer: Peer,
        events: mpsc::Sender<Event>,
    ) -> Self {
        let hub = Arc::clone(&channel.hub);
        tokio::spawn(async move { hub.bulletin.deliver(events, hub.ended.clone()).await });
        let (watched, watching) = watch::channel(BTreeSet::new());
        if peer.era == Era::Modern {
            tokio::spawn(subscription::listen(channel.clone(), settings.clone(), peer.clone(), watching));
        }
        Self(Arc::new(Inner {
            channel,
            settings,
            answering,
            peer: RwLock::new(Arc::new(peer)),
            wishes: Mutex::default(),
            generation: AtomicU64::new(0),
            renewing: tokio::sync::Mutex::default(),
            watched,
        }))
    }

    /// What the peer said about itself.
    pub fn peer(&self) -> Arc<Peer> {
        Arc::clone(&self.0.peer.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What the peer sent that nobody could use.
    pub fn counts(&self) -> Counts {
        self.0.channel.hub.tally.read()
    }

    /// Whether the connection ended.
    pub fn is_closed(&self) -> bool {
        self.0.channel.hub.ended.is_cancelled()
    }

    /// Asks whether the peer is there.
    pub async fn ping(&self) -> Result<(), CallError> {
        let method = if self.0.channel.hub.is_modern() { "server/discover" } else { "ping" };
        self.simple(method, None).await.map(drop)
    }

    /// Tells the peer something that needs no answer; the parameters are a JSON object.
    pub async fn notify(&self, method: &str, params: Option<&[u8]>) -> Result<(), CallError> {
        self.0.channel.notify(method, params).await.map_err(|lost| Miss::Lost(lost).into())
    }

    /// Ends the session in the way the peer expects; calls that wait fail.
    pub async fn close(&self) {
        Arc::clone(&self.0.channel.wire).close().await;
    }

    /// Begins a legacy session anew that the peer forgot, unless somebody did since `seen`. Goes on when its caller gives
    /// up: a session that is half begun would be of use to nobody.
    async fn renew(&self, seen: u64) -> Result<(), CallError> {
        let session = self.clone();
        let renewed = tokio::spawn(async move { session.renew_now(seen).await }).await;
        renewed.unwrap_or(Err(CallError::Disconnected))
    }

    async fn renew_now(&self, seen: u64) -> Result<(), CallError> {
        // One at a time: two handshakes would leave a session that nobody ends.
        let _turn = self.0.renewing.lock().await;
        if self.0.generation() != seen {
            return Ok(());
        }
        let again = async {
            let peer = begin(&self.0.channel, &self.0.settings).await?;
            complete(&self.0.channel, &peer).await?;
            Ok::<Peer, ConnectError>(peer)
        };
        let again = timeout(self.0.settings.connect, again).await.map_err(|_| CallError::Timeout)?;
        let peer = again.map_err(|error| match error {
            ConnectError::Call(error) => error,
            _ => CallError::Malformed("the session cannot be begun anew"),
        })?;
        self.0.generation.fetch_add(1, Ordering::Relaxed);
        self.watch_again().await;
        subscription::all_may_have_changed(&peer, &self.0.channel.hub.bulletin);
        *self.0.peer.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(peer);
        Ok(())
    }
}

impl Inner {
    fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    fn set_wishes(&self, wishes: HashMap<String, Arc<[Mirror]>>) {
        *self.wishes.lock().unwrap_or_else(PoisonError::into_inner) = wishes;
    }

    /// Which arguments of this call travel in headers.
    fn wishes(&self, method: &str, params: Option<&[u8]>) -> Arc<[Mirror]> {
        let name = params.filter(|_| method == "tools/call").and_then(|params| View::new(params).get("name"));
        let name = name.and_then(View::text);
        let wishes = self.wishes.lock().unwrap_or_else(PoisonError::into_inner);
        name.and_then(|name| wishes.get(&*name).cloned()).unwrap_or_default()
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let peer = self.peer();
        formatter
            .debug_struct("Session")
            .field("version", &peer.version)
            .field("closed", &self.is_closed())
            .finish()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.channel.hub.end(Lost::Closed, "not needed any more");
    }
}
