//! `org`: organizations and who belongs to them.

use http::Method;
use serde_json::{Value as Json, json};

use crate::args::{Format, OrgCommand};
use crate::failure::{Cause, Failure};
use crate::field::{text, texts};
use crate::records::{self, Columns, done, made};
use crate::session::Session;
use crate::show;

const PATH: &str = "/api/v1/organizations";

const COLUMNS: Columns = Columns {
    header: &["NAME", "YOUR ROLE", "ADMINS", "MEMBERS", "CREATED"],
    row: |org| {
        let count = |key: &str| org[key].as_array().map_or(0, Vec::len).to_string();
        vec![
            text(org, "name").to_owned(),
            text(org, "role").to_owned(),
            count("admins"),
            count("members"),
            made(org),
        ]
    },
    empty: &[
        "You belong to no organization. An operator makes one and adds you with:",
        "  outfitter org create NAME",
        "  outfitter org add-member NAME USER",
    ],
};

/// Carries out `org`.
pub async fn run(command: OrgCommand, session: &mut Session<'_>) -> Result<(), Failure> {
    let client = session.client()?;
    match command {
        OrgCommand::Create { name } => {
            client.send(Method::POST, PATH, Some(&json!({ "name": name }))).await?;
            let next = [
                format!("Add people: outfitter org add-member {name} USER"),
                format!(
                    "Give it a server: outfitter mcpserver apply -f FILE --scope organization --org {name}"
                ),
            ];
            done(&format!("Organization `{name}` created; you are its admin"), &next, session.output)
        }
        OrgCommand::List(args) => {
            let items = records::items(client.get(PATH).await?);
            records::print(items, &COLUMNS, args.output, session.output)
        }
        OrgCommand::Get { name, output } => {
            let found = client.get(&format!("{PATH}/{name}")).await.map_err(|failure| {
                if failure.cause == Cause::NotFound {
                    return failure.hint("see what there is with `outfitter org list`");
                }
                failure
            })?;
            describe(&found, output.output, session)
        }
        OrgCommand::AddMember { org, user, role } => {
            let body = json!({ "role": role.as_str() });
            client.send(Method::PUT, &format!("{PATH}/{org}/members/{user}"), Some(&body)).await?;
            let article = if role.as_str() == "admin" { "an admin" } else { "a member" };
            let next = [
                format!("Make a token for them to sign in with: outfitter token create --for {user}"),
                format!("See who belongs to it: outfitter org get {org}"),
            ];
            done(&format!("`{user}` is {article} of organization `{org}`"), &next, session.output)
        }
        OrgCommand::RemoveMember { org, user } => {
            client.send(Method::DELETE, &format!("{PATH}/{org}/members/{user}"), None).await?;
            done(&format!("`{user}` no longer belongs to organization `{org}`"), &[], session.output)
        }
    }
}

fn describe(org: &Json, format: Option<Format>, session: &mut Session<'_>) -> Result<(), Failure> {
    match format {
        Some(Format::Json) => session.output.json(org),
        Some(Format::Yaml) => session.output.yaml(org),
        None => {
            let rows = [
                ("Name", text(org, "name").to_owned()),
                ("Your role", text(org, "role").to_owned()),
                ("Admins", texts(&org["admins"])),
                ("Members", texts(&org["members"])),
                ("Created", made(org)),
            ];
            session.output.block(&show::block(&rows))
        }
    }
}
