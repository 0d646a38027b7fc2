//! `token`: bearer tokens. The text of a new one goes to standard output alone, and nowhere else.

use http::Method;
use model::ScopeName;
use serde_json::{Value as Json, json};

use crate::args::{TokenCommand, TokenCreateArgs};
use crate::failure::{Cause, Failure};
use crate::field::text;
use crate::output::{Output, Style};
use crate::records::{self, Columns, done};
use crate::session::{Session, agree};
use crate::show;

const PATH: &str = "/api/v1/tokens";

const COLUMNS: Columns = Columns {
    header: &["ID", "ACCOUNT", "LABEL", "GOOD FOR", "EXPIRES", "CREATED"],
    row: |token| {
        vec![
            text(token, "id").to_owned(),
            text(token, "account").to_owned(),
            text(token, "label").to_owned(),
            good_for(token),
            expiry(token),
            records::made(token),
        ]
    },
    empty: &["There is no token yet. Make one with:", "  outfitter token create --label LABEL"],
};

/// Carries out `token`.
pub async fn run(command: TokenCommand, session: &mut Session<'_>) -> Result<(), Failure> {
    match command {
        TokenCommand::Create(args) => create(&args, session).await,
        TokenCommand::List(args) => {
            let items = records::items(session.client()?.get(PATH).await?);
            records::print(items, &COLUMNS, args.output, session.output)
        }
        TokenCommand::Revoke { id } => revoke(&id, session).await,
    }
}

async fn create(args: &TokenCreateArgs, session: &mut Session<'_>) -> Result<(), Failure> {
    agree(args.agent_scope, args.agent_org.as_ref()).map_err(|_| {
        Failure::usage("`--agent-org` goes with `--agent-scope organization` only")
            .hint("leave `--agent-scope` or `--agent-org` out")
    })?;
    if args.agent_scope == Some(ScopeName::Organization) && args.agent_org.is_none() {
        return Err(Failure::usage("`--agent-scope organization` needs `--agent-org`")
            .hint("add `--agent-org NAME`, the agent's organization"));
    }
    let client = session.client()?;
    let made = client.send(Method::POST, PATH, Some(&body(args))).await?;
    let secret = text(&made, "token");
    if secret.is_empty() {
        return Err(Failure::new(Cause::Unreachable, "the daemon's answer holds no token")
            .hint("look at the URL or socket, and at the daemon's version"));
    }
    session.output.line(secret)?;
    // Nobody can ask for it again: it must have arrived before anything else is said.
    session.output.flush()?;
    tell(&made, session.output);
    Ok(())
}

fn body(args: &TokenCreateArgs) -> Json {
    json!({
        "account": args.holder,
        "label": args.label.clone().unwrap_or_default(),
        "read_only": args.read_only,
        "org": args.org,
        "agent": args.agent,
        "agent_scope": args.agent_scope.map(ScopeName::as_str),
        "agent_org": args.agent_org,
        "expires_in": args.expires,
    })
}

/// Says on standard error what was made.
fn tell(made: &Json, output: &mut Output) {
    let (id, account) = (text(made, "id"), text(made, "account"));
    output.aside(Style::Good, &format!("✓ Token created for `{account}`; it is not shown again"));
    output.note("");
    let rows = [
        ("ID", id.to_owned()),
        ("Label", text(made, "label").to_owned()),
        ("Good for", good_for(made)),
        ("Expires", expiry(made)),
    ];
    show::block(&rows).lines().for_each(|line| output.note(line));
    output.note("");
    output.note("Next steps:");
    output.note("  - Use it: set OUTFITTER_TOKEN to it, and name the daemon with --server URL");
    output.note(&format!("  - End it: outfitter token revoke {id}"));
}

async fn revoke(id: &str, session: &mut Session<'_>) -> Result<(), Failure> {
    // Whoever pastes the secret itself must not find it in a log of requests.
    if !id.starts_with("tok_") || !id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Err(Failure::usage("that is not the id of a token; ids begin with `tok_`")
            .hint("see the ids with `outfitter token list`"));
    }
    let gone = session.client()?.send(Method::DELETE, &format!("{PATH}/{id}"), None).await;
    gone.map_err(|failure| {
        if failure.cause == Cause::NotFound {
            return failure.hint("see the ids with `outfitter token list`");
        }
        failure
    })?;
    done(&format!("Token `{id}` revoked; its next use is refused"), &[], session.output)
}

fn good_for(token: &Json) -> String {
    let place = match (token["org"].as_str(), token["agent"].as_str()) {
        (Some(org), _) => format!("organization {org}"),
        (None, Some(agent)) => agent.to_owned(),
        (None, None) => String::new(),
    };
    match (token["read_only"] == true, place.is_empty()) {
        (false, true) => "everything".to_owned(),
        (true, true) => "reading".to_owned(),
        (false, false) => place,
        (true, false) => format!("reading in {place}"),
    }
}

fn expiry(token: &Json) -> String {
    token["expires_at"].as_str().unwrap_or("never").to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::good_for;

    #[test]
    fn what_a_token_is_good_for_is_said_in_a_few_words() {
        for (token, expected) in [
            (json!({"read_only": false}), "everything"),
            (json!({"read_only": true}), "reading"),
            (json!({"read_only": false, "org": "acme"}), "organization acme"),
            (json!({"read_only": true, "org": "acme"}), "reading in organization acme"),
            (json!({"agent": "agent `coder` (platform)"}), "agent `coder` (platform)"),
        ] {
            assert_eq!(good_for(&token), expected);
        }
    }
}
