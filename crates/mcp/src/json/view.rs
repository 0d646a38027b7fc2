//! Looking into a text that was scanned before: views that skip instead of parsing anew.

use std::borrow::Cow;

use super::string::unescape;

/// A value inside a scanned text. Views are only made of bytes that passed the scanner, or of our own writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View<'a>(&'a [u8]);

/// What sort of value it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A number.
    Number,
    /// `true` or `false`
    Boolean,
    /// `null`
    Null,
}

impl<'a> View<'a> {
    /// A view of one scanned value; white space around it is left out.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes.trim_ascii())
    }

    /// The text as it was written.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// What sort of value it is.
    pub fn shape(self) -> Shape {
        match self.0.first() {
            Some(b'{') => Shape::Object,
            Some(b'[') => Shape::Array,
            Some(b'"') => Shape::String,
            Some(b't' | b'f') => Shape::Boolean,
            Some(b'n') | None => Shape::Null,
            Some(_) => Shape::Number,
        }
    }

    /// The string it stands for; `None` for other sorts, and for text with a lone surrogate.
    pub fn text(self) -> Option<Cow<'a, str>> {
        match unescape(self.inner()?) {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
            Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
        }
    }

    /// The bytes between the quotes.
    fn inner(self) -> Option<&'a [u8]> {
        if self.shape() == Shape::String { self.0.get(1..self.0.len() - 1) } else { None }
    }

    /// Whether it is this string.
    pub fn is(self, text: &str) -> bool {
        self.inner().is_some_and(|inner| *unescape(inner) == *text.as_bytes())
    }

    /// A whole number that fits.
    pub fn integer(self) -> Option<i64> {
        if self.shape() == Shape::Number { std::str::from_utf8(self.0).ok()?.parse().ok() } else { None }
    }

    /// A number, as near as a float comes.
    pub fn number(self) -> Option<f64> {
        if self.shape() == Shape::Number { std::str::from_utf8(self.0).ok()?.parse().ok() } else { None }
    }

    /// `true` or `false`.
    pub fn boolean(self) -> Option<bool> {
        match self.0 {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    /// The value of a member, when it is an object that has it.
    pub fn get(self, key: &str) -> Option<View<'a>> {
        self.members().find(|(name, _)| **name == *key.as_bytes()).map(|(_, value)| value)
    }

    /// The value at the end of a path of members.
    pub fn at(self, path: &[&str]) -> Option<View<'a>> {
        path.iter().try_fold(self, |view, key| view.get(key))
    }

    /// The members of an object, keys unescaped; none for other sorts.
    pub fn members(self) -> Members<'a> {
        Members(Inside::new(self, Shape::Object))
    }

    /// The members of an object, keys as they were written.
    pub fn written_members(self) -> impl Iterator<Item = (View<'a>, View<'a>)> {
        let mut inside = Inside::new(self, Shape::Object);
        std::iter::from_fn(move || Some((inside.value()?, inside.value()?)))
    }

    /// The items of an array; none for other sorts.
    pub fn items(self) -> impl Iterator<Item = View<'a>> {
        let mut inside = Inside::new(self, Shape::Array);
        std::iter::from_fn(move || inside.value())
    }

    /// Where this value lies inside the text it was taken from.
    pub fn span_in(self, whole: &[u8]) -> super::Span {
        let start = self.0.as_ptr().addr() - whole.as_ptr().addr();
        let position = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        super::Span { start: position(start), end: position(start + self.0.len()) }
    }
}

/// The members of an object, in their order.
#[derive(Debug)]
pub struct Members<'a>(Inside<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, [u8]>, View<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.0.value()?;
        let value = self.0.value()?;
        Some((unescape(key.inner()?), value))
    }
}

/// What is left between the brackets of an object or array.
#[derive(Debug)]
struct Inside<'a>(&'a [u8]);

impl<'a> Inside<'a> {
    fn new(view: View<'a>, shape: Shape) -> Self {
        if view.shape() == shape {
            Self(view.0.get(1..view.0.len() - 1).unwrap_or_default())
        } else {
            Self(&[])
        }
    }

    /// Takes the next value, stepping over white space, commas and colons.
    fn value(&mut self) -> Option<View<'a>> {
        let start =
            self.0.iter().position(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b':'))?;
        let rest = &self.0[start..];
        let (value, rest) = rest.split_at(length(rest));
        self.0 = rest;
        Some(View(value))
    }
}

/// How long the value at the head of a scanned text is.
fn length(text: &[u8]) -> usize {
    match text.first() {
        Some(b'"') => string_length(text),
        Some(b'{' | b'[') => nested_length(text),
        _ => text
            .iter()
            .position(|byte| matches!(byte, b',' | b'}' | b']' | b':' | b' ' | b'\n' | b'\r' | b'\t'))
            .unwrap_or(text.len()),
    }
}

fn string_length(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &text[at..]) {
        at += found + 1;
        if text[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    text.len()
}

fn nested_length(text: &[u8]) -> usize {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                at += string_length(&text[at..]);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_finds_what_the_text_says() {
        let text =
            br#" {"a" : [1, {"b":"x,]}\"\\"}, null ] , "\u0063":true, "d":-5, "e":"\ud800", "f":{} } "#;
        let view = View::new(text);
        let items: Vec<View<'_>> = view.get("a").unwrap().items().collect();
        assert_eq!(items.len(), 3);
        assert_eq!(items[1].get("b").unwrap().text().unwrap(), "x,]}\"\\");
        assert_eq!(items[2].shape(), Shape::Null);
        assert_eq!(view.get("c").unwrap().boolean(), Some(true));
        assert_eq!(view.get("d").unwrap().integer(), Some(-5));
        assert_eq!(view.get("e").unwrap().text(), None);
        assert_eq!(view.get("f").unwrap().members().count(), 0);
        assert!(view.get("g").is_none());
        let found = view.at(&["a"]).unwrap();
        assert_eq!(found.span_in(text).of(text), found.bytes());
    }
}
