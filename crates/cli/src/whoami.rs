//! `whoami`: who the daemon takes the caller for.

use crate::failure::Failure;
use crate::field::text;
use crate::session::Session;
use crate::show;

/// Carries out `whoami`.
pub async fn run(session: &mut Session<'_>) -> Result<(), Failure> {
    let client = session.client()?;
    let answer = client.get("/api/v1/whoami").await?;
    let operator = if answer["operator"] == true { "yes" } else { "no" };
    let rows = [
        ("Account", text(&answer, "account").to_owned()),
        ("Operator", operator.to_owned()),
        ("Daemon", client.place()),
        ("Version", text(&answer, "version").to_owned()),
    ];
    session.output.block(&show::block(&rows))
}
