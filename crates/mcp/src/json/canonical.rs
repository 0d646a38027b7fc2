//! A digest that two texts share exactly when they say the same: order of members, white space and escapes do not count.

use sha2::{Digest, Sha256};

use super::string::unescape;
use super::{Shape, View};

/// Digests a value; members of the outermost object named in `without` do not count.
pub fn digest(value: View<'_>, without: &[&str]) -> [u8; 32] {
    let mut hash = Sha256::new();
    absorb(value, without, &mut hash);
    hash.finalize().into()
}

fn absorb(value: View<'_>, without: &[&str], hash: &mut Sha256) {
    match value.shape() {
        Shape::Object => {
            let skipped = |key: &[u8]| without.iter().any(|name| name.as_bytes() == key);
            let mut members: Vec<_> = value.members().filter(|(key, _)| !skipped(key)).collect();
            members.sort_by(|(left, _), (right, _)| left.cmp(right));
            absorb_length(b'{', members.len(), hash);
            for (key, value) in members {
                absorb_bytes(b'"', &key, hash);
                absorb(value, &[], hash);
            }
        }
        Shape::Array => {
            let items: Vec<_> = value.items().collect();
            absorb_length(b'[', items.len(), hash);
            for item in items {
                absorb(item, &[], hash);
            }
        }
        Shape::String => {
            let text = value.bytes();
            absorb_bytes(b'"', &unescape(text.get(1..text.len() - 1).unwrap_or_default()), hash);
        }
        Shape::Number | Shape::Boolean | Shape::Null => absorb_bytes(b'#', value.bytes(), hash),
    }
}

fn absorb_length(mark: u8, length: usize, hash: &mut Sha256) {
    hash.update([mark]);
    hash.update((length as u64).to_le_bytes());
}

fn absorb_bytes(mark: u8, bytes: &[u8], hash: &mut Sha256) {
    absorb_length(mark, bytes.len(), hash);
    hash.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> [u8; 32] {
        digest(View::new(text.as_bytes()), &["skip"])
    }

    #[test]
    fn only_what_is_said_counts() {
        assert_eq!(of(r#"{"a":1,"b":["x"]}"#), of(r#" { "b" : ["\u0078"], "a":1, "skip":2 } "#));
        assert_ne!(of(r#"{"a":{"skip":1}}"#), of(r#"{"a":{"skip":2}}"#));
        assert_ne!(of(r#"["a","b"]"#), of(r#"["ab"]"#));
        assert_ne!(of(r#"{"a":"1"}"#), of(r#"{"a":1}"#));
        assert_ne!(of("[[],[]]"), of("[[[]]]"));
    }
}
