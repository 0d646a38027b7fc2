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
        403 if of_the_token(&failure) => {
            failure.hint("use another token; `outfitter whoami` shows what this one is good for")
        }
        403 => failure
            .hint("ask an operator or an admin of the organization; `outfitter whoami` shows who you are"),
        410 if failure.message.contains("has not happened") => failure.hint(
            "leave `--from` out to begin now; a revision ahead belongs to another store, or one restored",
        ),
        410 => failure
            .hint("the history is gone up to there; list again and watch from the revision that it answers"),
        412 => get_again(failure),
        413 => failure.hint("apply in several steps"),
        421 => failure.hint("start the daemon with `--allowed-host NAME` for this name"),
        500.. => failure.hint("look at the daemon's log, and try again in a moment"),
        _ => failure,
    }
}

/// Whether the token is too narrow, whatever its account may do: nobody's grant would help.
fn of_the_token(failure: &Failure) -> bool {
    let reasons = ["the token is read-only", "the token does not reach it", "the token is narrowed"];
    let says = |text: &str| reasons.iter().any(|reason| text.contains(reason));
    says(&failure.message) || failure.problems.iter().any(|problem| says(&problem.message))
}

/// Says what to do about a stale copy, unless the daemon said so itself.
pub fn get_again(failure: Failure) -> Failure {
    if failure.message.contains("get it again") {
        return failure;
    }
    failure.hint("get it again, carry your change over and apply")
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::{get_again, read};

    fn refused(status: u16, message: &str) -> crate::failure::Failure {
        let body = serde_json::json!({ "error": message }).to_string();
        read(StatusCode::from_u16(status).unwrap(), body.as_bytes())
    }

    #[test]
    fn a_revision_ahead_and_one_that_is_gone_get_different_advice() {
        let ahead = refused(410, "revision 9 has not happened here; the newest is 2");
        assert!(ahead.hints[0].contains("leave `--from` out"), "{ahead:?}");
        let gone = refused(410, "changes before revision 5 are no longer kept");
        assert!(gone.hints[0].contains("list again"), "{gone:?}");
    }

    #[test]
    fn a_token_that_is_too_narrow_sends_nobody_to_an_admin() {
        for (message, another) in [
            ("you may not edit it: the token is read-only", true),
            ("you may not view it: the token does not reach it", true),
            ("the token is narrowed, and may not make others", true),
            ("you may not edit it: only operators may", false),
        ] {
            let hints = refused(403, message).hints;
            assert_eq!(hints.len(), 1, "{message}");
            assert_eq!(hints[0].contains("use another token"), another, "{message}: {hints:?}");
            assert_eq!(hints[0].contains("ask an operator"), !another, "{message}: {hints:?}");
        }
    }

    #[test]
    fn advice_is_given_once() {
        assert!(refused(412, "it was changed; get it again and repeat your change").hints.is_empty());
        assert_eq!(get_again(refused(409, "it exists already")).hints.len(), 1);
    }
}
