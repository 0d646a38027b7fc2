//! Where a condition's expression ends: braces nest, and those in strings and comments do not count.

/// Why an expression has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unclosed {
    /// The text ends before the brace closes.
    Brace,
    /// The string that begins at this byte does not close.
    String(usize),
}

/// The byte offset of the `}` that closes an expression whose `{` stands just before `text`.
pub(super) fn closing_brace(text: &str) -> Result<usize, Unclosed> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut depth = 0_usize;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return Ok(at),
            b'}' => depth -= 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = skip(bytes, at, |byte| byte != b'\n');
                continue;
            }
            b'"' | b'\'' => {
                at = string_end(bytes, at, false).ok_or(Unclosed::String(at))?;
                continue;
            }
            _ if is_word(byte) => {
                let end = skip(bytes, at, is_word);
                let quoted = matches!(bytes.get(end), Some(b'"' | b'\''));
                if quoted && is_raw_prefix(&bytes[at..end]) {
                    at = string_end(bytes, end, true).ok_or(Unclosed::String(end))?;
                } else {
                    at = end;
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    Err(Unclosed::Brace)
}

/// Whether `expression` can stand between braces and end where they end.
pub(super) fn is_balanced(expression: &str) -> bool {
    let closed = format!("{expression}\n}}");
    closing_brace(&closed) == Ok(closed.len() - 1)
}

/// The offset just after the string whose quote is at `start`, or none when it does not close.
fn string_end(bytes: &[u8], start: usize, raw: bool) -> Option<usize> {
    let quote = bytes[start];
    let triple = bytes[start..].starts_with(&[quote; 3]);
    let mut at = start + if triple { 3 } else { 1 };
    loop {
        match *bytes.get(at)? {
            b'\\' if !raw => at += 2,
            b'\n' | b'\r' if !triple => return None,
            byte if byte == quote && !triple => return Some(at + 1),
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3]) => return Some(at + 3),
            _ => at += 1,
        }
    }
}

fn skip(bytes: &[u8], from: usize, wanted: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|&byte| !wanted(byte)).map_or(bytes.len(), |length| from + length)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_raw_prefix(word: &[u8]) -> bool {
    [b"r".as_slice(), b"br", b"rb"].iter().any(|prefix| word.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_brace_that_opened_closes() {
        for (text, end) in [
            ("}", 0),
            (" a == 1 } rest }", 8),
            ("{'k': {}}.k}", 11),
            ("'}'}", 3),
            ("\"\\\"}\"}", 5),
            ("r'\\'}", 4),
            ("br\"\\\"}", 5),
            ("bar'\\'}'}", 8),
            ("'''it's }\n'''}", 13),
            ("// }\n}", 5),
            ("a / b }", 6),
            ("é }", 3),
        ] {
            assert_eq!(closing_brace(text), Ok(end), "{text}");
        }
    }

    #[test]
    fn what_does_not_close_is_named() {
        for (text, why) in [
            ("", Unclosed::Brace),
            ("{ }", Unclosed::Brace),
            ("// }", Unclosed::Brace),
            ("a + 'b }", Unclosed::String(4)),
            ("'b\n' }", Unclosed::String(0)),
            ("r'''b' }", Unclosed::String(1)),
            ("'\\", Unclosed::String(0)),
        ] {
            assert_eq!(closing_brace(text), Err(why), "{text}");
        }
    }

    #[test]
    fn an_expression_that_would_end_early_is_not_balanced() {
        assert!(is_balanced("{'a': 1}.a == 1 // }"));
        assert!(!is_balanced("true } condition other(a: int) { true"));
        assert!(!is_balanced("{"));
        assert!(!is_balanced("'"));
    }
}
