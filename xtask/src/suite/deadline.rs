//! Waiting for a program no longer than it may take.

use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// How `child` ended; after `patience` it is killed, and `name` is blamed.
pub(super) fn wait(mut child: Child, name: &str, patience: Duration) -> Result<ExitStatus> {
    let deadline = Instant::now() + patience;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        thread::sleep(Duration::from_millis(50));
    }
    child.kill()?;
    child.wait()?;
    bail!("{name} did not end within {patience:?}")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_program_that_does_not_end_is_killed_and_named() {
        let sleeping = Command::new("sleep").arg("600").spawn().unwrap();
        let error = wait(sleeping, "sleep", Duration::from_millis(1)).unwrap_err();
        assert_eq!(error.to_string(), "sleep did not end within 1ms");
    }

    #[test]
    fn the_status_of_a_program_that_ends_is_told() {
        let failing = Command::new("false").spawn().unwrap();
        assert_eq!(wait(failing, "false", Duration::from_mins(1)).unwrap().code(), Some(1));
    }
}
