//! Agreeing with a peer on an era and a revision; a slow peer is never taken for an old one.

use std::sync::Arc;

use bytes::Bytes;
use tokio::time::sleep;

use crate::fault::{Fault, code};
use crate::frame::{self, Frame};
use crate::json::{Shape, View};
use crate::meta;
use crate::version::{Era, Version};

use super::channel::{Ask, Channel, Miss};
use super::error::{CallError, ConnectError};
use super::headers;
use super::params::{initialize, speaking_for};
use super::settings::{Choice, Settings};
use super::wire::{Lost, Outgoing};

/// What the peer said about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The revision agreed on.
    pub version: Version,
    /// The era of it.
    pub era: Era,
    /// What it can do, a JSON object.
    pub capabilities: Bytes,
    /// What it is, a JSON object.
    pub info: Bytes,
    /// How to use it, a JSON string.
    pub instructions: Option<Bytes>,
}

/// What a modern question brought to light.
pub(crate) enum Discovered {
    Modern(Peer),
    /// It speaks, and not the modern way.
    Legacy,
}

/// Asks the modern way; asks once more when a modern peer objects.
pub(crate) async fn discover(channel: &Channel, settings: &Settings) -> Result<Discovered, ConnectError> {
    let mut again = true;
    loop {
        let params = speaking_for(settings, None);
        let headers = headers::modern("server/discover", Some(&params), &[]);
        let ask = Ask { quiet: true, headers, ..Ask::new("server/discover", Some(params), settings.connect) };
        let fault = match channel.ask(ask).await {
            Ok(frame) => return discovered(&frame),
            Err(Miss::Fault(fault, _)) => fault,
            // A server that is down for a moment says nothing about its era.
            Err(miss @ Miss::Lost(Lost::Status(429 | 502 | 503 | 504))) => return Err(refused(miss)),
            Err(Miss::Lost(Lost::Status(_) | Lost::Expired)) => return Ok(Discovered::Legacy),
            Err(miss) => return Err(refused(miss)),
        };
        if !code::MODERN.contains(&fault.code) {
            return Ok(Discovered::Legacy);
        }
        let named = supported(&fault);
        if !named.is_empty() && !named.contains(&Version::NEWEST) {
            return Ok(Discovered::Legacy);
        }
        if !std::mem::take(&mut again) {
            return Err(ConnectError::Call(CallError::Fault(fault)));
        }
    }
}

/// The known revisions an objection names.
fn supported(fault: &Fault) -> Vec<Version> {
    let data = fault.data.as_deref().map(View::new);
    data.and_then(|data| data.get("supported")).map(known).unwrap_or_default()
}

fn known(versions: View<'_>) -> Vec<Version> {
    versions.items().filter_map(|version| version.text()?.parse().ok()).collect()
}

fn discovered(frame: &Frame) -> Result<Discovered, ConnectError> {
    let result = frame.result();
    let versions = result.and_then(|result| result.get("supportedVersions"));
    let Some((result, versions)) = result.zip(versions).filter(|(_, all)| all.shape() == Shape::Array) else {
        return Ok(Discovered::Legacy);
    };
    let spoken = known(versions);
    if spoken.contains(&Version::NEWEST) {
        let info = result.get("_meta").and_then(|meta| meta.get(meta::SERVER_INFO));
        return Ok(Discovered::Modern(peer(frame, Version::NEWEST, info)));
    }
    if !spoken.is_empty() {
        return Ok(Discovered::Legacy);
    }
    let theirs = String::from_utf8_lossy(versions.bytes()).chars().take(200).collect();
    Err(ConnectError::Version { ours: Version::NEWEST.to_string(), theirs })
}

fn peer(frame: &Frame, version: Version, info: Option<View<'_>>) -> Peer {
    let share = |view: View<'_>| frame.bytes().slice_ref(view.bytes());
    let object = |view: Option<View<'_>>| {
        let view = view.filter(|view| view.shape() == Shape::Object);
        view.map_or(Bytes::from_static(b"{}"), share)
    };
    let result = frame.result();
    let instructions = result.and_then(|result| result.get("instructions"));
    Peer {
        version,
        era: version.era(),
        capabilities: object(result.and_then(|result| result.get("capabilities"))),
        info: object(info),
        instructions: instructions.filter(|text| text.shape() == Shape::String).map(share),
    }
}

/// Why a handshake failed; `Miss` tells transports apart that may be tried next.
pub(crate) enum Refusal {
    Miss(Miss),
    Version(String),
}

impl From<Refusal> for ConnectError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Miss(miss) => refused(miss),
            Refusal::Version(theirs) => Self::Version { ours: Version::NEWEST_LEGACY.to_string(), theirs },
        }
    }
}

