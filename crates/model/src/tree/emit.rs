//! JSON values as YAML text for people: block style, keys in their order, quotes only where needed.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value as Json;

use super::Value;
use super::yaml::plain;

/// `value` as one YAML document, without the `---`.
pub fn to_yaml(value: &Json) -> String {
    let mut out = String::new();
    match value {
        Json::Object(map) if !map.is_empty() => write_map(&mut out, map, 0),
        Json::Array(items) if !items.is_empty() => write_list(&mut out, items, 0),
        other => {
            out.push_str(&inline(other));
            out.push('\n');
        }
    }
    out
}

fn write_map(out: &mut String, map: &serde_json::Map<String, Json>, indent: usize) {
    for (index, (key, value)) in map.iter().enumerate() {
        if index > 0 || !out.ends_with("- ") {
            pad(out, indent);
        }
        out.push_str(&text(key));
        out.push(':');
        write_value(out, value, indent + 2);
    }
}

fn write_value(out: &mut String, value: &Json, indent: usize) {
    match value {
        Json::Object(map) if !map.is_empty() => {
            out.push('\n');
            write_map(out, map, indent);
        }
        Json::Array(items) if !items.is_empty() => {
            out.push('\n');
            write_list(out, items, indent);
        }
        Json::String(lines) if is_block(lines) => write_block(out, lines, indent),
        other => {
            out.push(' ');
            out.push_str(&inline(other));
            out.push('\n');
        }
    }
}

fn write_list(out: &mut String, items: &[Json], indent: usize) {
    for value in items {
        pad(out, indent);
        out.push_str("- ");
        match value {
            Json::Object(map) if !map.is_empty() => write_map(out, map, indent + 2),
            Json::Array(nested) if !nested.is_empty() => {
                out.truncate(out.len() - 1);
                out.push('\n');
                write_list(out, nested, indent + 2);
            }
            other => {
                out.push_str(&inline(other));
                out.push('\n');
            }
        }
    }
}

fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}

fn inline(value: &Json) -> String {
    match value {
        Json::String(value) => text(value).into_owned(),
        Json::Object(_) => "{}".to_owned(),
        Json::Array(_) => "[]".to_owned(),
        other => other.to_string(),
    }
}

/// Lines that a literal block keeps exactly: printable, ending in one newline, not starting with a blank.
fn is_block(value: &str) -> bool {
    let Some(body) = value.strip_suffix('\n') else { return false };
    body.contains('\n')
        && !body.ends_with('\n')
        && !body.starts_with([' ', '\n'])
        && body.chars().all(|c| c == '\n' || is_printable(c))
        && body.lines().all(|line| !line.ends_with(' ') && (line.is_empty() || !line.starts_with('\t')))
}

fn write_block(out: &mut String, value: &str, indent: usize) {
    out.push_str(" |\n");
    for line in value.lines() {
        if !line.is_empty() {
            pad(out, indent);
            out.push_str(line);
        }
        out.push('\n');
    }
}

/// Whether a reader and a terminal show it as itself: no control, direction override or invisible character.
pub fn is_printable(c: char) -> bool {
    // The two joiners stay: words and emoji of several scripts need them.
    let invisible = matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
        | '\u{e0000}'..='\u{e007f}');
    !c.is_control() && !invisible
}

fn text(value: &str) -> Cow<'_, str> {
    if reads_back_plain(value) { Cow::Borrowed(value) } else { Cow::Owned(quoted(value)) }
}

/// Whether `value` without quotes is read as the same text.
fn reads_back_plain(value: &str) -> bool {
    let starts_safely = value.chars().next().is_some_and(|c| {
        c.is_ascii_alphanumeric()
            || matches!(c, '/' | '_' | '.' | '(' | '$')
            || (!c.is_ascii() && is_printable(c))
    });
    starts_safely
        && !value.ends_with([' ', ':'])
        && value.chars().all(|c| is_printable(c) && !matches!(c, '{' | '}' | '[' | ']' | ','))
        && !value.contains(": ")
        && !value.contains(" #")
        && !value.starts_with("...")
        && matches!(plain(Cow::Borrowed(value)), Value::Text(_))
        && !looks_special(value)
}

/// Words and shapes that other YAML readers take for something else than text.
fn looks_special(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    matches!(lower.as_str(), "yes" | "no" | "on" | "off" | "y" | "n" | ".inf" | ".nan")
        || (value.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && value
                .chars()
                .all(|c| c.is_ascii_hexdigit() || matches!(c, '.' | '_' | '-' | ':' | '+' | 'x' | 'o')))
}

fn quoted(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_printable(c) => out.push(c),
            c if u32::from(c) <= 0xff => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c if u32::from(c) <= 0xffff => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => {
                let _ = write!(out, "\\U{:08x}", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}
