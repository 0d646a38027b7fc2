//! Running the service: bounded, cancellable, and unharmed by its panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};

use bytes::Bytes;
use futures_util::FutureExt;

use super::body::Leave;
use super::exchange::{Exchange, Way};
use super::peer::Peer;
use super::service::{About, Service};
use super::{Core, shape};
use crate::fault::{Fault, code};
use crate::frame;

impl<S: Service> Core<S> {
    /// Runs a call in a task of its own, which answers on the call's way; `done` runs last, whatever happened.
    pub(super) fn run(
        self: &Arc<Self>,
        exchange: Exchange<S::Caller>,
        done: impl FnOnce() + Send + Sync + 'static,
    ) {
        let way = exchange.way.clone();
        let era = exchange.peer.era();
        let Ok(permit) = Arc::clone(&self.calls).try_acquire_owned() else {
            let busy = Fault::new(code::BUSY, "too many calls are going on");
            answer(&way, &exchange.request.shared_id().unwrap_or_default(), Err(busy), era);
            done();
            return;
        };
        let core = Arc::clone(self);
        self.tasks.spawn(async move {
            let _permit = permit;
            let _done = Leave::by(done);
            let id = exchange.request.shared_id().unwrap_or_default();
            let request = exchange.request.clone();
            let cancel = exchange.cancel.clone();
            let work = AssertUnwindSafe(async {
                let about = core.service.about(&exchange.caller, &exchange.peer);
                core.service
                    .handle(exchange)
                    .await
                    .map(|result| shape::result(era, &request.method(), result, &about))
            });
            let outcome = tokio::select! {
                biased;
                () = cancel.cancelled() => None,
                outcome = work.catch_unwind() => Some(outcome.unwrap_or_else(|_| {
                    tracing::error!(method = %request.method(), "a call panicked");
                    Err(Fault::internal())
                })),
            };
            match outcome {
                None => way.sink().answer(None),
                Some(outcome) => answer(&way, &id, outcome, era),
            }
        });
    }

    /// What the service says about itself; its panic is its own.
    pub(super) fn about(&self, caller: &S::Caller, peer: &Peer) -> Result<About, Fault> {
        catch_unwind(AssertUnwindSafe(|| self.service.about(caller, peer))).map_err(|_| {
            tracing::error!("the service cannot say what it is");
            Fault::internal()
        })
    }
}

/// Sends the answer of a call to the request that waits for it now.
fn answer(way: &Way, id: &Bytes, outcome: Result<Bytes, Fault>, era: crate::Era) {
    let (sink, id) = match way {
        Way::Legacy { sink, .. } => (sink.clone(), id.clone()),
        Way::Modern { leg, .. } => {
            let leg = leg.lock().unwrap_or_else(PoisonError::into_inner);
            (leg.sink.clone(), leg.id.clone())
        }
    };
    let message = match outcome {
        Ok(result) => frame::answer(&id, &result),
        Err(fault) => frame::failure(Some(&id), &fault.write(era)),
    };
    sink.answer(Some(message));
}
