//! Makes text from elsewhere safe to show: what could steer a terminal or hide text is written out visibly.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character could steer a terminal, reorder text or hide in it.
pub fn is_unsafe(c: char) -> bool {
    !model::tree::is_printable(c)
}

/// One line or cell: everything unsafe is escaped, line breaks and tabs too.
pub fn cell(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// Lines: line breaks stay, everything else unsafe is escaped.
pub fn lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| c == '\n')
}

/// JSON text, in which an unsafe character can only stand inside a string: there it gets JSON's own escape.
pub fn json(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c != '\n' && is_unsafe(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if c != '\n' && is_unsafe(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(|c| is_unsafe(c) && !keep(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if !is_unsafe(c) || keep(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::{cell, json, lines};

    #[test]
    fn nothing_that_steers_a_terminal_or_reorders_text_survives() {
        assert_eq!(cell("a\u{1b}[31mb\tc\nd\u{202e}e\u{9b}f"), "a\\u{1b}[31mb\\tc\\nd\\u{202e}e\\u{9b}f");
        assert_eq!(lines("a\nb\rc\u{7f}"), "a\nb\\rc\\u{7f}");
        for harmless in ["naïve 日本 ✓", "👩\u{200d}💻", "می\u{200c}خواهم"] {
            assert_eq!(cell(harmless), harmless);
        }
    }

    #[test]
    fn json_stays_the_same_value() {
        let value = serde_json::json!({"a": "x\u{202e}y\u{9b}z\u{e0041}\u{1b}"});
        let text = serde_json::to_string_pretty(&value).unwrap();
        let safe = json(&text);
        assert!(safe.is_ascii(), "{safe}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
    }
}
