//! Which keys an object has had so far; compares what keys stand for, in bounded time whatever they are.

use std::collections::HashSet;

use super::string::unescape;

/// Objects with up to so many keys are searched one by one.
const FEW: usize = 8;

/// Objects with more keys than this are looked up in a set with a random seed.
const MANY: usize = 64;

/// Places in the table of an object with more than a few keys; twice as many as keys, so that chains stay short.
const PLACES: usize = 128;

/// A key of an object still open, small enough to be handed around in registers.
#[derive(Clone, Copy, Debug)]
struct Key {
    fingerprint: u64,
    /// Where the text begins, and where it ends (upper half).
    place: u64,
}

/// Indices of keys by their fingerprints, one more than they are; 0 is free.
type Table = [u8; PLACES];

/// The keys of all objects still open, innermost last.
#[derive(Debug, Default)]
pub(super) struct Keys {
    open: Vec<Key>,
    tables: Vec<Table>,
    sets: Vec<HashSet<Box<[u8]>>>,
}

/// One open object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    base: usize,
    size: Size,
}

/// How the keys of an object are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    Few,
    Table,
    Set,
}

impl Keys {
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.tables.clear();
        self.sets.clear();
    }

    #[inline]
    pub(super) fn open(&self) -> Open {
        Open { base: self.open.len(), size: Size::Few }
    }

    #[inline]
    pub(super) fn close(&mut self, open: Open) {
        self.open.truncate(open.base);
        match open.size {
            Size::Few => {}
            Size::Table => drop(self.tables.pop()),
            Size::Set => drop(self.sets.pop()),
        }
    }

    /// Adds the key between the two positions; `false` when the object has it already.
    #[expect(clippy::inline_always, reason = "measured: a call per key or value costs a tenth of the speed")]
    #[inline(always)]
    pub(super) fn add(&mut self, open: &mut Open, bytes: &[u8], start: u32, end: u32) -> bool {
        let text = &bytes[start as usize..end as usize];
        let key = Key { fingerprint: fingerprint(text), place: u64::from(start) | u64::from(end) << 32 };
        match open.size {
            Size::Few => self.add_to_few(open, bytes, key),
            Size::Table => self.add_to_table(open, bytes, key),
            Size::Set => self.add_to_set(text),
        }
    }

    /// The same for a key with escapes. Comparing those is costly, so that the object's keys move to the set at once.
    pub(super) fn add_escaped(&mut self, open: &mut Open, bytes: &[u8], start: u32, end: u32) -> bool {
        if open.size != Size::Set {
            self.move_to_set(open, bytes);
        }
        self.add_to_set(&unescape(&bytes[start as usize..end as usize]))
    }

    fn move_to_set(&mut self, open: &mut Open, bytes: &[u8]) {
        if open.size == Size::Table {
            self.tables.pop();
        }
        self.sets.push(self.open.drain(open.base..).map(|key| key.text(bytes).into()).collect());
        open.size = Size::Set;
    }

    #[inline(never)]
    fn add_to_few(&mut self, open: &mut Open, bytes: &[u8], key: Key) -> bool {
        let keys = &self.open[open.base..];
        for known in keys {
            if known.fingerprint == key.fingerprint && known.is(bytes, key) {
                return false;
            }
        }
        if keys.len() == FEW {
            self.tables.push(table(keys));
            open.size = Size::Table;
            return self.add_to_table(open, bytes, key);
        }
        self.open.push(key);
        true
    }

    #[inline(never)]
    fn add_to_table(&mut self, open: &mut Open, bytes: &[u8], key: Key) -> bool {
        let keys = &self.open[open.base..];
        let Some(table) = self.tables.last_mut() else { return true };
        let mut place = place(key.fingerprint);
        while let Some(index) = usize::from(table[place]).checked_sub(1) {
            if keys[index].fingerprint == key.fingerprint && keys[index].is(bytes, key) {
                return false;
            }
            place = (place + 1) % PLACES;
        }
        if keys.len() == MANY {
            self.move_to_set(open, bytes);
            return self.add_to_set(key.text(bytes));
        }
        table[place] = one_more(keys.len());
        self.open.push(key);
        true
    }

    #[inline(never)]
    fn add_to_set(&mut self, text: &[u8]) -> bool {
        self.sets.last_mut().is_none_or(|set| set.insert(text.into()))
    }
}

fn place(fingerprint: u64) -> usize {
    (fingerprint >> 57) as usize
}

fn one_more(index: usize) -> u8 {
    u8::try_from(index + 1).unwrap_or(u8::MAX)
}

fn table(keys: &[Key]) -> Table {
    let mut table = [0; PLACES];
    for (index, key) in keys.iter().enumerate() {
        let mut place = place(key.fingerprint);
        while table[place] != 0 {
            place = (place + 1) % PLACES;
        }
        table[place] = one_more(index);
    }
    table
}

#[expect(clippy::cast_possible_truncation, reason = "both halves are 32 bits wide")]
impl Key {
    fn text(self, bytes: &[u8]) -> &[u8] {
        let (start, end) = (self.place & 0xffff_ffff, self.place >> 32);
        &bytes[start as usize..end as usize]
    }

    #[cold]
    fn is(self, bytes: &[u8], other: Self) -> bool {
        self.text(bytes) == other.text(bytes)
    }
}

/// Tells most keys apart by their ends and their length; equal keys have equal fingerprints.
#[inline]
fn fingerprint(key: &[u8]) -> u64 {
    let length = key.len();
    let (head, tail) = match (key.first_chunk::<8>(), key.last_chunk::<8>()) {
        (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
        _ => (short(key), 0),
    };
    (head ^ tail.rotate_left(29) ^ (length as u64).rotate_left(48)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Up to seven bytes as one number.
#[inline]
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
            let bytes = text.as_bytes();
            let new = if key.contains('\\') {
                all.add_escaped(&mut open, bytes, at, end)
            } else {
                all.add(&mut open, bytes, at, end)
            };
            found += usize::from(!new);
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

    #[test]
    fn every_pair_is_found_at_every_size() {
        let names: Vec<String> = (0..80).map(|number| format!("key{number}")).collect();
        for size in 1..names.len() {
            for again in 0..size {
                let mut keys: Vec<&str> = names[..size].iter().map(String::as_str).collect();
                keys.push(&names[again]);
                assert_eq!(duplicates(&keys), 1, "{size} keys and {again} again");
            }
        }
    }
}
