//! Collecting the texts a person names: files, directories and standard input, each within bounds.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use model::Problem;
use model::tree::MAX_BYTES;

use crate::problems::in_file;

/// Deepest directory that is looked into.
const MAX_DEPTH: usize = 32;

/// A text and the name a person knows it by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub name: String,
    pub text: String,
}

/// Reads everything named, in order; directories give their manifests sorted by path.
pub fn collect(paths: &[PathBuf], current_dir: &Path) -> (Vec<Source>, Vec<Problem>) {
    let (mut sources, mut problems) = (Vec::new(), Vec::new());
    let mut stdin_read = false;
    for path in paths {
        if path.as_os_str() == "-" {
            if !std::mem::replace(&mut stdin_read, true) {
                keep(read_stdin(), &mut sources, &mut problems);
            }
            continue;
        }
        let full = current_dir.join(path);
        if !full.is_dir() {
            keep(read_file(&full, &path.display().to_string()), &mut sources, &mut problems);
            continue;
        }
        match manifests_below(&full, path, 0) {
            Ok(files) if files.is_empty() => problems.push(
                in_file(&path.display().to_string(), "holds no manifests")
                    .hint("manifests end in .yaml, .yml or .json"),
            ),
            Ok(files) => files.iter().for_each(|(full, shown)| {
                keep(read_file(full, &shown.display().to_string()), &mut sources, &mut problems);
            }),
            Err(problem) => problems.push(problem),
        }
    }
    (sources, problems)
}

fn keep(read: Result<Source, Problem>, sources: &mut Vec<Source>, problems: &mut Vec<Problem>) {
    match read {
        Ok(source) => sources.push(source),
        Err(problem) => problems.push(problem),
    }
}

/// The manifests below a directory: the path to open, and the path to show.
fn manifests_below(full: &Path, shown: &Path, depth: usize) -> Result<Vec<(PathBuf, PathBuf)>, Problem> {
    let name = shown.display().to_string();
    if depth > MAX_DEPTH {
        return Err(in_file(&name, format!("is nested deeper than {MAX_DEPTH} directories")));
    }
    let entries = fs::read_dir(full)
        .and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<Vec<_>>>());
    let mut entries = entries.map_err(|error| {
        in_file(&name, format!("cannot be read: {error}")).hint("look at the directory's permissions")
    })?;
    entries.sort();
    let mut found = Vec::new();
    for entry in entries {
        let (full, shown) = (full.join(&entry), shown.join(&entry));
        let hidden = entry.as_encoded_bytes().starts_with(b".");
        if hidden {
            continue;
        }
        // A link to a directory is not followed: it may lead in a circle.
        if full.is_dir() && !full.is_symlink() {
            found.extend(manifests_below(&full, &shown, depth + 1)?);
        } else if is_manifest(&full) && !full.is_dir() {
            found.push((full, shown));
        }
    }
    Ok(found)
}

fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        ["yaml", "yml", "json"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    })
}

/// Reads one file; its size is looked at before its contents.
pub fn read_file(path: &Path, name: &str) -> Result<Source, Problem> {
    let cannot = |error: std::io::Error| {
        in_file(name, format!("cannot be read: {error}")).hint("look at the path and its permissions")
    };
    let file = fs::File::open(path).map_err(cannot)?;
    let length = file.metadata().map_err(cannot)?.len();
    if length > MAX_BYTES as u64 {
        return Err(too_large(name));
    }
    read_bounded(file, name)
}

/// Reads standard input to its end.
pub fn read_stdin() -> Result<Source, Problem> {
    read_bounded(std::io::stdin().lock(), "stdin")
}

fn read_bounded(reader: impl Read, name: &str) -> Result<Source, Problem> {
    let mut bytes = Vec::new();
    reader
        .take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| in_file(name, format!("cannot be read: {error}")))?;
    if bytes.len() > MAX_BYTES {
        return Err(too_large(name));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let sound = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let breaks = String::from_utf8_lossy(sound).matches('\n').count();
        at_line(in_file(name, "is not UTF-8 text"), breaks).hint("save it as UTF-8")
    })?;
    if let Some(at) = text.find('\0') {
        let line = text[..at].matches('\n').count();
        return Err(
            at_line(in_file(name, "holds a NUL character"), line).hint("remove it; a manifest is plain text")
        );
    }
    let name = name.to_owned();
    // Some editors begin a file with a byte order mark, which no parser wants.
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => Source { name, text: rest.to_owned() },
        None => Source { name, text },
    })
}

fn at_line(mut problem: Problem, breaks_before: usize) -> Problem {
    if let Some(place) = &mut problem.place {
        place.line = u32::try_from(breaks_before + 1).unwrap_or(u32::MAX);
    }
    problem
}

fn too_large(name: &str) -> Problem {
    in_file(name, "is larger than 64 MiB").hint("split it into several files")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::collect;

    fn names(paths: &[&str], root: &std::path::Path) -> (Vec<String>, Vec<String>) {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        let (sources, problems) = collect(&paths, root);
        (
            sources.into_iter().map(|source| source.name).collect(),
            problems.iter().map(ToString::to_string).collect(),
        )
    }

    #[test]
    fn a_directory_gives_its_manifests_sorted_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("d/sub/empty")).unwrap();
        for file in ["d/b.yaml", "d/a.yml", "d/sub/c.json", "d/README.md", "d/.hidden.yaml"] {
            fs::write(root.path().join(file), "a: 1").unwrap();
        }
        std::os::unix::fs::symlink(root.path().join("d"), root.path().join("d/sub/circle")).unwrap();
        let (found, problems) = names(&["d"], root.path());
        assert_eq!(found, ["d/a.yml", "d/b.yaml", "d/sub/c.json"]);
        assert_eq!(problems, [""; 0]);
        let (_, problems) = names(&["d/sub/empty"], root.path());
        assert!(problems[0].contains("d/sub/empty:1:1: holds no manifests"), "{problems:?}");
    }

    #[test]
    fn what_cannot_be_read_is_a_problem_with_its_place() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("nul.yaml"), "a: 1\nb: \0").unwrap();
        fs::write(root.path().join("latin.yaml"), b"a: 1\n\nb: \xe9").unwrap();
        fs::File::create(root.path().join("huge.yaml")).unwrap().set_len(65 * 1024 * 1024).unwrap();
        let (found, problems) = names(&["nul.yaml", "latin.yaml", "huge.yaml", "absent.yaml"], root.path());
        assert_eq!(found, [""; 0]);
        for (problem, expected) in problems.iter().zip([
            "nul.yaml:2:1: holds a NUL character",
            "latin.yaml:3:1: is not UTF-8 text",
            "huge.yaml:1:1: is larger than 64 MiB",
            "absent.yaml:1:1: cannot be read",
        ]) {
            assert!(problem.contains(expected), "{problem}");
        }
        assert_eq!(problems.len(), 4);
    }
}
