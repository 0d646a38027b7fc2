//! Separates code from comments and literals, keeping every line where it is.

/// The code with comments and literals blanked, and the comments with everything else blanked.
pub(super) fn separate(text: &str) -> (String, String) {
    let mut views =
        Views { code: String::with_capacity(text.len()), comments: String::with_capacity(text.len()) };
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, part) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), Part::Comment)
        } else if rest.starts_with("/*") {
            (block_comment(rest), Part::Comment)
        } else if let Some(length) = string(rest).or_else(|| character(rest)) {
            (length, Part::Literal)
        } else {
            // A whole name at once, so that the `r` of `for"x"` does not begin a raw string.
            let name = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            (name.max(first.len_utf8()), Part::Code)
        };
        views.push(&rest[..length], part);
        rest = &rest[length..];
    }
    (views.code, views.comments)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Code,
    Comment,
    Literal,
}

struct Views {
    code: String,
    comments: String,
}

impl Views {
    fn push(&mut self, text: &str, part: Part) {
        for character in text.chars() {
            let blank = if character == '\n' { '\n' } else { ' ' };
            self.code.push(if part == Part::Code { character } else { blank });
            self.comments.push(if part == Part::Comment { character } else { blank });
        }
    }
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of the string literal that `text` begins with, raw, byte and C strings included.
fn string(text: &str) -> Option<usize> {
    let prefix = ["br", "cr", "r", "b", "c", ""].into_iter().find(|prefix| {
        let rest = text.strip_prefix(prefix).unwrap_or_default();
        rest.starts_with('"')
            || (prefix.ends_with('r')
                && rest.trim_start_matches('#').starts_with('"')
                && rest.starts_with('#'))
    })?;
    let rest = &text[prefix.len()..];
    if prefix.ends_with('r') {
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        let close = format!("\"{}", "#".repeat(hashes));
        let body = &rest[hashes + 1..];
        let length = body.find(&close).map_or(body.len(), |end| end + close.len());
        return Some(prefix.len() + hashes + 1 + length);
    }
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(prefix.len() + at + 1),
            _ => {}
        }
    }
    Some(text.len())
}

/// The length of the character literal that `text` begins with; `None` for a lifetime.
fn character(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('\'')?;
    if let Some(escape) = rest.strip_prefix('\\') {
        let after = escape.chars().next()?.len_utf8();
        return Some(2 + after + escape[after..].find('\'')? + 1);
    }
    let width = rest.chars().next()?.len_utf8();
    rest[width..].starts_with('\'').then_some(1 + width + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_told_from_code() {
        let cases = [
            ("a // b \"c\"\nd", "a\nd", "// b \"c\""),
            ("a /* b /* c */ d */ e", "a                   e", "/* b /* c */ d */"),
            (r#"f("x // \" y", z)"#, "f(           , z)", ""),
            (r##"f(r#"a " b"#, z)"##, "f(          , z)", ""),
            ("let c = '\"'; g", "let c =    ; g", ""),
            (r"let c = '\''; g", "let c =     ; g", ""),
            ("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)", ""),
            ("let r = number\"x\";", "let r = number   ;", ""),
        ];
        for (text, code, comments) in cases {
            let (found_code, found_comments) = separate(text);
            let trimmed: Vec<_> = found_code.lines().map(str::trim_end).collect();
            assert_eq!((trimmed.join("\n").as_str(), found_comments.trim()), (code, comments), "{text}");
        }
    }
}
