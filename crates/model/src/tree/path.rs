//! Field paths such as `spec.mcp_servers[0].command`, and where in a tree they point.

use super::{Node, Position, Value, is_printable};

/// The path of `key` under `parent`.
pub fn child(parent: &str, key: &str) -> String {
    match (parent.is_empty(), is_plain(key)) {
        (true, true) => key.to_owned(),
        (false, true) => format!("{parent}.{key}"),
        (_, false) => format!("{parent}[{key:?}]"),
    }
}

/// Whether a key can stand in a path without quotes.
fn is_plain(key: &str) -> bool {
    let special = |c: char| matches!(c, '.' | '[' | ']' | '"') || c.is_whitespace() || !is_printable(c);
    !key.is_empty() && !key.contains(special)
}

/// The path of an item of the list at `parent`.
pub fn item(parent: &str, index: usize) -> String {
    format!("{parent}[{index}]")
}

impl Node {
    /// Where `path` was written: its key, or the nearest thing above it that exists.
    pub fn locate(&self, path: &str) -> Position {
        let mut at = self.at;
        let mut node = self;
        let mut rest = path;
        while !rest.is_empty() {
            let Some((found, next_at, tail)) = node.step(rest) else { break };
            (node, at, rest) = (found, next_at, tail);
        }
        at
    }

    /// Follows the first segment of `path`.
    fn step<'a>(&self, path: &'a str) -> Option<(&Self, Position, &'a str)> {
        match &self.value {
            Value::List(items) => {
                let (index, tail) = path.strip_prefix('[')?.split_once(']')?;
                let found = items.get(index.parse::<usize>().ok()?)?;
                Some((found, found.at, tail.trim_start_matches('.')))
            }
            Value::Map(entries) => entries
                .iter()
                .filter_map(|entry| Some((entry, after_key(path, &entry.key)?)))
                .min_by_key(|(_, tail)| tail.len())
                .map(|(entry, tail)| (&entry.value, entry.at, tail)),
            _ => None,
        }
    }
}

/// What follows `key` at the start of `path`.
fn after_key<'a>(path: &'a str, key: &str) -> Option<&'a str> {
    let tail = if is_plain(key) { path.strip_prefix(key)? } else { path.strip_prefix(&child("", key))? };
    (tail.is_empty() || tail.starts_with(['.', '['])).then(|| tail.strip_prefix('.').unwrap_or(tail))
}
