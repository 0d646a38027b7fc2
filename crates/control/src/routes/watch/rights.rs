//! What a stream's reader may see, kept up with every change of rights while the stream is open.

use std::sync::Arc;
use std::time::Duration;

use access::{Caller, Directory, Visible, visible};
use model::{Key, Kind, Timestamp};
use tokio::sync::watch;

use crate::state::Control;

/// A reader's rights.
pub(super) struct Rights {
    directory: watch::Receiver<Arc<Directory>>,
    caller: Caller,
    now: fn() -> Timestamp,
    visible: Vec<Visible>,
}

impl Rights {
    pub(super) fn of(control: &Control, caller: Caller) -> Self {
        let mut directory = control.directory.clone();
        let visible = look(&directory.borrow_and_update(), &caller);
        Self { directory, caller, now: control.now, visible }
    }

    pub(super) fn admit(&self, key: &Key) -> bool {
        self.visible.iter().any(|visible| visible.admits(key))
    }

    /// Waits until the reader may see less than before, or nothing at all; says why. Dropping the future loses nothing.
    pub(super) async fn lost(&mut self) -> &'static str {
        loop {
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
                () = expiry => return "the credential has expired",
                changed = self.directory.changed() => if changed.is_err() {
                    return "the daemon is shutting down";
                },
            }
            let directory = Arc::clone(&self.directory.borrow_and_update());
            if !directory.still_holds(&self.caller, (self.now)()) {
                return "the credential was revoked";
            }
            let now = look(&directory, &self.caller);
            let less = self.visible.iter().zip(&now).any(|(before, now)| !now.covers(before));
            self.visible = now;
            if less {
                return "what you may see has changed; list again, then watch from the list's revision";
            }
        }
    }
}

fn look(directory: &Directory, caller: &Caller) -> Vec<Visible> {
    Kind::ALL.into_iter().map(|kind| visible(directory, caller, kind)).collect()
}
