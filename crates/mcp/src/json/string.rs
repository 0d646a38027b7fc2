//! Strings: finding their end quickly, and what their escapes stand for.

use std::borrow::Cow;

use super::{Error, Fault};

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;
/// How many bytes a wide step takes.
const WIDE: usize = 64;
/// Strings this long without a stop are worth wide steps.
const LONG: usize = 256;

/// Bytes that end a plain stretch: the quote, the backslash and control characters.
#[inline]
fn is_stop(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

/// The closing quote of a string, and whether there are escapes before it; one number, because it is returned often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found(usize);

impl Found {
    #[inline]
    pub(super) fn end(self) -> usize {
        self.0 >> 1
    }

    #[inline]
    pub(super) fn escaped(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Finds the closing quote of the string whose first byte after the quote is at `start`, and checks all between.
#[inline]
pub(super) fn find_end(bytes: &[u8], start: usize) -> Result<Found, Error> {
    // Most keys end within the first step, and nothing else needs to be looked at then.
    if let Some(word) = word(bytes, start) {
        let stops = stops(word);
        let first = stops & stops.wrapping_neg();
        if first & equal(word, b'"') != 0 && word & first.wrapping_sub(1) & HIGH == 0 {
            return Ok(Found((start + (first.trailing_zeros() / 8) as usize) << 1));
        }
    }
    find_far_end(bytes, start)
}

#[inline(never)]
fn find_far_end(bytes: &[u8], start: usize) -> Result<Found, Error> {
    let (mut at, mut high) = skip_plain(bytes, start);
    let escaped = bytes.get(at) != Some(&b'"');
    if escaped {
        (at, high) = find_end_slowly(bytes, at, high)?;
    }
    if high & HIGH != 0 {
        check_utf8(bytes, start, at)?;
    }
    Ok(Found(at << 1 | usize::from(escaped)))
}

#[inline]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

#[inline(never)]
fn check_utf8(bytes: &[u8], start: usize, end: usize) -> Result<(), Error> {
    let wrong = |error: std::str::Utf8Error| Error { fault: Fault::Utf8, at: start + error.valid_up_to() };
    std::str::from_utf8(&bytes[start..end]).map(drop).map_err(wrong)
}

/// The same from the first escape on; adds to the high bits.
fn find_end_slowly(bytes: &[u8], mut at: usize, mut high: u64) -> Result<(usize, u64), Error> {
    loop {
        match bytes.get(at) {
            None => return Err(Error { fault: Fault::Truncated, at }),
            Some(b'"') => return Ok((at, high)),
            Some(b'\\') => at = skip_escape(bytes, at).map_err(|fault| Error { fault, at })?,
            Some(_) => return Err(Error { fault: Fault::Grammar, at }),
        }
        let more;
        (at, more) = skip_plain(bytes, at);
        high |= more;
    }
}

/// The first stop at or after `at`, or the end of the text; and the high bits on the way.
#[inline]
fn skip_plain(bytes: &[u8], mut at: usize) -> (usize, u64) {
    let began = at;
    let mut high = 0;
    while let Some(word) = word(bytes, at) {
        let stops = stops(word);
        if stops != 0 {
            let before = stops.trailing_zeros() / 8;
            return (at + before as usize, high | word & ((1u64 << (before * 8)) - 1));
        }
        high |= word;
        at += 8;
        if at - began >= LONG {
            let more;
            (at, more) = skip_wide(bytes, at);
            high |= more;
        }
    }
    while let Some(&byte) = bytes.get(at) {
        if is_stop(byte) {
            break;
        }
        high |= u64::from(byte);
        at += 1;
    }
    (at, high)
}

/// The high bit of every stop in the word; exact up to the first one.
#[inline]
fn stops(word: u64) -> u64 {
    let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
    control | equal(word, b'"') | equal(word, b'\\')
}

/// The high bit of every byte that is this one; exact up to the first one.
#[inline]
fn equal(word: u64, byte: u8) -> u64 {
    let zero = word ^ (ONES * u64::from(byte));
    zero.wrapping_sub(ONES) & !zero & HIGH
}

/// Steps over whole blocks without a stop; written so that the compiler uses vectors.
#[inline(never)]
fn skip_wide(bytes: &[u8], mut at: usize) -> (usize, u64) {
    let mut high = 0;
    while let Some(block) = bytes.get(at..at + WIDE) {
        let mut stop = false;
        let mut all = 0u8;
        for &byte in block {
            stop |= is_stop(byte);
            all |= byte;
        }
        if stop {
            break;
        }
        high |= u64::from(all);
        at += WIDE;
    }
    (at, high)
}

fn skip_escape(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match bytes.get(at + 1) {
        None => Err(Fault::Truncated),
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => match bytes.get(at + 2..at + 6) {
            None => Err(Fault::Truncated),
            Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => Ok(at + 6),
            Some(_) => Err(Fault::Grammar),
        },
        Some(_) => Err(Fault::Grammar),
    }
}

/// The bytes a checked string stands for. A lone surrogate becomes its three-byte form, which is no UTF-8: two
/// strings are equal exactly when their bytes are.
pub(crate) fn unescape(inner: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', inner).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = expand(&rest[at..], &mut out);
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// Writes what the escape at the head stands for, and returns what follows it.
fn expand<'a>(escape: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let plain = match escape.get(1) {
        Some(b'b') => 0x08,
        Some(b'f') => 0x0c,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'u') => return expand_unit(escape, out),
        Some(&other) => other,
        None => return &[],
    };
    out.push(plain);
    &escape[2..]
}

fn expand_unit<'a>(escape: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let Some(first) = unit(escape) else { return &[] };
    let rest = &escape[6..];
    if (0xd800..0xdc00).contains(&first)
        && let Some(second) = unit(rest).filter(|unit| (0xdc00..0xe000).contains(unit))
    {
        encode(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00), out);
        return &rest[6..];
    }
    encode(first, out);
    rest
}

