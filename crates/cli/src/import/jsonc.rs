//! JSON as people keep it in settings files: with comments and trailing commas. YAML is read too.

use model::tree::{self, Format, Node};
use model::{Place, Problem};

/// What a file of servers may be.
pub const EXPECTED: &str = "expected JSON or YAML with `mcpServers`, `servers`, `mcp`, `context_servers` or a map of \
                            servers, or Codex's TOML with `mcp_servers`";

/// Reads the text; positions in problems are those of the text.
pub fn read(text: &str, file: &str) -> Result<Node, Vec<Problem>> {
    let is_json = text.trim_start().starts_with(['{', '[', '/']);
    let (text, format) = if is_json { (plain(text), Format::Json) } else { (text.to_owned(), Format::Yaml) };
    let placed = |mut problems: Vec<Problem>| {
        for problem in &mut problems {
            let start = Place { file: None, line: 1, column: 1 };
            problem.place.get_or_insert(start).file = Some(file.to_owned());
            if !is_json {
                problem.hint = Some(EXPECTED.to_owned());
            }
        }
        problems
    };
    let mut trees = tree::parse(&text, format).map_err(placed)?;
    trees.drain(..).next().ok_or_else(|| vec![crate::problems::in_file(file, "is empty")])
}

/// The same text with comments and trailing commas blanked out.
fn plain(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let mut comma = None;
    let mut at = 0;
    while at < out.len() {
        match out[at] {
            b'"' => {
                comma = None;
                at = after_string(&out, at);
                continue;
            }
            b'/' if matches!(out.get(at + 1), Some(b'/' | b'*')) => {
                let end = after_comment(&out, at);
                blank(&mut out[at..end]);
                at = end;
                continue;
            }
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    out[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at += 1;
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

fn after_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

fn after_comment(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start..];
    let length = if rest[1] == b'/' {
        rest.iter().position(|byte| *byte == b'\n')
    } else {
        rest[2..].windows(2).position(|pair| pair == b"*/").map(|at| at + 4)
    };
    start + length.unwrap_or(rest.len())
}

/// Blanks everything but line breaks, so that lines keep their numbers.
fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;

    #[test]
    fn comments_and_trailing_commas_are_passed_over_but_not_inside_texts() {
        let text = "// top ü\n{ /* a\n b */ \"url\": \"http://x//y, /* no */\", // end\n \"list\": [1, 2, ], \"e\": \"\\\"//\", }\n";
        let expected = json!({"url": "http://x//y, /* no */", "list": [1, 2], "e": "\"//"});
        assert_eq!(read(text, "f").unwrap().to_json(), expected);
    }

    #[test]
    fn a_mistake_is_reported_at_its_own_line() {
        let problems = read("{ // one\n // two\n \"a\" 1 }", "f.json").unwrap_err();
        assert!(problems[0].to_string().starts_with("f.json:3:"), "{}", problems[0]);
        assert!(read("{\"a\": /*", "f").is_err());
        assert!(read("{\"a", "f").is_err());
        assert!(read("", "f").is_err());
    }
}
