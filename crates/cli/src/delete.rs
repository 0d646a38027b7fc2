//! `delete`: one resource of an explicit scope, after a question.

use std::io::BufRead as _;

use http::Method;
use model::Kind;

use crate::apply::capital;
use crate::args::DeleteArgs;
use crate::failure::{Cause, Failure};
use crate::output::Style;
use crate::query::Query;
use crate::session::Session;
use crate::show;

/// Carries out `delete`.
pub async fn run(kind: Kind, args: DeleteArgs, session: &mut Session<'_>) -> Result<(), Failure> {
    let (noun, name) = (kind.noun(), &args.name);
    let Some(scope) = args.scope else {
        return Err(Failure::usage("delete needs an explicit `--scope`")
            .hint(format!("for example: outfitter {noun} delete {name} --scope identity_account")));
    };
    let chosen = session.chosen(Some(scope), args.org.as_deref())?;
    let place = chosen.org.as_ref().map_or_else(|| scope.to_string(), |org| format!("{scope}/{org}"));
    if !args.force && !confirmed(&format!("Delete {} `{name}` ({place})? [y/N]", kind.title()), session)? {
        session.output.note("Nothing was deleted.");
        return Ok(());
    }
    let client = session.client()?;
    let path = Query::new(format!("/api/v1/{}/{name}", kind.collection())).chosen(&chosen);
    let answer = client.send(Method::DELETE, &path.flag("force", args.force).finish(), None).await;
    match answer {
        Ok(_) => session.output.styled(Style::Good, &format!("✓ {} deleted", capital(kind.title()))),
        Err(failure) if failure.cause == Cause::NotFound => {
            Err(show::elsewhere(&client, kind, name.as_str(), "delete", failure).await)
        }
        Err(failure) if failure.cause == Cause::Conflict => Err(failure
            .hint("change or delete what refers to it first, or delete it all the same with `--force`")),
        Err(failure) => Err(failure),
    }
}

/// Asks on a terminal; without one only `--force` deletes.
fn confirmed(question: &str, session: &mut Session<'_>) -> Result<bool, Failure> {
    if !session.surroundings.stdin_is_terminal {
        return Err(Failure::usage("delete asks before it deletes, and there is no terminal to ask on")
            .hint("add `--force` to delete without a question"));
    }
    session.output.ask(question);
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| Failure::usage(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
