//! What people read while chores run; a closed stream is not worth failing for.

use std::fmt::Display;
use std::io::{self, Write};

/// One line to stdout.
pub fn say(line: impl Display) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// One line to stderr.
pub fn complain(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
