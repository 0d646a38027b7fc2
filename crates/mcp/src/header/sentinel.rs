//! Values in headers: plain where that is unambiguous, otherwise base64 between marks.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const OPEN: &str = "=?base64?";
const CLOSE: &str = "?=";

/// A header's value looks encoded and is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the header's value is not valid base64 text")]
pub struct BadSentinel;

/// A value as it goes into a header.
pub fn encode(value: &str) -> Cow<'_, str> {
    let is_plain = value.bytes().all(|byte| (0x20..0x7f).contains(&byte) || byte == b'\t');
    let is_trimmed = value.trim_matches([' ', '\t']) == value;
    let looks_encoded = value.starts_with(OPEN) && value.ends_with(CLOSE);
    if is_plain && is_trimmed && !looks_encoded {
        return Cow::Borrowed(value);
    }
    Cow::Owned(format!("{OPEN}{}{CLOSE}", STANDARD.encode(value)))
}

/// The value a header stands for.
pub fn decode(header: &str) -> Result<Cow<'_, str>, BadSentinel> {
    let Some(inner) = header.strip_prefix(OPEN).and_then(|rest| rest.strip_suffix(CLOSE)) else {
        return Ok(Cow::Borrowed(header));
    };
    let bytes = STANDARD.decode(inner).map_err(|_| BadSentinel)?;
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| BadSentinel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_values_stay_plain_and_others_are_marked() {
        assert_eq!(encode("read_file"), "read_file");
        assert_eq!(encode("é"), "=?base64?w6k=?=");
        assert_eq!(encode(" a"), "=?base64?IGE=?=");
        assert_eq!(encode("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
        assert_eq!(decode("=?base64?w6k=?=").unwrap(), "é");
        for bad in ["=?base64?w6k?=", "=?base64?!!?=", "=?base64?/w==?="] {
            assert_eq!(decode(bad), Err(BadSentinel), "{bad}");
        }
        assert_eq!(decode("=?base64?w6k=").unwrap(), "=?base64?w6k=");
    }

    proptest! {
        #[test]
        fn every_value_comes_back(value in ".*") {
            let header = encode(&value).into_owned();
            prop_assert!(http::HeaderValue::from_str(&header).is_ok());
            prop_assert_eq!(decode(&header).unwrap(), value);
        }
    }
}
