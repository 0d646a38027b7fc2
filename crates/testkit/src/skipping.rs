//! How a test says that it could not run here.

use std::io::{self, Write};

/// Prints `SKIPPED name: reason`; the caller then returns, and the test run counts it as skipped.
pub fn skip(name: &str, reason: &str) {
    // Straight to the stream: the test harness hides what passing tests print with `println!`. The
    // leading newline leaves a line that the harness may have begun.
    let line = format!("\nSKIPPED {name}: {reason}\n");
    let mut stdout = io::stdout().lock();
    // A closed stdout loses the message, and there is nowhere else to say so.
    let _ = stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush());
}

/// Prints a figure that a test run should show, past the harness.
pub fn report(figure: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(format!("\n{figure}\n").as_bytes()).and_then(|()| stdout.flush());
}
