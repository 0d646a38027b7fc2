//! What the process finds around it: environment variables, directories and terminals. Read here and nowhere else.

use std::io::IsTerminal;
use std::path::PathBuf;

use cli::Surroundings;

/// Reads everything once.
pub(crate) fn read() -> Surroundings {
    let path = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    Surroundings {
        home: path("HOME"),
        config_home: path("XDG_CONFIG_HOME"),
        data_home: path("XDG_DATA_HOME"),
        token: std::env::var("OUTFITTER_TOKEN").ok().filter(|token| !token.is_empty()),
        no_color: std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb"),
        stdout_is_terminal: std::io::stdout().is_terminal(),
        stderr_is_terminal: std::io::stderr().is_terminal(),
        stdin_is_terminal: std::io::stdin().is_terminal(),
        current_dir: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
        executable: std::env::current_exe().unwrap_or_else(|_| PathBuf::from("outfitter")),
    }
}
