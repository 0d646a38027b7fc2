//! From a command to its exit code.

use crate::args::{Action, ClientCommand};
use crate::exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::{
    Surroundings, apply, audit, backup, can_i, complete, context, delete, diff, export, fga, grant, import,
    init, list, org, schema, secrets, service, show, token, user, validate, watch, whoami,
};

/// Carries out a command on the process's own streams, and gives its exit code.
pub async fn run(command: ClientCommand, surroundings: &Surroundings) -> u8 {
    let mut output = Output::standard(surroundings);
    run_to(command, surroundings, &mut output).await
}

/// Carries out a command, writing to `output`.
pub async fn run_to(command: ClientCommand, surroundings: &Surroundings, output: &mut Output) -> u8 {
    let ClientCommand { connection, action } = command;
    let mut session = Session { surroundings, connection, output };
    let done = perform(action, &mut session).await;
    match done.and_then(|code| output.flush().map(|()| code)) {
        Ok(code) => code,
        Err(failure) => {
            failure.report(output);
            failure.cause.code()
        }
    }
}

async fn perform(action: Action, session: &mut Session<'_>) -> Result<u8, Failure> {
    match action {
        Action::Diff(args) => return diff::run(args, session).await,
        Action::Delete { kind, args } => return delete::run(kind, args, session).await,
        Action::Import(args) => return import::run(&args, session),
        Action::Fga(command) => return fga::run(&command, session),
        Action::CanI(args) => return can_i::run(args, session).await,
        Action::Apply { only, args } => apply::run(only, args, session).await?,
        Action::Validate(args) => validate::run(&args, session)?,
        Action::Get { kind, args } => show::run(kind, args, session).await?,
        Action::List { kind, args } => list::run(kind, args, session).await?,
        Action::Init { kind, server_type, name } => {
            init::run(kind, server_type, name.as_ref(), session.output)?;
        }
        Action::Export(args) => export::run(args, session).await?,
        Action::Context(command) => context::run(command, session)?,
        Action::Secrets(command) => secrets::run(command, session).await?,
        Action::Backup(args) => backup::run(args, session).await?,
        Action::Whoami => whoami::run(session).await?,
        Action::Watch(args) => watch::run(args, session).await?,
        Action::Completions(args) => complete::run(args.shell, session.output)?,
        Action::Schema(args) => schema::run(args.kind, session.output)?,
        Action::Org(command) => org::run(command, session).await?,
        Action::User(command) => user::run(command, session).await?,
        Action::Token(command) => token::run(command, session).await?,
        Action::Grant(args) => grant::give(&args, session).await?,
        Action::Revoke(args) => grant::take(&args, session).await?,
        Action::Grants(args) => grant::list(&args, session).await?,
        Action::Audit(command) => audit::run(&command, session).await?,
        Action::Service(command) => service::run(&command, session)?,
    }
    Ok(exit::DONE)
}
