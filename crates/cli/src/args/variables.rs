//! Variables behind options: one that is empty counts as unset, and what is shown never tells what they hold.

use std::ffi::OsString;

use clap::builder::Resettable;
use clap::{Arg, Command};

/// The command without the variables that are set to nothing.
pub(super) fn without_empty(command: Command) -> Command {
    let mut names = Vec::new();
    collect(&command, &mut names);
    let empty = empty(&names);
    forget(command, &|name| empty.iter().any(|known| known == name))
}

/// The command without any variables.
pub(super) fn without_all(command: Command) -> Command {
    forget(command, &|_| true)
}

/// Help names variables and not what they hold here, so that it reads the same everywhere.
pub(super) fn without_values(command: Command) -> Command {
    command.mut_args(|argument| argument.hide_env_values(true)).mut_subcommands(without_values)
}

fn collect(command: &Command, names: &mut Vec<OsString>) {
    names.extend(command.get_arguments().filter_map(Arg::get_env).map(OsString::from));
    command.get_subcommands().for_each(|inner| collect(inner, names));
    names.sort();
    names.dedup();
}

/// Those of the variables that are set to nothing. The parser is asked: nothing else here reads the environment.
fn empty(names: &[OsString]) -> Vec<OsString> {
    let probe = names.iter().enumerate().fold(Command::new("probe"), |probe, (index, name)| {
        let id = index.to_string();
        let argument =
            Arg::new(id.clone()).long(id).env(name.clone()).value_parser(clap::value_parser!(OsString));
        probe.arg(argument)
    });
    let Ok(matches) = probe.try_get_matches_from(["probe"]) else { return Vec::new() };
    let is_empty =
        |index: usize| matches.get_one::<OsString>(&index.to_string()).is_some_and(|value| value.is_empty());
    names.iter().enumerate().filter(|(index, _)| is_empty(*index)).map(|(_, name)| name.clone()).collect()
}

fn forget(command: Command, forgotten: &dyn Fn(&std::ffi::OsStr) -> bool) -> Command {
    command
        .mut_args(|argument| match argument.get_env() {
            Some(name) if forgotten(name) => argument.env(Resettable::Reset),
            _ => argument,
        })
        .mut_subcommands(|inner| forget(inner, forgotten))
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::{collect, forget};

    #[test]
    fn a_variable_is_forgotten_wherever_it_stands() {
        let command = Command::new("a")
            .arg(Arg::new("x").long("x").env("X"))
            .subcommand(Command::new("b").arg(Arg::new("y").long("y").env("Y")));
        let mut left = Vec::new();
        collect(&forget(command, &|name| name == "Y"), &mut left);
        assert_eq!(left, ["X"]);
    }
}
