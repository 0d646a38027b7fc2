//! `grant`, `revoke`, `grants`: single rights to single things.

use http::Method;
use serde_json::json;

use crate::args::{GrantArgs, GrantsArgs, RevokeArgs};
use crate::failure::{Cause, Failure};
use crate::field::text;
use crate::query::Query;
use crate::records::{self, Columns, done};
use crate::session::Session;
use crate::thing::Thing;

const PATH: &str = "/api/v1/grants";

const COLUMNS: Columns = Columns {
    header: &["SUBJECT", "MAY", "ON"],
    row: |grant| {
        vec![subject(text(grant, "subject")), may(text(grant, "relation")), text(grant, "object").to_owned()]
    },
    empty: &["Nothing was granted on it; who may what follows from where it lives."],
};

/// Carries out `grant`.
pub async fn give(args: &GrantArgs, session: &mut Session<'_>) -> Result<(), Failure> {
    let thing = Thing::read(&args.thing, None, session)?;
    let body = json!({
        "verb": args.verb,
        "kind": thing.kind(),
        "name": thing.name,
        "scope": thing.chosen.scope.map(model::ScopeName::as_str),
        "org": thing.chosen.org,
        "to": args.to,
    });
    let given = session.client()?.send(Method::POST, PATH, Some(&body)).await;
    let given = given.map_err(|failure| lost(failure, &thing))?;
    let (who, on) = (subject(text(&given, "subject")), text(&given, "object"));
    let mut next = vec![format!("See all grants on it: outfitter grants {}", thing.words())];
    if !who.contains(':') {
        let (verb, words) = (&args.verb, thing.words());
        next.push(format!("Look at what decides: outfitter can-i {verb} {words} --as {who}"));
    }
    done(&format!("{who} may {} {on}", args.verb), &next, session.output)
}

/// Carries out `revoke`.
pub async fn take(args: &RevokeArgs, session: &mut Session<'_>) -> Result<(), Failure> {
    let thing = Thing::read(&args.thing, None, session)?;
    let (verb, from) = (&args.verb, &args.from);
    let query = thing.address(Query::new(PATH).with("verb", verb)).with("from", from);
    let taken = session.client()?.send(Method::DELETE, &query.finish(), None).await;
    taken.map_err(|failure| lost(failure, &thing))?;
    let mut next = Vec::new();
    if !from.contains(':') {
        let words = thing.words();
        next.push(format!(
            "See whether something else still allows it: outfitter can-i {verb} {words} --as {from}"
        ));
    }
    let message = format!("Revoked from {from}: {verb} on {}", thing.words());
    done(&message, &next, session.output)
}

/// Carries out `grants`.
pub async fn list(args: &GrantsArgs, session: &mut Session<'_>) -> Result<(), Failure> {
    let thing = Thing::read(&args.thing, None, session)?;
    let answer = session.client()?.get(&thing.address(Query::new(PATH)).finish()).await;
    let items = records::items(answer.map_err(|failure| lost(failure, &thing))?);
    records::print(items, &COLUMNS, args.output.output, session.output)
}

/// Says where to look for what was not found.
fn lost(failure: Failure, thing: &Thing) -> Failure {
    let kind = thing.kind();
    match failure.cause {
        Cause::NotFound if failure.message.contains("no such grant") => {
            failure.hint(format!("see what was granted with `outfitter grants {}`", thing.words()))
        }
        Cause::NotFound if kind == "organization" => {
            failure.hint("see what there is with `outfitter org list`")
        }
        Cause::NotFound => failure.hint(format!(
            "see what there is and where with `outfitter {kind} list`, and add `--org` or `--scope`"
        )),
        _ => failure,
    }
}

/// Who, as `--to` and `--from` take it.
fn subject(subject: &str) -> String {
    if let Some(account) = subject.strip_prefix("identity_account:") {
        return account.to_owned();
    }
    match subject.strip_prefix("organization:") {
        Some(org) => format!("org:{}", org.strip_suffix("#member").unwrap_or(org)),
        None => subject.to_owned(),
    }
}

/// A relation as the verb that grants it.
fn may(relation: &str) -> String {
    let verb = match relation {
        "viewer" => "view",
        "editor" => "edit",
        "approver" => "approve",
        "secret_user" => "use-secret",
        "operator" => "operate",
        other => other,
    };
    verb.to_owned()
}

#[cfg(test)]
mod tests {
    use super::subject;

    #[test]
    fn a_subject_reads_as_it_is_typed() {
        for (stored, typed) in [
            ("identity_account:ana", "ana"),
            ("organization:acme#member", "org:acme"),
            ("organization:acme#admin", "org:acme#admin"),
            ("something:else", "something:else"),
        ] {
            assert_eq!(subject(stored), typed);
        }
    }
}
