//! The one strict pass: grammar, UTF-8, depth, number of elements and repeated keys, all at once.

use super::keys::Keys;
use super::string::find_end;
use super::{Error, Fault, Limits};

/// A range of bytes of the text a scan went over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The bytes of the range.
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..self.end as usize]
    }

    /// The same range as indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The range within a text that begins at `base`.
    pub(crate) fn since(self, base: u32) -> Self {
        Self { start: self.start - base, end: self.end - base }
    }
}

/// Scans texts one after another; keeps its memory between them.
#[derive(Debug, Default)]
pub struct Scanner {
    keys: Keys,
}

impl Scanner {
    /// A scanner without memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Checks one whole text; returns how many repeated keys it holds.
    pub fn check(&mut self, bytes: &[u8], limits: Limits) -> Result<u32, Error> {
        let mut pass = self.begin(bytes, limits)?;
        pass.space();
        pass.value()?;
        pass.end()?;
        Ok(pass.repeated)
    }

    pub(crate) fn begin<'a>(&'a mut self, bytes: &'a [u8], limits: Limits) -> Result<Pass<'a>, Error> {
        if bytes.len() >= 1 << 31 {
            return Err(Error { fault: Fault::Length, at: 0 });
        }
        self.keys.clear();
        let Limits { depth, elements } = limits;
        Ok(Pass { bytes, at: 0, depth, elements, repeated: 0, keys: &mut self.keys })
    }
}

/// One walk over one text.
#[derive(Debug)]
pub(crate) struct Pass<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: u32,
    elements: u32,
    /// Repeated keys so far.
    pub(crate) repeated: u32,
    keys: &'a mut Keys,
}

/// A member as the walk meets it: its key as written, and whether the key has escapes or was there before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) escaped: bool,
    pub(crate) repeated: bool,
}

#[expect(clippy::cast_possible_truncation, reason = "the text is shorter than 2 GiB")]
impl<'a> Pass<'a> {
    pub(crate) fn fail<T>(&self, fault: Fault) -> Result<T, Error> {
        Err(Error { fault, at: self.at })
    }

    pub(crate) fn position(&self) -> u32 {
        self.at as u32
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    pub(crate) fn space(&mut self) {
        if self.peek().is_some_and(|byte| byte <= b' ') {
            self.skip_space();
        }
    }

    /// Messages rarely hold white space; what handles it is kept out of the way.
    #[cold]
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Nothing but white space may follow.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        self.space();
        if self.at == self.bytes.len() { Ok(()) } else { self.fail(Fault::Trailing) }
    }

    /// Walks over one value, which begins here.
    #[expect(clippy::inline_always, reason = "measured: a call per key or value costs a tenth of the speed")]
    #[inline(always)]
    pub(crate) fn value(&mut self) -> Result<(), Error> {
        if self.elements == 0 {
            return self.fail(Fault::Elements);
        }
        self.elements -= 1;
        match self.peek() {
            Some(b'"') => self.string().map(drop),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.other_value(),
        }
    }

    /// The same for what is neither string nor number; apart, so that those stay quick.
    #[inline(never)]
    fn other_value(&mut self) -> Result<(), Error> {
        match self.peek() {
            Some(b'{') => self.object(|pass, _| pass.value()),
            Some(b'[') => self.array(Self::value),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            Some(_) => self.fail(Fault::Grammar),
            None => self.fail(Fault::Truncated),
        }
    }

    /// Walks over a value and says where it lies.
    pub(crate) fn spanned(&mut self) -> Result<Span, Error> {
        let start = self.position();
        self.value()?;
        Ok(Span { start, end: self.position() })
    }

    /// Walks over an object; `member` walks over each value.
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, Member<'a>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.enter()?;
        let mut open = self.keys.open();
        self.space();
        if self.peek() != Some(b'}') {
            loop {
                if self.peek() != Some(b'"') {
                    return self.unexpected();
                }
                let start = self.at + 1;
                let escaped = self.string()?;
                let end = self.at - 1;
                let key = &self.bytes[start..end];
                let repeated = !if escaped {
                    self.keys.add_escaped(&mut open, self.bytes, start as u32, end as u32)
                } else {
                    self.keys.add(&mut open, self.bytes, start as u32, end as u32)
                };
                self.repeated += u32::from(repeated);
                self.space();
                if self.peek() != Some(b':') {
                    return self.unexpected();
                }
                self.at += 1;
                self.space();
                member(self, Member { key, escaped, repeated })?;
                self.space();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b'}') => break,
                    _ => return self.unexpected(),
                }
                self.space();
            }
        }
        self.keys.close(open);
        self.leave();
        Ok(())
    }

    /// Walks over an array; `item` walks over each value.
    pub(crate) fn array(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.enter()?;
        self.space();
        if self.peek() != Some(b']') {
            loop {
                item(self)?;
                self.space();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b']') => break,
                    _ => return self.unexpected(),
                }
                self.space();
            }
        }
        self.leave();
        Ok(())
    }

    fn enter(&mut self) -> Result<(), Error> {
        if self.depth == 0 {
            return self.fail(Fault::Depth);
        }
        self.depth -= 1;
        self.at += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.depth += 1;
        self.at += 1;
    }

    fn unexpected<T>(&self) -> Result<T, Error> {
        self.fail(if self.peek().is_none() { Fault::Truncated } else { Fault::Grammar })
    }

    /// Walks over a string, whose text lies between the quotes; says whether it has escapes.
    #[inline]
    fn string(&mut self) -> Result<bool, Error> {
        let found = find_end(self.bytes, self.at + 1)?;
        self.at = found.end() + 1;
        Ok(found.escaped())
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Error> {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(word) {
            self.at += word.len();
            return Ok(());
        }
        self.fail(if word.starts_with(rest) { Fault::Truncated } else { Fault::Grammar })
    }

    #[inline]
    fn number(&mut self) -> Result<(), Error> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    #[inline]
    fn digits(&mut self) -> Result<(), Error> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start { self.unexpected() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
