//! An answer of the daemon that is no success, as a failure with what to do next.

use http::StatusCode;
use model::Problem;
use serde::Deserialize;

use crate::failure::{Cause, Failure};

/// The failure behind an answer that is no success.
pub fn read(status: StatusCode, body: &[u8]) -> Failure {
    #[derive(Deserialize)]
    struct Shape {
        error: String,
        #[serde(default)]
        problems: Vec<Problem>,
    }
    let cause = Cause::from_status(status.as_u16());
    let failure = match serde_json::from_slice::<Shape>(body) {
        Ok(Shape { error, problems }) => Failure::new(cause, error).with_problems(problems),
        Err(_) => Failure::new(cause, format!("the daemon answered {status}")),
    };
    match status.as_u16() {
        401 => failure.hint("set OUTFITTER_TOKEN, or use the daemon's socket on its own machine"),
        403 => failure
            .hint("ask an operator or an admin of the organization; `outfitter whoami` shows who you are"),
        410 => failure
            .hint("the history is gone up to there; list again and watch from the revision that it answers"),
        412 => failure.hint("get it again, carry your change over and apply"),
        413 => failure.hint("apply in several steps"),
        421 => failure.hint("start the daemon with `--allowed-host NAME` for this name"),
        500.. => failure.hint("look at the daemon's log, and try again in a moment"),
        _ => failure,
    }
}
