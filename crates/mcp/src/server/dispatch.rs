//! Running the service: bounded, cancellable, and unharmed by its panics.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError};

use bytes::Bytes;
use futures_util::FutureExt;

use super::exchange::{Exchange, Way};
use super::service::Service;
use super::{Core, shape};
use crate::fault::{Fault, code};
use crate::frame;

impl<S: Service> Core<S> {
    /// Runs a call in a task of its own, which answers on the call's way; `done` runs last, whatever happened.
    pub(super) fn run(self: &Arc<Self>, exchange: Exchange<S::Caller>, done: impl FnOnce() + Send + 'static) {
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
            let id = exchange.request.shared_id().unwrap_or_default();
            let about = core.service.about(&exchange.caller, &exchange.peer);
            let method = exchange.request.method().into_owned();
            let cancel = exchange.cancel.clone();
            let work = AssertUnwindSafe(core.service.handle(exchange)).catch_unwind();
            let outcome = tokio::select! {
                biased;
                () = cancel.cancelled() => None,
                outcome = work => Some(outcome.unwrap_or_else(|_| {
                    tracing::error!(method, "a call panicked");
                    Err(Fault::internal())
                })),
            };
            match outcome {
                None => way.sink().answer(None),
                Some(outcome) => {
                    let outcome = outcome.map(|result| shape::result(era, &method, result, &about));
                    answer(&way, &id, outcome, era);
                }
            }
            done();
        });
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
