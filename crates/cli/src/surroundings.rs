//! What the binary knows of the process it runs in; this crate never looks for itself.

use std::path::PathBuf;

/// The process around a command.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "four independent facts about the process")]
pub struct Surroundings {
    /// The home directory.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub config_home: Option<PathBuf>,
    /// `XDG_DATA_HOME`.
    pub data_home: Option<PathBuf>,
    /// `OUTFITTER_TOKEN`.
    pub token: Option<String>,
    /// Whether `NO_COLOR` is set.
    pub no_color: bool,
    /// Whether standard output is a terminal.
    pub stdout_is_terminal: bool,
    /// Whether standard error is a terminal.
    pub stderr_is_terminal: bool,
    /// Whether standard input is a terminal.
    pub stdin_is_terminal: bool,
    /// The directory the command was typed in.
    pub current_dir: PathBuf,
    /// The binary itself.
    pub executable: PathBuf,
}

impl Surroundings {
    /// Where settings live.
    pub(crate) fn config_home(&self) -> Option<PathBuf> {
        self.config_home.clone().or_else(|| Some(self.home.as_ref()?.join(".config")))
    }

    /// Where the daemon keeps its data unless told otherwise.
    pub(crate) fn default_data_dir(&self) -> Option<PathBuf> {
        let base = self.data_home.clone().or_else(|| Some(self.home.as_ref()?.join(".local/share")));
        Some(base?.join("outfitter"))
    }

    /// A path as typed, from the directory it was typed in.
    pub(crate) fn absolute(&self, path: &std::path::Path) -> PathBuf {
        self.current_dir.join(path)
    }
}
