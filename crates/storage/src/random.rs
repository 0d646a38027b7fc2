//! Random bytes, and the texts made of bytes.

use model::Kind;

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Bytes that nobody can guess.
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system provides random bytes");
    bytes
}

/// Bytes as lower case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// A new resource's id, with its kind's prefix.
pub(crate) fn id(kind: Kind) -> String {
    text(kind.id_prefix())
}

/// A prefix and 128 random bits in lower case base32.
pub(crate) fn text(prefix: &str) -> String {
    let mut bits = u128::from_be_bytes(bytes());
    let mut text = format!("{prefix}-");
    for _ in 0..26 {
        text.push(char::from(ALPHABET[(bits & 31) as usize]));
        bits >>= 5;
    }
    text
}

#[cfg(test)]
mod tests {
    use model::Kind;

    #[test]
    fn bytes_become_two_digits_each() {
        assert_eq!(super::hex(&[0x00, 0x0f, 0xa5]), "000fa5");
    }

    #[test]
    fn an_id_is_its_prefix_and_26_characters() {
        let id = super::id(Kind::McpServer);
        assert_eq!(id.len(), "mcp-".len() + 26);
        assert!(id.starts_with("mcp-"));
        assert!(id.bytes().skip(4).all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()));
        assert_ne!(id, super::id(Kind::McpServer));
    }
}
