//! `service`: a systemd user unit that runs the daemon. It is written, never started.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Surroundings;
use crate::args::ServiceCommand;
use crate::failure::{Cause, Failure};
use crate::output::Style;
use crate::session::Session;

/// Carries out `service`.
pub fn run(command: &ServiceCommand, session: &mut Session<'_>) -> Result<(), Failure> {
    let ServiceCommand::Install { data_dir, socket, print, force } = command;
    let options = [("--data-dir", data_dir), ("--socket", socket)];
    let unit = unit(session.surroundings, &options)?;
    if *print {
        return session.output.text(&unit);
    }
    let home = session.surroundings.config_home().ok_or_else(|| {
        Failure::usage("there is no place for the unit").hint("set HOME or XDG_CONFIG_HOME, or use `--print`")
    })?;
    let path = home.join("systemd/user/outfitter.service");
    let there = fs::read_to_string(&path).ok();
    if there.as_ref().is_some_and(|text| *text != unit) && !*force {
        return Err(Failure::new(
            Cause::Conflict,
            format!("{} is there already and differs", path.display()),
        )
        .hint("compare it with `outfitter service install --print`, or replace it with `--force`"));
    }
    write(&path, &unit)?;
    let output = &mut *session.output;
    output.styled(Style::Good, &format!("✓ Unit written to {}", path.display()))?;
    output.line("")?;
    output.line("Next steps:")?;
    output.line("  - Read it in:          systemctl --user daemon-reload")?;
    output.line("  - Start it, and again at every login: systemctl --user enable --now outfitter")?;
    output.line("  - See how it is doing: systemctl --user status outfitter")?;
    output.line("  - Keep it running when you log out:   loginctl enable-linger")
}

fn write(path: &Path, unit: &str) -> Result<(), Failure> {
    let attempt = || {
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        fs::write(path, unit)
    };
    attempt().map_err(|error: std::io::Error| {
        Failure::input(format!("cannot write {}: {error}", path.display()))
            .hint("look at the permissions and the free space of its directory")
    })
}

fn unit(surroundings: &Surroundings, options: &[(&str, &Option<PathBuf>)]) -> Result<String, Failure> {
    let mut start = format!("{} serve", quoted(&surroundings.executable)?);
    for (flag, path) in options {
        if let Some(path) = path {
            // Only in arguments does systemd fill in variables.
            let value = quoted(&surroundings.absolute(path))?.replace('$', "$$");
            start = format!("{start} {flag} {value}");
        }
    }
    Ok(format!(
        "[Unit]\n\
         Description=Outfitter: registry and gateway for MCP servers\n\
         \n\
         [Service]\n\
         ExecStart={start}\n\
         Restart=on-failure\n\
         RestartSec=2\n\
         TimeoutStopSec=15\n\
         NoNewPrivileges=yes\n\
         LimitCORE=0\n\
         UMask=0077\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n"
    ))
}

/// A path as systemd reads it back: in quotes, its specifiers and escapes doubled.
fn quoted(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().filter(|text| !text.chars().any(char::is_control)).ok_or_else(|| {
        Failure::input(format!("{} cannot be written into a unit", path.display()))
            .hint("use a path without odd characters")
    })?;
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    Ok(format!("\"{escaped}\""))
}

#[cfg(test)]
mod tests {
    use super::unit;
    use crate::Surroundings;

    #[test]
    fn the_unit_runs_this_program_whatever_its_path() {
        let surroundings =
            Surroundings { executable: "/opt/my tools/100%/outfitter".into(), ..Surroundings::default() };
        let unit = unit(&surroundings, &[]).unwrap();
        assert!(unit.contains("ExecStart=\"/opt/my tools/100%%/outfitter\" serve\n"), "{unit}");
        assert!(unit.contains("Restart=on-failure\n") && unit.contains("NoNewPrivileges=yes\n"));
    }

    #[test]
    fn the_unit_starts_the_daemon_where_it_was_told_to() {
        let surroundings =
            Surroundings { executable: "/o".into(), current_dir: "/here".into(), ..Surroundings::default() };
        let (directory, socket) = (Some("my $data".into()), Some("/run/50%\\\".sock".into()));
        let unit = unit(&surroundings, &[("--data-dir", &directory), ("--socket", &socket)]).unwrap();
        let start = r#"ExecStart="/o" serve --data-dir "/here/my $$data" --socket "/run/50%%\\\".sock""#;
        assert!(unit.contains(start), "{unit}");
    }
}
