//! What a stream's reader may see, kept up with every change of rights while the stream is open.

use std::sync::Arc;
use std::time::Duration;

use access::{Caller, Directory, Visible, visible};
use model::{Key, Kind, Revision, Timestamp};
use tokio::sync::watch;

use crate::authority::comes_to_know;
use crate::state::Control;

const EXPIRED: &str = "the credential has expired";

/// A reader's rights.
pub(crate) struct Rights {
    directory: watch::Receiver<Arc<Directory>>,
    caller: Caller,
    now: fn() -> Timestamp,
    visible: Vec<Visible>,
}

impl Rights {
    pub(crate) fn of(control: &Control, caller: Caller) -> Self {
        let mut directory = control.directory.clone();
        let visible = look(&directory.borrow_and_update(), &caller);
        Self { directory, caller, now: control.now, visible }
    }

    pub(super) fn admit(&self, key: &Key) -> bool {
        self.visible.iter().any(|visible| visible.admits(key))
    }

    /// Whether the reader sees it by a grant on that very resource, and not by where it is.
    pub(super) fn admits_alone(&self, key: &Key) -> bool {
        self.visible.iter().any(|visible| visible.kind() == key.kind && visible.filter().also.contains(key))
    }

    /// Waits until the reader may see less than before, or nothing at all; says why. Dropping the future loses nothing.
    pub(super) async fn lost(&mut self) -> &'static str {
        loop {
            if let Some(reason) = self.lost_now() {
                return reason;
            }
            let left = self.caller.expires_at.map(|at| at.as_millis() - (self.now)().as_millis());
            let expiry = async {
                match left {
                    Some(left) => {
                        tokio::time::sleep(Duration::from_millis(left.try_into().unwrap_or(0))).await;
                    }
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = expiry => return EXPIRED,
                changed = self.directory.changed() => if changed.is_err() {
                    return "the daemon is shutting down";
                },
            }
            self.directory.mark_changed();
        }
    }

    /// Waits until decisions here rest on a commit; whether they came to.
    pub(super) async fn known(&self, revision: Revision) -> bool {
        comes_to_know(self.directory.clone(), revision).await
    }

    /// Whether the reader may see less than when last asked; why.
    pub(super) fn lost_now(&mut self) -> Option<&'static str> {
        if self.caller.expires_at.is_some_and(|at| at <= (self.now)()) {
            return Some(EXPIRED);
        }
        if !self.directory.has_changed().unwrap_or(false) {
            return None;
        }
        let directory = Arc::clone(&self.directory.borrow_and_update());
        if !directory.still_holds(&self.caller, (self.now)()) {
            return Some("the credential was revoked");
        }
        let now = look(&directory, &self.caller);
        let less = self.visible.iter().zip(&now).any(|(before, now)| !now.covers(before));
        self.visible = now;
        less.then_some("what you may see has changed; list again, then watch from the list's revision")
    }
}

fn look(directory: &Directory, caller: &Caller) -> Vec<Visible> {
    Kind::ALL.into_iter().map(|kind| visible(directory, caller, kind)).collect()
}
