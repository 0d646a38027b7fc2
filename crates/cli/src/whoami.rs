//! `whoami`: who the daemon takes the caller for, how they proved it, and what their token is good for.

use crate::failure::Failure;
use crate::field::text;
use crate::session::Session;
use crate::show;

/// Carries out `whoami`.
pub async fn run(session: &mut Session<'_>) -> Result<(), Failure> {
    let client = session.client()?;
    let answer = client.get("/api/v1/whoami").await?;
    let operator = if answer["operator"] == true { "yes" } else { "no" };
    let read_only = if answer["read_only"] == true { "yes" } else { "" };
    let rows = [
        ("Account", text(&answer, "account").to_owned()),
        ("Operator", operator.to_owned()),
        ("Via", text(&answer, "via").to_owned()),
        ("Read-only", read_only.to_owned()),
        ("Within", text(&answer, "within").to_owned()),
        ("Expires", text(&answer, "expires_at").to_owned()),
        ("Daemon", client.place()),
        ("Version", text(&answer, "version").to_owned()),
    ];
    session.output.block(&show::block(&rows))
}
