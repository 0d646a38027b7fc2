//! Keeps what the daemon knows to itself: private files, no core dumps, no reading of its memory by others.

use rustix::fs::Mode;
use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit, umask};

/// Applies them, and makes every new file private; a kernel that refuses is logged, not fatal.
pub(crate) fn apply() {
    umask(Mode::RWXG | Mode::RWXO);
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        tracing::warn!(%error, "other processes of this user may read the daemon's memory");
    }
    if let Err(error) = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }) {
        tracing::warn!(%error, "core dumps could not be switched off");
    }
}