/// Asks the legacy way. The handshake is complete after [`complete`].
pub(crate) async fn begin(channel: &Channel, settings: &Settings) -> Result<Peer, Refusal> {
    let ask = Ask::new("initialize", Some(initialize(settings)), settings.connect);
    let frame = channel.ask(ask).await.map_err(Refusal::Miss)?;
    let result = frame.result();
    let named =
        result.and_then(|result| result.get("protocolVersion")).and_then(View::text).unwrap_or_default();
    let version: Option<Version> =
        named.parse().ok().filter(|version: &Version| version.era() == Era::Legacy);
    let version = version.ok_or_else(|| Refusal::Version(named.chars().take(200).collect()))?;
    Ok(peer(&frame, version, result.and_then(|result| result.get("serverInfo"))))
}

/// Tells a legacy peer that the handshake is complete.
pub(crate) async fn complete(channel: &Channel, peer: &Peer) -> Result<(), ConnectError> {
    channel.hub.settle(false, peer.version.has_batches());
    let body = frame::notification("notifications/initialized", None);
    let out = Outgoing { id: None, body, headers: headers::legacy(peer.version), opens: false };
    let told = Arc::clone(&channel.wire).post(out).await;
    told.map_err(|lost| refused(Miss::Lost(lost)))?;
    Arc::clone(&channel.wire).settle(peer.version).await;
    Ok(())
}

/// Agrees with a peer on a pipe.
pub(crate) async fn over_pipe(channel: &Channel, settings: &Settings) -> Result<Peer, ConnectError> {
    let peer = match settings.era {
        Choice::Legacy => begin(channel, settings).await?,
        Choice::Modern => match discover(channel, settings).await? {
            Discovered::Modern(peer) => peer,
            Discovered::Legacy => return Err(only_legacy()),
        },
        Choice::Auto => remembered(channel, settings).await?,
    };
    match peer.era {
        Era::Modern => channel.hub.settle(true, false),
        Era::Legacy => complete(channel, &peer).await?,
    }
    Ok(peer)
}

/// Asks a peer the way it was asked last time; when that fails, or nothing is known, both ways.
async fn remembered(channel: &Channel, settings: &Settings) -> Result<Peer, ConnectError> {
    let Some((eras, key)) = settings.eras.as_ref().zip(settings.known_as.as_ref()) else {
        return either(channel, settings).await;
    };
    let peer = match eras.get(key) {
        Some(Era::Legacy) => match begin(channel, settings).await {
            Err(Refusal::Miss(Miss::Fault(..)) | Refusal::Version(_)) => either(channel, settings).await?,
            done => done?,
        },
        _ => either(channel, settings).await?,
    };
    eras.put(key, peer.era);
    Ok(peer)
}

pub(crate) fn only_legacy() -> ConnectError {
    let ours = Version::NEWEST.to_string();
    ConnectError::Version { ours, theirs: "only revisions with a handshake".into() }
}

/// Asks the modern way; a peer that stays silent for the grace is asked the other way as well, and the first answer
/// that agrees counts.
async fn either(channel: &Channel, settings: &Settings) -> Result<Peer, ConnectError> {
    let mut modern = std::pin::pin!(discover(channel, settings));
    tokio::select! {
        found = &mut modern => return match found? {
            Discovered::Modern(peer) => Ok(peer),
            Discovered::Legacy => Ok(begin(channel, settings).await?),
        },
        () = sleep(settings.grace) => {}
    }
    let mut legacy = std::pin::pin!(begin(channel, settings));
    let mut undiscovered = false;
    let mut failed = None;
    loop {
        tokio::select! {
            biased;
            found = &mut modern, if !undiscovered => match found {
                Ok(Discovered::Modern(peer)) => return Ok(peer),
                Ok(Discovered::Legacy) | Err(_) => undiscovered = true,
            },
            found = &mut legacy, if failed.is_none() => match found {
                Ok(peer) => return Ok(peer),
                Err(refusal) => failed = Some(refusal),
            },
        }
        if let Some(refusal) = failed.take_if(|_| undiscovered) {
            return Err(refusal.into());
        }
    }
}

/// What a missing answer says about the peer.
pub(crate) fn refused(miss: Miss) -> ConnectError {
    match miss {
        Miss::Lost(Lost::NotMcp) => {
            ConnectError::NotMcp("its answer is neither JSON nor an event stream".into())
        }
        Miss::Lost(Lost::Malformed) => ConnectError::NotMcp("its answer is no JSON-RPC message".into()),
        Miss::Lost(Lost::Status(status)) => ConnectError::NotMcp(format!("it answers with status {status}")),
        miss => ConnectError::Call(miss.into()),
    }
}
