//! `backup`: the daemon's store as one file, complete or not there at all.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::args::{BackupArgs, InputFile};
use crate::failure::{Cause, Failure};
use crate::http::Stream;
use crate::output::Style;
use crate::session::Session;

/// Longest last line that is kept to look for the footer.
const MAX_FOOTER: usize = 64 * 1024;

/// Carries out `backup`.
pub async fn run(args: BackupArgs, session: &mut Session<'_>) -> Result<(), Failure> {
    match args.file {
        InputFile::Stdin => to_stdout(session).await,
        InputFile::Path(path) => to_file(&path, args.force, session).await,
    }
}

async fn to_stdout(session: &mut Session<'_>) -> Result<(), Failure> {
    if session.surroundings.stdout_is_terminal {
        return Err(
            Failure::usage("a backup is not for a terminal").hint("name a file, or send it through a pipe")
        );
    }
    let mut stream = session.client()?.stream("/api/v1/backup").await?;
    let mut footer = Footer::default();
    while let Some(piece) = stream.next().await? {
        footer.feed(&piece);
        session.output.bytes(&piece)?;
    }
    session.output.flush()?;
    footer.check()
}

async fn to_file(path: &Path, force: bool, session: &mut Session<'_>) -> Result<(), Failure> {
    let shown = path.display().to_string();
    let path = session.surroundings.absolute(path);
    let exists = || {
        Failure::new(Cause::Conflict, format!("{shown} is there already"))
            .hint("name another file, or replace it with `--force`")
    };
    if !force && path.symlink_metadata().is_ok() {
        return Err(exists());
    }
    let stream = session.client()?.stream("/api/v1/backup").await?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let partial = Partial(path.with_file_name(name));
    let cannot = |error: std::io::Error| {
        Failure::input(format!("cannot write {shown}: {error}"))
            .hint("look at the permissions and the free space of its directory")
    };
    let bytes = receive(stream, &partial.0, &cannot).await?;
    let flags = if force { RenameFlags::empty() } else { RenameFlags::NOREPLACE };
    match renameat_with(CWD, &partial.0, CWD, &path, flags) {
        Err(rustix::io::Errno::EXIST) => return Err(exists()),
        other => other.map_err(|error| cannot(error.into()))?,
    }
    let directory = path.parent().unwrap_or(Path::new("."));
    File::open(directory).and_then(|directory| directory.sync_all()).map_err(cannot)?;
    session.output.styled(Style::Good, &format!("✓ Backup written to {shown} ({bytes} bytes)"))?;
    session.output.line("")?;
    session.output.line("Next steps:")?;
    session.output.line("  - Keep the key or passphrase that seals secrets apart from it")?;
    session
        .output
        .line(&format!("  - Restore into an empty directory: outfitter restore {shown} --data-dir DIR"))
}

async fn receive(
    mut stream: Stream,
    path: &Path,
    cannot: &impl Fn(std::io::Error) -> Failure,
) -> Result<usize, Failure> {
    let mut file =
        fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(cannot)?;
    let (mut footer, mut total) = (Footer::default(), 0);
    while let Some(piece) = stream.next().await? {
        footer.feed(&piece);
        file.write_all(&piece).map_err(cannot)?;
        total += piece.len();
    }
    footer.check()?;
    file.sync_all().map_err(cannot)?;
    Ok(total)
}

/// A file that is removed unless it was renamed.
struct Partial(PathBuf);

impl Drop for Partial {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The last line of what came, which proves that all of it came.
#[derive(Default)]
struct Footer {
    line: Vec<u8>,
    ended: bool,
}

impl Footer {
    fn feed(&mut self, piece: &[u8]) {
        for byte in piece {
            if std::mem::replace(&mut self.ended, *byte == b'\n') {
                self.line.clear();
            }
            if *byte != b'\n' && self.line.len() < MAX_FOOTER {
                self.line.push(*byte);
            }
        }
    }

    fn check(&self) -> Result<(), Failure> {
        let footer: serde_json::Value = serde_json::from_slice(&self.line).unwrap_or_default();
        if footer["sha256"].is_string() {
            return Ok(());
        }
        Err(Failure::new(Cause::Unreachable, "the backup is not complete: its last line is missing")
            .hint("look at the daemon's log, and try again"))
    }
}

#[cfg(test)]
mod tests {
    use super::Footer;

    #[test]
    fn only_a_backup_that_ends_with_its_footer_is_complete() {
        let complete = |text: &str, size: usize| {
            let mut footer = Footer::default();
            text.as_bytes().chunks(size).for_each(|piece| footer.feed(piece));
            footer.check().is_ok()
        };
        for size in [1, 4, 1000] {
            assert!(complete("{\"a\":1}\n{\"sha256\":\"ab\"}\n", size));
            assert!(complete("{\"a\":1}\n{\"sha256\":\"ab\"}", size));
            assert!(!complete("{\"a\":1}\n", size));
            assert!(!complete("{\"sha256\":\"ab\"}\n{\"a\":1}\n", size));
            assert!(!complete("{\"a\":1}\n{\"sha256\":", size));
            assert!(!complete("", size));
        }
    }
}
