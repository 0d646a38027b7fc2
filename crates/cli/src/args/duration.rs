//! Durations as people write them: a number and a unit, such as `30d`, `12h` or `0s`.

use std::time::Duration;

/// Why a text is no duration.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NotADuration {
    /// The number is missing or not a whole number.
    #[error("needs a whole number and a unit, such as 30d, 12h, 45m or 0s")]
    Number,
    /// The unit is missing or unknown.
    #[error("needs a unit: s, m, h, d or w, such as 30d or 12h")]
    Unit,
    /// More than can be counted.
    #[error("is too long")]
    TooLong,
}

/// Reads a duration.
pub fn parse(text: &str) -> Result<Duration, NotADuration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    if number.is_empty() {
        return Err(NotADuration::Number);
    }
    let seconds: u64 = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "w" => 7 * 24 * 60 * 60,
        _ => return Err(NotADuration::Unit),
    };
    let number: u64 = number.parse().map_err(|_| NotADuration::TooLong)?;
    // A thousand years: what is longer is a slip of the finger, and would overflow a timestamp.
    let total = number.checked_mul(seconds).filter(|total| *total <= 1000 * 366 * 24 * 60 * 60);
    total.map(Duration::from_secs).ok_or(NotADuration::TooLong)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{NotADuration, parse};

    #[test]
    fn a_duration_is_a_number_and_a_unit() {
        for (text, seconds) in [("30d", 2_592_000), ("12h", 43_200), ("0s", 0), ("5m", 300), ("1w", 604_800)]
        {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused_with_an_example() {
        for (text, expected) in [
            ("", NotADuration::Number),
            ("d", NotADuration::Number),
            ("-1d", NotADuration::Number),
            ("30", NotADuration::Unit),
            ("1.5h", NotADuration::Unit),
            ("30 d", NotADuration::Unit),
            ("99999999999999999999d", NotADuration::TooLong),
            ("999999999d", NotADuration::TooLong),
        ] {
            assert_eq!(parse(text), Err(expected), "{text}");
        }
    }
}
