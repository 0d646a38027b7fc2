//! The files a pattern names: `*` stands for any characters of a name and `?` for one; hidden files must be asked for.

use std::io;
use std::path::{Component, Path, PathBuf};

/// The files, sorted; a pattern without `*` and `?` is a path, whether or not there is such a file.
pub fn expand(pattern: &str, current_dir: &Path) -> io::Result<Vec<PathBuf>> {
    if !pattern.contains(['*', '?']) {
        return Ok(vec![PathBuf::from(pattern)]);
    }
    let mut found = vec![PathBuf::new()];
    for component in Path::new(pattern).components() {
        let name = component.as_os_str().to_string_lossy();
        if !matches!(component, Component::Normal(_)) || !name.contains(['*', '?']) {
            for path in &mut found {
                path.push(component);
            }
            continue;
        }
        let mut next = Vec::new();
        for path in found.iter().filter(|path| current_dir.join(path).is_dir()) {
            for entry in std::fs::read_dir(current_dir.join(path))? {
                let entry = entry?.file_name();
                let text = entry.to_string_lossy();
                if matches(&name, &text) && (name.starts_with('.') || !text.starts_with('.')) {
                    next.push(path.join(&entry));
                }
            }
        }
        found = next;
    }
    found.retain(|path| current_dir.join(path).is_file());
    found.sort();
    Ok(found)
}

fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut read) = (0, 0);
    // The last star, and how much of the name it stands for so far.
    let mut star: Option<(usize, usize)> = None;
    while read < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(c) if *c == '?' || *c == name[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((star_at, taken)) = star else { return false };
                star = Some((star_at, taken + 1));
                at = star_at + 1;
                read = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::{expand, matches};

    #[test]
    fn stars_and_question_marks_stand_for_characters() {
        for (pattern, name, expected) in [
            ("*", "a.yaml", true),
            ("*.yaml", "a.yaml", true),
            ("*.yaml", "a.yml", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b-d", false),
            ("?.yaml", "é.yaml", true),
            ("?.yaml", "ab.yaml", false),
            ("a*", "a", true),
            ("a?", "a", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn a_pattern_names_files_in_any_directory_it_matches() {
        let root = tempfile::tempdir().unwrap();
        for file in ["x/one.fga.yaml", "y/two.fga.yaml", "y/other.txt", "y/.hidden.fga.yaml", "top.fga.yaml"]
        {
            fs::create_dir_all(root.path().join(file).parent().unwrap()).unwrap();
            fs::write(root.path().join(file), "").unwrap();
        }
        fs::create_dir(root.path().join("y/dir.fga.yaml")).unwrap();
        let found = |pattern: &str| expand(pattern, root.path()).unwrap();
        assert_eq!(found("*/*.fga.yaml"), ["x/one.fga.yaml", "y/two.fga.yaml"].map(PathBuf::from));
        assert_eq!(found("*.fga.yaml"), [PathBuf::from("top.fga.yaml")]);
        assert_eq!(found("x/../?/t*"), [PathBuf::from("x/../y/two.fga.yaml")]);
        assert_eq!(found("nowhere/*"), Vec::<PathBuf>::new());
        assert_eq!(found("absent.yaml"), [PathBuf::from("absent.yaml")]);
    }
}
