//! `use` declarations with their groups written out.

use super::{line_of, words};

/// Every imported path in `code`, with its declaration's line.
pub(super) fn all(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for at in words(code, "use") {
        let begin = at + "use".len();
        let end = code[begin..].find(';').map_or(code.len(), |end| begin + end);
        // `use<…>` captures lifetimes and imports nothing.
        if !code[begin..].starts_with(char::is_whitespace) {
            continue;
        }
        let line = line_of(code, at);
        let declaration: String = code[begin..end].split_whitespace().collect::<Vec<_>>().join(" ");
        expand("", &declaration, &mut |path| found.push((line, path)));
    }
    found
}

/// Writes out `tree` below `prefix`.
fn expand(prefix: &str, tree: &str, found: &mut dyn FnMut(String)) {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or_default().trim();
        if !path.is_empty() {
            found(format!("{prefix}{path}"));
        }
        return;
    };
    let prefix = format!("{prefix}{}", tree[..open].trim());
    let close = tree.rfind('}').unwrap_or(tree.len());
    let (mut depth, mut begin) = (0_i32, open + 1);
    for (at, byte) in tree.bytes().enumerate().take(close).skip(open + 1) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                expand(&prefix, &tree[begin..at], found);
                begin = at + 1;
            }
            _ => {}
        }
    }
    expand(&prefix, &tree[begin..close], found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_written_out() {
        let code = "use std::{env, fs::{self, File}, process as p};\nfn f() {}\nuse a::b;";
        let found: Vec<_> = all(code).into_iter().map(|(line, path)| format!("{line} {path}")).collect();
        assert_eq!(found, ["1 std::env", "1 std::fs::self", "1 std::fs::File", "1 std::process", "3 a::b"]);
    }
}
