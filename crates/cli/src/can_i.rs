//! `can-i`: yes or no first, then what decides. Exit code 1 means no, and nothing else.

use serde_json::Value as Json;

use crate::args::{CanIArgs, Format};
use crate::exit;
use crate::failure::{Cause, Failure};
use crate::field::text;
use crate::output::{Output, Style};
use crate::query::Query;
use crate::session::Session;
use crate::thing::Thing;

/// Carries out `can-i`.
pub async fn run(args: CanIArgs, session: &mut Session<'_>) -> Result<u8, Failure> {
    let answer = ask(&args, session).await.map_err(|failure| match failure.cause {
        Cause::Input => Failure { cause: Cause::Usage, ..failure },
        _ => failure,
    })?;
    match args.output.output {
        Some(Format::Json) => session.output.json(&answer)?,
        Some(Format::Yaml) => session.output.yaml(&answer)?,
        None => tell(&answer, session.output)?,
    }
    Ok(if answer["allowed"] == true { exit::DONE } else { exit::INPUT })
}

async fn ask(args: &CanIArgs, session: &Session<'_>) -> Result<Json, Failure> {
    let thing = Thing::read(&args.thing, args.owner.as_ref(), session)?;
    let query = thing.address(Query::new("/api/v1/can-i").with("verb", &args.verb));
    let query = query.maybe("as", args.other.as_ref().map(model::Account::as_str));
    let answer = session.client()?.get(&query.finish()).await?;
    if !answer["allowed"].is_boolean() {
        return Err(Failure::new(Cause::Unreachable, "the daemon answered neither yes nor no")
            .hint("look at the URL or socket, and at the daemon's version"));
    }
    Ok(answer)
}

fn tell(answer: &Json, output: &mut Output) -> Result<(), Failure> {
    if answer["allowed"] == true {
        output.styled(Style::Good, "yes")?;
        let steps = answer["path"].as_array().into_iter().flatten();
        return steps.map(step).try_for_each(|line| output.line(&line));
    }
    output.styled(Style::Bad, "no")?;
    let (account, relation) = (text(answer, "account"), text(answer, "relation"));
    output.line(&format!("  {} {relation}: not {account}", text(answer, "target")))?;
    output.line(&format!("  {}", text(answer, "reason")))
}

fn step(step: &Json) -> String {
    format!("  {} {}: {}", text(step, "object"), text(step, "relation"), text(step, "because"))
}
