//! One connection of lines: standard streams, a socket, any pair of reader and writer; both eras may speak on it.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

use super::legacy::MOST_RUNNING;
use super::modern::Taken;
use super::outbox::Reader as Outgoing;
use super::service::Service;
use super::session::{Carrier, Session};
use super::sink::Sink;
use super::{Core, Server};
use crate::fault::{Fault, code};
use crate::frame::{self, Frame, Incoming, Kind, Reader, Reason, Side};
use crate::line::{Lines, on_one_line};
use crate::meta;
use crate::version::Era;

/// How long a client that reads nothing holds up the connection.
pub(super) const WRITE_WITHIN: Duration = Duration::from_secs(30);

/// How long calls may go on after the client has said its last word.
pub(super) const DRAIN_WITHIN: Duration = Duration::from_secs(10);

impl<S: Service> Server<S> {
    /// Serves one connection until the client ends it or the server stops.
    pub async fn connection<R, W>(&self, caller: S::Caller, reader: R, writer: W) -> io::Result<()>
    where
        R: AsyncRead + Send + Unpin,
        W: AsyncWrite + Send + Unpin,
    {
        let core = &self.core;
        if core.stop.is_cancelled() {
            return Err(io::Error::other("the server is stopping"));
        }
        let opened = core.sessions.open(caller.clone(), Carrier::Connection);
        let session = opened.map_err(|_| io::Error::other("too many sessions"))?;
        let line =
            Line { core: Arc::clone(core), session: Arc::clone(&session), caller, modern: Mutex::default() };
        let outgoing = session.general.attach();
        let writing = write(outgoing, writer);
        let reading = async {
            let read = line.read(reader).await;
            if read.is_ok() {
                line.drain().await;
            }
            session.general.finish();
            read
        };
        let (read, written) = tokio::select! {
            () = session.ended.cancelled() => (Ok(()), Ok(())),
            both = async { tokio::join!(reading, async { let end = writing.await; session.end(); end }) } => both,
        };
        read.and(written)
    }
}

/// However a connection ends, nothing of it is left.
impl<S: Service> Drop for Line<S> {
    fn drop(&mut self) {
        self.give_up();
        self.core.sessions.end(&self.session.id);
    }
}

/// A connection and what goes on in it.
struct Line<S: Service> {
    core: Arc<Core<S>>,
    session: Arc<Session<S::Caller>>,
    caller: S::Caller,
    modern: Mutex<HashMap<Bytes, Taken>>,
}

impl<S: Service> Line<S> {
    async fn read(&self, reader: impl AsyncRead + Send + Unpin) -> io::Result<()> {
        let mut lines = Lines::new(reader);
        let mut frames = Reader::new(Side::Client);
        loop {
            let line = tokio::select! {
                () = self.session.ended.cancelled() => return Ok(()),
                line = lines.next() => line?,
            };
            let Some(line) = line else { return Ok(()) };
            // A client that sends much at once is made to wait, not cut off.
            tokio::select! {
                () = self.session.ended.cancelled() => return Ok(()),
                () = self.session.general.room() => {}
            }
            match frames.read(&line) {
                Ok(Incoming::One(message)) => self.take(message),
                Ok(Incoming::Batch(messages)) => self.take_batch(messages),
                Err(malformed) => self.refuse(&malformed),
            }
        }
    }

    fn sink(&self) -> Sink {
        Sink::lasting(Arc::clone(&self.session.general))
    }

    fn take(&self, message: Frame) {
        if message.kind() == Kind::Request && meta::is_modern(&message) {
            let id = Bytes::copy_from_slice(message.id().unwrap_or_default());
            if let Some(fault) = self.refusal(&id) {
                self.sink().answer(Some(frame::failure(Some(&id), &fault.write(Era::Modern))));
                return;
            }
            let taken = self.core.take(&self.caller, message, &self.sink());
            self.remember(id, taken);
            return;
        }
        if message.kind() == Kind::Notification && message.method() == "notifications/cancelled" {
            self.cancel(&message);
        }
        self.core.accept(&self.session, &self.caller, message, self.sink());
    }

    fn take_batch(&self, messages: Vec<Frame>) {
        if let Err(fault) =
            self.core.hand_over(&self.session, &self.caller, Incoming::Batch(messages), self.sink())
        {
            self.session.general.push(frame::failure(None, &fault.write(Era::Legacy)));
        }
    }

    /// A line that is no message is ignored: answering noise with noise would never end.
    fn refuse(&self, malformed: &frame::Malformed) {
        self.core.refuse();
        if !matches!(malformed.0, Reason::Json(_)) {
            self.session.general.push(frame::failure(None, &malformed.fault().write(Era::Legacy)));
        }
    }

    fn running(&self) -> std::sync::MutexGuard<'_, HashMap<Bytes, Taken>> {
        self.modern.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why a modern request cannot be taken now.
    fn refusal(&self, id: &Bytes) -> Option<Fault> {
        let mut running = self.running();
        running.retain(|_, taken| !matches!(taken, Taken::Running(cancel) if cancel.is_cancelled()));
        if running.contains_key(id) {
            return Some(Fault::new(code::INVALID_REQUEST, "a request with this id is running"));
        }
        let busy = running.len() >= MOST_RUNNING;
        busy.then(|| Fault::new(code::BUSY, "too many calls are going on in this connection"))
    }

    fn remember(&self, id: Bytes, taken: Taken) {
        let mut running = self.running();
        if !matches!(taken, Taken::Answered) {
            running.insert(id, taken);
        }
    }

    fn cancel(&self, notification: &Frame) {
        let id = notification.param("requestId").map(|id| Bytes::copy_from_slice(id.bytes()));
        if let Some(taken) = id.and_then(|id| self.running().remove(&id)) {
            self.end(taken);
        }
    }

    fn end(&self, taken: Taken) {
        match taken {
            Taken::Answered => {}
            Taken::Running(cancel) => cancel.cancel(),
            Taken::Listening(number) => self.core.listeners.remove(number),
        }
    }

    fn give_up(&self) {
        let running = std::mem::take(&mut *self.running());
        for taken in running.into_values() {
            self.end(taken);
        }
    }

    /// Waits for calls that are still going on. The token of a modern call is cancelled when it is over.
    async fn drain(&self) {
        let modern: Vec<CancellationToken> =
            self.running().values().filter_map(Taken::token).cloned().collect();
        let quiet = async {
            self.session.quiet().await;
            for call in modern {
                call.cancelled().await;
            }
        };
        let _ = tokio::time::timeout(DRAIN_WITHIN, quiet).await;
    }
}

async fn write(outgoing: Outgoing, mut writer: impl AsyncWrite + Send + Unpin) -> io::Result<()> {
    while let Some(event) = outgoing.next().await {
        let line = on_one_line(event.message);
        let sent = async {
            writer.write_all(&line).await?;
            writer.write_all(b"\n").await?;
            writer.flush().await
        };
        let late = || io::Error::from(io::ErrorKind::TimedOut);
        tokio::select! {
            sent = tokio::time::timeout(WRITE_WITHIN, sent) => sent.map_err(|_| late())??,
            () = outgoing.cut_off() => return Err(late()),
        }
    }
    Ok(())
}
