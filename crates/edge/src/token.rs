//! Bearer tokens: random text with a prefix that scanners for leaked secrets know, and its digest, which is all that is
//! ever kept.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Random bytes in a token.
const BYTES: usize = 32;
/// What a token begins with.
const PREFIX: &str = "oft_";
/// Random bytes in a token's id.
const ID_BYTES: usize = 8;

/// A token just made.
pub struct Minted {
    /// What its holder sends.
    pub text: String,
    /// What the daemon keeps.
    pub digest: String,
    /// What people call it.
    pub id: String,
}

/// Makes a token.
pub fn mint() -> Result<Minted, getrandom::Error> {
    let (mut bytes, mut id) = ([0; BYTES], [0; ID_BYTES]);
    getrandom::fill(&mut bytes)?;
    getrandom::fill(&mut id)?;
    let text = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes));
    Ok(Minted { digest: digest(&text), text, id: format!("tok_{}", hex(&id)) })
}

/// The digest of a token's text. The text is random, so that nothing slower is needed.
pub fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Whether a text has the form of a token of ours.
pub fn is_one(text: &str) -> bool {
    let random = text.strip_prefix(PREFIX).and_then(|rest| URL_SAFE_NO_PAD.decode(rest).ok());
    random.is_some_and(|bytes| bytes.len() == BYTES)
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_told_by_its_form_and_known_by_its_digest() {
        let (one, other) = (mint().unwrap(), mint().unwrap());
        assert!(is_one(&one.text) && one.text.len() == 47);
        assert_ne!(one.text, other.text);
        assert_eq!(one.digest, digest(&one.text));
        assert!(!one.digest.contains(&one.text) && one.id.starts_with("tok_"));
        for text in ["", "oft_", "oft_abc", &one.text[1..], &format!("{}A", one.text)] {
            assert!(!is_one(text), "{text}");
        }
    }
}
