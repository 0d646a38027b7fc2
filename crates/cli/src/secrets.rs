//! `secrets`: a new key for what is sealed.

use http::Method;
use serde_json::json;

use crate::args::SecretsCommand;
use crate::failure::Failure;
use crate::field::text;
use crate::output::Style;
use crate::session::Session;

/// Carries out `secrets`.
pub async fn run(command: SecretsCommand, session: &mut Session<'_>) -> Result<(), Failure> {
    let SecretsCommand::RotateKey { new_passphrase_file } = command;
    let body = match &new_passphrase_file {
        None => json!({}),
        Some(path) => {
            let path = session.surroundings.absolute(path);
            let passphrase = std::fs::read_to_string(&path).map_err(|error| {
                Failure::input(format!("cannot read {}: {error}", path.display()))
                    .hint("look at the path and its permissions")
            })?;
            let passphrase = passphrase.strip_suffix('\n').unwrap_or(&passphrase);
            if passphrase.is_empty() {
                return Err(Failure::input(format!("{} is empty", path.display()))
                    .hint("write the new passphrase into it, on one line"));
            }
            json!({ "new_passphrase": passphrase })
        }
    };
    let answer = session.client()?.send(Method::POST, "/api/v1/secrets/rotate-key", Some(&body)).await?;
    session.output.styled(Style::Good, "✓ Key rotated")?;
    session.output.line("")?;
    session.output.line(&format!("  Key:       {}", text(&answer, "key_id")))?;
    let count = answer["rewrapped"].as_u64().unwrap_or_default();
    let noun = if count == 1 { "secret" } else { "secrets" };
    session.output.line(&format!("  Rewrapped: {count} {noun}"))?;
    session.output.line("")?;
    session.output.line("Next steps:")?;
    if let Some(path) = &new_passphrase_file {
        let path = path.display();
        session.output.line(&format!(
            "  - The next start needs the new passphrase: outfitter serve --key-passphrase-file {path}"
        ))?;
    }
    session.output.line("  - Keep a copy of the new key or passphrase apart from your backups")?;
    session.output.line("  - Make a new backup: outfitter backup FILE")
}
