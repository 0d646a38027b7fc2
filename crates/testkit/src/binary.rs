//! Where the built `outfitter` is.

use std::env;
use std::path::{Path, PathBuf};

/// The binary was not found.
#[derive(Debug, thiserror::Error)]
#[error("no `outfitter` beside {beside}; build it with `cargo build -p app`, or set OUTFITTER_BIN")]
pub struct Missing {
    beside: String,
}

/// The binary named by `OUTFITTER_BIN`, or the one built beside the running program.
pub fn find() -> Result<PathBuf, Missing> {
    if let Some(path) = env::var_os("OUTFITTER_BIN") {
        return Ok(PathBuf::from(path));
    }
    let program = env::current_exe().unwrap_or_default();
    beside(&program).ok_or_else(|| Missing { beside: program.display().to_string() })
}

/// Test programs live in `deps/` below the profile's directory, others directly in it.
fn beside(program: &Path) -> Option<PathBuf> {
    program
        .ancestors()
        .skip(1)
        .take(2)
        .map(|directory| directory.join("outfitter"))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_test_program_finds_the_binary_above_its_deps_directory() {
        let target = tempfile::tempdir().unwrap();
        fs::create_dir(target.path().join("deps")).unwrap();
        fs::write(target.path().join("outfitter"), "").unwrap();
        let found = beside(&target.path().join("deps/some_test-123"));
        assert_eq!(found, Some(target.path().join("outfitter")));
    }

    #[test]
    fn nothing_is_found_where_nothing_was_built() {
        let target = tempfile::tempdir().unwrap();
        assert_eq!(beside(&target.path().join("deps/some_test-123")), None);
    }
}
