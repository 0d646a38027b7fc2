//! `user`: accounts, made and listed.

use http::Method;
use serde_json::json;

use crate::args::UserCommand;
use crate::failure::Failure;
use crate::field::text;
use crate::records::{self, Columns, done, made};
use crate::session::Session;

const PATH: &str = "/api/v1/users";

const COLUMNS: Columns = Columns {
    header: &["NAME", "OPERATOR", "OIDC SUBJECT", "CREATED"],
    row: |user| {
        let operator = if user["operator"] == true { "yes" } else { "no" };
        vec![
            text(user, "name").to_owned(),
            operator.to_owned(),
            text(user, "oidc_subject").to_owned(),
            made(user),
        ]
    },
    empty: &["No account that you may see was made here. `outfitter whoami` shows your own."],
};

/// Carries out `user`.
pub async fn run(command: UserCommand, session: &mut Session<'_>) -> Result<(), Failure> {
    let client = session.client()?;
    match command {
        UserCommand::List(args) => {
            let items = records::items(client.get(PATH).await?);
            records::print(items, &COLUMNS, args.output, session.output)
        }
        UserCommand::Create { name, oidc_subject } => {
            let body = json!({ "name": name, "oidc_subject": oidc_subject });
            client.send(Method::POST, PATH, Some(&body)).await?;
            let next = [
                format!("Make a token for them to sign in with: outfitter token create --for {name}"),
                format!("Let them work with others: outfitter org add-member ORG {name}"),
            ];
            done(&format!("Account `{name}` created"), &next, session.output)
        }
    }
}
