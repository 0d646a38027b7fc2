//! The stdio transport, over any pair of reader and writer: one message per line, a bounded queue out, and a peer that
//! does not read ends the session instead of filling memory.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::timeout;

use crate::frame::{Reader, Side};
use crate::line::{Lines, on_one_line};
use crate::question::Boxed;
use crate::version::Version;

use super::hub::Hub;
use super::wire::{Lost, Outgoing, Wire};

/// How many messages may wait to be written.
pub(crate) const MAX_QUEUE: usize = 1024;

/// How many bytes may wait to be written.
pub(crate) const MAX_QUEUED_BYTES: usize = 32 * 1024 * 1024;

/// How many bytes are written at once; each such piece has the whole deadline.
const PIECE: usize = 64 * 1024;

/// How long the rest of the queue may take to be written when the session is closed.
const CLOSE_DEADLINE: Duration = Duration::from_secs(5);

/// How long a server may go on talking after that.
const LAST_WORDS: Duration = Duration::from_secs(10);

enum Job {
    Line(Bytes, OwnedSemaphorePermit),
    Close(oneshot::Sender<()>),
}

pub(crate) struct Pipe {
    queue: mpsc::Sender<Job>,
    room: Arc<Semaphore>,
    hub: Arc<Hub>,
}

impl Pipe {
    /// Begins to read and write.
    pub(crate) fn open<R, W>(reader: R, writer: W, hub: &Arc<Hub>, patience: Duration) -> Arc<Self>
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (queue, jobs) = mpsc::channel(MAX_QUEUE);
        tokio::spawn(write(writer, jobs, Arc::clone(hub), patience));
        tokio::spawn(read(reader, Arc::clone(hub)));
        let room = Arc::new(Semaphore::new(MAX_QUEUED_BYTES));
        Arc::new(Self { queue, room, hub: Arc::clone(hub) })
    }

    async fn enqueue(&self, body: Bytes) -> Result<(), Lost> {
        let size = u32::try_from(body.len().min(MAX_QUEUED_BYTES)).unwrap_or(u32::MAX);
        let queue = async {
            let permit = Arc::clone(&self.room).acquire_many_owned(size).await.map_err(|_| Lost::Closed)?;
            self.queue.send(Job::Line(on_one_line(body), permit)).await.map_err(|_| self.hub.why())
        };
        tokio::select! {
            done = queue => done,
            () = self.hub.ended.cancelled() => Err(self.hub.why()),
        }
    }
}

impl Wire for Pipe {
    fn exchange(self: Arc<Self>, out: Outgoing) -> Boxed<'static, Result<(), Lost>> {
        Box::pin(async move {
            self.enqueue(out.body).await?;
            self.hub.ended.cancelled().await;
            Err(self.hub.why())
        })
    }

    fn post(self: Arc<Self>, out: Outgoing) -> Boxed<'static, Result<(), Lost>> {
        Box::pin(async move { self.enqueue(out.body).await })
    }

    fn settle(self: Arc<Self>, _: Version) -> Boxed<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn is_streamable(&self) -> bool {
        false
    }

    fn close(self: Arc<Self>) -> Boxed<'static, ()> {
        Box::pin(async move {
            let (done, written) = oneshot::channel();
            let written = async {
                if self.queue.send(Job::Close(done)).await.is_ok() {
                    let _ = written.await;
                }
            };
            let _ = timeout(CLOSE_DEADLINE, written).await;
            self.hub.end(Lost::Closed, "closed");
        })
    }
}

async fn read(reader: impl AsyncRead + Unpin, hub: Arc<Hub>) {
    let mut lines = Lines::new(reader);
    let mut frames = Reader::new(Side::Server);
    loop {
        let line = tokio::select! {
            line = lines.next() => line,
            () = hub.ended.cancelled() => return discard(&mut lines).await,
        };
        hub.tally.skipped_lines.store(lines.skipped(), Ordering::Relaxed);
        match line {
            Ok(Some(text)) => drop(hub.receive(&mut frames, &text, None)),
            Ok(None) => return hub.end(Lost::Closed, "the server closed its output"),
            Err(error) => {
                return hub.end(Lost::Closed, &format!("the server's output cannot be read: {error}"));
            }
        }
    }
}

/// Reads what a server still says after the end, so that it does not break on its last words.
async fn discard(lines: &mut Lines<impl AsyncRead + Unpin>) {
    let rest = async { while let Ok(Some(_)) = lines.next().await {} };
    let _ = timeout(LAST_WORDS, rest).await;
}

async fn write<W: AsyncWrite + Unpin>(
    mut writer: W,
    mut jobs: mpsc::Receiver<Job>,
    hub: Arc<Hub>,
    patience: Duration,
) {
    loop {
        let job = tokio::select! {
            job = jobs.recv() => job,
            () = hub.ended.cancelled() => None,
        };
        let written = match job {
            Some(Job::Line(line, room)) => {
                let line = [&line[..], b"\n"];
                let written = tokio::select! {
                    written = write_line(&mut writer, line, patience, jobs.is_empty()) => written,
                    () = hub.ended.cancelled() => return,
                };
                drop(room);
                written
            }
            Some(Job::Close(done)) => {
                let _ = timeout(patience, writer.shutdown()).await;
                drop(writer);
                let _ = done.send(());
                return;
            }
            None => return,
        };
        if let Err(why) = written {
            return hub.end(
                why.clone(),
                if why == Lost::Stuck { "the server does not read" } else { "the server closed its input" },
            );
        }
    }
}

async fn write_line<W: AsyncWrite + Unpin>(
    writer: &mut W,
    line: [&[u8]; 2],
    patience: Duration,
    flush: bool,
) -> Result<(), Lost> {
    for part in line {
        for piece in part.chunks(PIECE) {
            within(patience, writer.write_all(piece)).await?;
        }
    }
    if flush { within(patience, writer.flush()).await } else { Ok(()) }
}

async fn within(patience: Duration, write: impl Future<Output = std::io::Result<()>>) -> Result<(), Lost> {
    match timeout(patience, write).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(Lost::Closed),
        Err(_) => Err(Lost::Stuck),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_never_holds_a_line_end() {
        let text = Bytes::from_static(b"{\"a\":\r\n[1,\n\"\\n\"]}");
        assert_eq!(&on_one_line(text)[..], b"{\"a\":  [1, \"\\n\"]}");
    }

    #[test]
    fn the_queue_is_bounded_in_messages_and_bytes() {
        assert_eq!((MAX_QUEUE, MAX_QUEUED_BYTES), (1024, 33_554_432));
    }

    #[test]
    fn a_pipe_is_written_in_pieces_and_closed_within_five_seconds() {
        assert_eq!((PIECE, CLOSE_DEADLINE.as_secs(), LAST_WORDS.as_secs()), (65_536, 5, 10));
    }
}
