//! A look at an expression's text before it reaches the parser, whose recursion and work it bounds: text that
//! passes has properly closed texts and at most [`limits::TEXT_DEPTH`] operators and brackets open at once.

use super::limits;

/// What the look found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Too much is open at once.
    TooDeep,
    /// A quoted text does not end, has an unknown escape, or stands where none can; at this byte.
    BadText(usize),
}

/// Looks at an expression's text.
pub(super) fn scan(text: &str) -> Result<(), Fault> {
    let bytes = text.as_bytes();
    // One count of operators for each open bracket, the outermost first.
    let mut chains = vec![0_usize];
    let mut open = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        match byte {
            b'"' | b'\'' => {
                at = quoted_end(bytes, at)?;
                continue;
            }
            // A quoted name could hold the start of a comment.
            b'`' => return Err(Fault::BadText(at)),
            b'/' if rest.starts_with(b"//") => {
                at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                continue;
            }
            b'(' | b'[' | b'{' => {
                chains.push(0);
                open += 1;
            }
            b')' | b']' | b'}' if chains.len() > 1 => {
                open -= chains.pop().unwrap_or_default() + 1;
                // What closes may be one link of a longer chain: `a[0][0]`, `f()()`.
                open += lengthen(&mut chains);
            }
            b',' => open -= chains.last_mut().map(std::mem::take).unwrap_or_default(),
            b'&' | b'|' if rest.starts_with(b"&&") || rest.starts_with(b"||") => {
                open -= chains.last_mut().map(std::mem::take).unwrap_or_default();
                at += 1;
            }
            b'+' | b'-' | b'*' | b'/' | b'%' | b'!' | b'.' | b'?' | b'<' | b'>' | b'=' => {
                open += lengthen(&mut chains);
                at += usize::from(rest.get(1) == Some(&b'='));
            }
            b'i' if is_word_in(bytes, at) => open += lengthen(&mut chains),
            _ => {}
        }
        if open > limits::TEXT_DEPTH {
            return Err(Fault::TooDeep);
        }
        at += 1;
    }
    Ok(())
}

fn lengthen(chains: &mut [usize]) -> usize {
    chains.last_mut().map_or(0, |chain| {
        *chain += 1;
        1
    })
}

fn is_word_in(bytes: &[u8], at: usize) -> bool {
    let part_of_word = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    bytes.get(at + 1) == Some(&b'n')
        && !part_of_word(bytes.get(at + 2))
        && !part_of_word(at.checked_sub(1).and_then(|before| bytes.get(before)))
}

/// Where the text that opens at `start` ends: the byte after its closing quote.
fn quoted_end(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    let fault = || Fault::BadText(start);
    let quote = bytes[start];
    let triple = bytes[start..].starts_with(&[quote; 3]);
    let close = if triple { 3 } else { 1 };
    let raw = is_raw(bytes, start)?;
    let mut at = start + close;
    loop {
        let byte = *bytes.get(at).ok_or_else(fault)?;
        let closes = byte == quote && (!triple || bytes[at..].starts_with(&[quote; 3]));
        match byte {
            _ if closes => return Ok(at + close),
            b'\n' | b'\r' if !triple => return Err(fault()),
            b'\\' if !raw => at += escape_length(&bytes[at..]).ok_or_else(fault)?,
            _ => at += 1,
        }
    }
}

/// Whether the letters before a quote make its text a raw one. A number there is refused: where it ends and
/// the letters begin is for the parser to say.
fn is_raw(bytes: &[u8], quote: usize) -> Result<bool, Fault> {
    let before = &bytes[..quote];
    let word = before.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let prefix = before[quote - word..].to_ascii_lowercase();
    match prefix.first() {
        Some(first) if first.is_ascii_digit() => Err(Fault::BadText(quote)),
        _ => Ok(matches!(prefix.as_slice(), b"r" | b"br")),
    }
}

/// How long the escape at the start of `bytes` is. Unknown ones are refused, since the parser would end the
/// text there.
fn escape_length(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize, count: usize, octal: bool| {
        let digits = bytes.get(from..from + count)?;
        let valid = |b: &u8| if octal { matches!(b, b'0'..=b'7') } else { b.is_ascii_hexdigit() };
        digits.iter().all(valid).then_some(from + count)
    };
    match bytes.get(1)? {
        b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'`' | b'\\' | b'?' => Some(2),
        b'x' | b'X' => digits(2, 2, false),
        b'u' => digits(2, 4, false),
        b'U' => digits(2, 8, false),
        b'0'..=b'3' => digits(1, 3, true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_passes() {
        for text in [
            "",
            "x < 100 && y.contains('a') || z in [1, 2, 3]",
            r#"name == "it's" && other == 'say "so"'"#,
            r"s.matches(r'\d+\q')",
            r#"s == br"\q" || s == b'\x00\377' || s == '\u00e9\U0001F600'"#,
            "s == '''three ' quotes\n''' // and a comment with ((((((((((((((",
            "}])",
        ] {
            assert_eq!(scan(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_is_open_at_once_is_bounded() {
        let over = limits::TEXT_DEPTH + 1;
        for unit in ["(", "[", "{", "!", "-", "a.", "1+", "a?b:", "a<", "a in ", "f(", "a[0]", "a()"] {
            assert_eq!(scan(&unit.repeat(over)), Err(Fault::TooDeep), "{unit}");
            let fewer = scan(&unit.repeat(limits::TEXT_DEPTH / 2));
            assert_eq!(fewer, Ok(()), "half of {unit}");
        }
        assert_eq!(scan(&"(".repeat(limits::TEXT_DEPTH)), Ok(()));
    }

    #[test]
    fn terms_beside_each_other_do_not_add_up() {
        for unit in ["a.b < 1 && ", "a.b < 1 || ", "(a.b), ", "[1, 2].size() == 2 && "] {
            assert_eq!(scan(&unit.repeat(200)), Ok(()), "{unit}");
        }
    }

    #[test]
    fn brackets_cannot_hide_behind_a_text_the_parser_reads_otherwise() {
        for text in [
            r"'\q'", "'open", "'a\nb'", r"'\x4'", r"'\400'", r"'\u12'", "'''a''", r"xr'\'", "1r'a'",
            "`a//b`", r"rb'\'",
        ] {
            assert!(matches!(scan(text), Err(Fault::BadText(_))), "{text}");
        }
        let hidden = format!("r'\\' {}", "(".repeat(500));
        assert_eq!(scan(&hidden), Err(Fault::TooDeep));
    }
}