/// The value of a `\uXXXX` at the head of the text.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn encode(code: u32, out: &mut Vec<u8>) {
    if let Some(letter) = char::from_u32(code) {
        out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        return;
    }
    let [.., high, low] = code.to_be_bytes();
    let middle = (high & 0x0f) << 2 | low >> 6;
    out.extend_from_slice(&[0xe0 | high >> 4, 0x80 | middle, 0x80 | low & 0x3f]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_is_found_at_every_offset() {
        for stop in [b'"', b'\\', 0x00, 0x1f] {
            for offset in 0..500 {
                let mut text = vec![b'a'; 520];
                text[offset] = stop;
                assert_eq!(skip_plain(&text, 0).0, offset, "{stop} at {offset}");
            }
        }
        assert_eq!(skip_plain(&[0xff, 0x7f, 0x20, 0x80, 0x21, 0x23, 0x5b, 0x5d, 0xa2], 0).0, 9);
    }

    #[test]
    fn escapes_stand_for_their_bytes() {
        let cases: &[(&[u8], &[u8])] = &[
            (br#"a\"b\\c\/d"#, br#"a"b\c/d"#),
            (br"\b\f\n\r\t", b"\x08\x0c\n\r\t"),
            (br"\u0041\u00e9\u20ac", "Aé€".as_bytes()),
            (br"\ud83d\ude00!", "😀!".as_bytes()),
            (br"\ud83dx", b"\xed\xa0\xbdx"),
            (br"\ude00\ud83d", b"\xed\xb8\x80\xed\xa0\xbd"),
        ];
        for (text, bytes) in cases {
            assert_eq!(&*unescape(text), *bytes, "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn bad_utf8_is_found_in_long_and_short_strings() {
        for length in [1, 7, 8, 63, 64, 65, 200, 300, 1000] {
            let mut text = vec![b'a'; length];
            text.push(0xff);
            text.push(b'"');
            assert_eq!(find_end(&text, 0).unwrap_err(), Error { fault: Fault::Utf8, at: length });
        }
    }
}
