//! Writing JSON: objects member by member, and texts with ranges replaced.

use bytes::Bytes;
use serde::Serialize;

use super::{Span, View};

/// An object being written. What is added raw must be JSON already.
#[derive(Debug)]
pub struct Object(Vec<u8>);

impl Default for Object {
    fn default() -> Self {
        Self::new()
    }
}

impl Object {
    /// `{}` so far.
    pub fn new() -> Self {
        Self(vec![b'{'])
    }

    /// The same, with room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        let mut text = Vec::with_capacity(bytes + 1);
        text.push(b'{');
        Self(text)
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        write_value(&mut self.0, key);
        self.0.push(b':');
    }

    /// Adds a member whose value is JSON already.
    #[must_use]
    pub fn raw(mut self, key: &str, json: &[u8]) -> Self {
        self.key(key);
        self.0.extend_from_slice(json);
        self
    }

    /// Adds a member with a value of ours.
    #[must_use]
    pub fn with(mut self, key: &str, value: &(impl Serialize + ?Sized)) -> Self {
        self.key(key);
        write_value(&mut self.0, value);
        self
    }

    /// Adds a member when there is something to say.
    #[must_use]
    pub fn maybe(self, key: &str, value: Option<&(impl Serialize + ?Sized)>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Whether no member was added.
    pub fn is_empty(&self) -> bool {
        self.0.len() == 1
    }

    /// The finished text.
    pub fn finish(mut self) -> Bytes {
        self.0.push(b'}');
        Bytes::from(self.0)
    }
}

fn write_value(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    serde_json::to_writer(out, value).expect("values of ours are JSON, and a vector takes every byte");
}

/// Writes a string as JSON.
pub fn write_quoted(out: &mut Vec<u8>, text: &str) {
    write_value(out, text);
}

/// A string as JSON.
pub fn quoted(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_value(&mut out, text);
    out
}

/// The text with ranges replaced. The ranges are in order and do not overlap; one may be empty, which inserts.
pub fn splice(text: &[u8], edits: &[(Span, &[u8])]) -> Bytes {
    let added: usize = edits.iter().map(|(_, new)| new.len()).sum();
    let removed: usize = edits.iter().map(|(span, _)| span.range().len()).sum();
    // Exactly as much as is needed: then the bytes need no second allocation.
    let mut out = Vec::with_capacity(text.len() - removed + added);
    let mut at = 0;
    for (span, new) in edits {
        let range = span.range();
        out.extend_from_slice(&text[at..range.start]);
        out.extend_from_slice(new);
        at = range.end;
    }
    out.extend_from_slice(&text[at..]);
    Bytes::from(out)
}

/// An object without one of its members; everything else stays byte for byte.
pub fn without(object: Bytes, key: &str) -> Bytes {
    let members: Vec<_> = View::new(&object).written_members().collect();
    let Some(index) = members.iter().position(|(name, _)| name.is(key)) else { return object };
    let start = |index: usize| members[index].0.span_in(&object).start;
    let end = |index: usize| members[index].1.span_in(&object).end;
    let span = match (index.checked_sub(1), index + 1 < members.len()) {
        (_, true) => Span { start: start(index), end: start(index + 1) },
        (Some(before), false) => Span { start: end(before), end: end(index) },
        (None, false) => Span { start: start(index), end: end(index) },
    };
    splice(&object, &[(span, b"")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_taken_out_without_touching_the_rest() {
        let cases = [
            (r#"{"a":1, "x":2,"b":3}"#, r#"{"a":1, "b":3}"#),
            (r#"{"x":2 , "b":3}"#, r#"{"b":3}"#),
            (r#"{"a":1 , "x":[2]}"#, r#"{"a":1}"#),
            (r#"{ "x":{"x":1} }"#, "{  }"),
            (r#"{"a":{"x":1}}"#, r#"{"a":{"x":1}}"#),
        ];
        for (object, expected) in cases {
            let rest = without(Bytes::from_static(object.as_bytes()), "x");
            assert_eq!(String::from_utf8_lossy(&rest), expected);
        }
    }

    #[test]
    fn objects_are_written_member_by_member() {
        let object = Object::new().with("a\"", "b\n").raw("c", b"[1]").maybe("d", None::<&str>).with("e", &1);
        assert_eq!(&object.finish()[..], br#"{"a\"":"b\n","c":[1],"e":1}"#);
        assert_eq!(&Object::new().finish()[..], b"{}");
    }

    #[test]
    fn a_splice_replaces_removes_and_inserts() {
        let edits: [(Span, &[u8]); 3] = [
            (Span { start: 0, end: 1 }, b"X"),
            (Span { start: 2, end: 2 }, b"++"),
            (Span { start: 3, end: 5 }, b""),
        ];
        assert_eq!(&splice(b"abcdef", &edits)[..], b"Xb++cf");
    }
}
