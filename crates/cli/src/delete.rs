//! `delete`: one resource of an explicit scope, looked up first, after a question.

use std::io::{self, BufRead};

use http::Method;
use model::{Kind, ScopeName};

use crate::apply::capital;
use crate::args::DeleteArgs;
use crate::exit;
use crate::failure::{Cause, Failure};
use crate::output::{Output, Style};
use crate::query::Query;
use crate::session::Session;
use crate::show;

/// Carries out `delete`.
pub async fn run(kind: Kind, args: DeleteArgs, session: &mut Session<'_>) -> Result<u8, Failure> {
    let (noun, name) = (kind.noun(), &args.name);
    let Some(scope) = args.scope else {
        return Err(Failure::usage("delete needs an explicit `--scope`")
            .hint(format!("for example: outfitter {noun} delete {name} --scope identity_account")));
    };
    let chosen = session.chosen(kind, Some(scope), args.org.as_ref())?;
    if !args.force && !session.surroundings.stdin_is_terminal {
        return Err(Failure::usage("delete asks before it deletes, and there is no terminal to ask on")
            .hint("add `--force` to delete without a question"));
    }
    let place = chosen.org.as_ref().map_or_else(|| scope.to_string(), |org| format!("{scope}/{org}"));
    let client = session.client()?;
    let path = Query::new(format!("/api/v1/{}/{name}", kind.collection())).chosen(&chosen);
    let mut found = Ok(());
    if !args.force {
        found = client.get(&path.clone().finish()).await.map(drop);
        let question = format!("Delete {} `{name}` ({place})? [y/N]", kind.title());
        if found.is_ok() && !confirmed(&question, io::stdin().lock(), session.output)? {
            session.output.note("nothing was deleted");
            return Ok(exit::INPUT);
        }
    }
    if found.is_ok() {
        let path = path.flag("force", args.force).finish();
        found = client.send(Method::DELETE, &path, None).await.map(drop);
    }
    match found {
        Ok(()) => {
            let done = format!("✓ {} `{name}` ({place}) deleted", capital(kind.title()));
            session.output.styled(Style::Good, &done)?;
            Ok(exit::DONE)
        }
        Err(failure) if failure.cause == Cause::NotFound => {
            let tried = ("delete", scope == ScopeName::IdentityAccount);
            Err(show::elsewhere(&client, kind, name.as_str(), tried, failure).await)
        }
        Err(failure) if failure.cause == Cause::Conflict => Err(failure
            .hint("change or delete what refers to it first, or delete it all the same with `--force`")),
        Err(failure) => Err(failure),
    }
}

/// Asks, and takes nothing but a yes for one.
fn confirmed(question: &str, mut answers: impl BufRead, output: &mut Output) -> Result<bool, Failure> {
    output.ask(question);
    let mut answer = String::new();
    let read = answers.read_line(&mut answer);
    if read.map_err(|error| Failure::usage(format!("cannot read the answer: {error}")))? == 0 {
        // Whoever ends the input leaves the cursor behind the question.
        output.note("");
    }
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::{Output, confirmed};

    #[test]
    fn only_a_yes_deletes() {
        for (answer, expected) in [("y\n", true), ("YES\n", true), ("n\n", false), ("\n", false), ("", false)]
        {
            let mut output = Output::to(Box::new(std::io::sink()), Box::new(std::io::sink()));
            assert_eq!(confirmed("?", answer.as_bytes(), &mut output).unwrap(), expected, "{answer:?}");
        }
    }
}
