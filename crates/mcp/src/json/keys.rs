//! Which keys an object has had so far; compares what keys stand for, in bounded time whatever they are.

use std::borrow::Cow;
use std::collections::HashSet;

use super::string::unescape;

/// Objects with more keys than this are looked up in a set with a random seed.
const FEW: usize = 64;

/// A key of an object still open.
#[derive(Clone, Copy, Debug)]
struct Key {
    fingerprint: u64,
    start: u32,
    end: u32,
    escaped: bool,
}

/// The keys of all objects still open, innermost last.
#[derive(Debug, Default)]
pub(super) struct Keys(Vec<Key>);

/// One open object.
#[derive(Debug)]
pub(super) struct Open<'a> {
    base: usize,
    filter: [u64; 4],
    many: Option<HashSet<Cow<'a, [u8]>>>,
}

impl Keys {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn open<'a>(&self) -> Open<'a> {
        Open { base: self.0.len(), filter: [0; 4], many: None }
    }

    pub(super) fn close(&mut self, open: &Open<'_>) {
        self.0.truncate(open.base);
    }

    /// Adds the key between the two positions; `false` when the object has it already.
    pub(super) fn add<'a>(
        &mut self,
        open: &mut Open<'a>,
        bytes: &'a [u8],
        at: (u32, u32),
        escaped: bool,
    ) -> bool {
        let text = &bytes[at.0 as usize..at.1 as usize];
        if let Some(many) = &mut open.many {
            return many.insert(if escaped { unescape(text) } else { Cow::Borrowed(text) });
        }
        let fingerprint = if escaped { fingerprint(&unescape(text)) } else { fingerprint(text) };
        let (word, bit) = ((fingerprint >> 62) as usize, 1u64 << (fingerprint >> 56 & 63));
        let known = open.filter[word] & bit != 0 && self.holds(open.base, bytes, fingerprint, text, escaped);
        if known {
            return false;
        }
        open.filter[word] |= bit;
        self.0.push(Key { fingerprint, start: at.0, end: at.1, escaped });
        if self.0.len() - open.base > FEW {
            open.many = Some(self.0.drain(open.base..).map(|key| key.text(bytes)).collect());
        }
        true
    }

    fn holds(&self, base: usize, bytes: &[u8], fingerprint: u64, text: &[u8], escaped: bool) -> bool {
        let mut alike = self.0[base..].iter().filter(|key| key.fingerprint == fingerprint);
        alike.any(|key| {
            if escaped || key.escaped {
                key.text(bytes) == if escaped { unescape(text) } else { Cow::Borrowed(text) }
            } else {
                &bytes[key.start as usize..key.end as usize] == text
            }
        })
    }
}

impl Key {
    fn text<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let text = &bytes[self.start as usize..self.end as usize];
        if self.escaped { unescape(text) } else { Cow::Borrowed(text) }
    }
}

/// Tells most keys apart by their ends and their length; equal keys have equal fingerprints.
fn fingerprint(key: &[u8]) -> u64 {
    let length = key.len();
    let (head, tail) = match (key.first_chunk::<8>(), key.last_chunk::<8>()) {
        (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
        _ => (short(key), 0),
    };
    (head ^ tail.rotate_left(29) ^ (length as u64).rotate_left(48)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Up to seven bytes as one number.
fn short(key: &[u8]) -> u64 {
    if let (Some(head), Some(tail)) = (key.first_chunk::<4>(), key.last_chunk::<4>()) {
        return u64::from(u32::from_le_bytes(*head)) | u64::from(u32::from_le_bytes(*tail)) << 32;
    }
    key.iter().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duplicates(keys: &[&str]) -> usize {
        let text = keys.concat();
        let mut all = Keys::default();
        let mut open = all.open();
        let mut at = 0;
        let mut found = 0;
        for key in keys {
            let end = at + u32::try_from(key.len()).unwrap();
            found += usize::from(!all.add(&mut open, text.as_bytes(), (at, end), key.contains('\\')));
            at = end;
        }
        found
    }

    #[test]
    fn a_key_is_known_again_however_it_is_written() {
        assert_eq!(duplicates(&["a", "b", "a"]), 1);
        assert_eq!(duplicates(&["method", r"\u006dethod"]), 1);
        assert_eq!(duplicates(&[r"\u006dethod", "method"]), 1);
        assert_eq!(duplicates(&["", "a", "aa", "aaa", "aaaaaaaa", "aaaaaaaaa"]), 0);
        assert_eq!(duplicates(&["abcdefghXabcdefgh", "abcdefghYabcdefgh"]), 0);
    }

    #[test]
    fn objects_with_many_keys_are_searched_as_well() {
        let names: Vec<String> = (0..200).map(|number| format!("k{number}")).collect();
        let mut keys: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(duplicates(&keys), 0);
        keys.extend(["k0", "k64", "k199"]);
        assert_eq!(duplicates(&keys), 3);
    }
}
