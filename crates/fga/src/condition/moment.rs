//! Times and spans of time as OpenFGA reads them: RFC 3339 and Go's durations, and nothing looser than these.

/// The nanoseconds of a Go duration: `1h30m`, `-1.5s`, `300ms`, `2us`, `0`.
pub(super) fn nanoseconds(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total = 0_i128;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = after.strip_prefix('.').map_or(("", after), digits);
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let (unit, after) = unit(after)?;
        total += amount(whole, fraction, unit)?;
        // Checked at each part, so that no number of parts can overflow the sum.
        i64::try_from(-total).ok()?;
        rest = after;
    }
    i64::try_from(if negative { -total } else { total }).ok()
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    text.split_at(end)
}

fn unit(text: &str) -> Option<(i128, &str)> {
    const UNITS: [(&str, i128); 8] = [
        ("ns", 1),
        ("us", 1_000),
        ("µs", 1_000),
        ("μs", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("m", 60_000_000_000),
        ("h", 3_600_000_000_000),
    ];
    UNITS.iter().find_map(|(name, nanoseconds)| Some((*nanoseconds, text.strip_prefix(name)?)))
}

fn amount(whole: &str, fraction: &str, unit: i128) -> Option<i128> {
    // An hour has fewer than thirteen digits of nanoseconds, so later ones of a fraction say nothing.
    let fraction = &fraction[..fraction.len().min(18)];
    let number = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse::<u64>().ok() };
    let scale = 10_i128.pow(u32::try_from(fraction.len()).ok()?);
    Some(i128::from(number(whole)?) * unit + i128::from(number(fraction)?) * unit / scale)
}

/// A duration in the spelling that CEL's own parser, which counts in floating point, reads without loss.
pub(super) fn exact_duration(nanoseconds: i64) -> String {
    const HOUR: u64 = 3_600_000_000_000;
    const SECOND: u64 = 1_000_000_000;
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let size = nanoseconds.unsigned_abs();
    format!("{sign}{}h{}s{}ns", size / HOUR, size % HOUR / SECOND, size % SECOND)
}

const SECONDS: &[u8] = b"0000-00-00T00:00:00";

/// The same moment in UTC, of an RFC 3339 text as Go reads it: `2023-10-11T10:00:00.000Z`, `…+02:00`.
pub(super) fn in_utc(text: &str) -> Option<String> {
    let (clock, rest) = text.split_at_checked(SECONDS.len())?;
    // A minute has sixty seconds here; a leap second would be read as the one before it.
    if !has_shape(clock.as_bytes(), SECONDS) || clock.as_bytes()[17] >= b'6' {
        return None;
    }
    let fraction = match rest.strip_prefix('.') {
        Some(rest) => 1 + digits(rest).0.len(),
        None => 0,
    };
    let (clock, zone) = text.split_at(SECONDS.len() + fraction);
    let clock: jiff::civil::DateTime = if fraction == 1 { None } else { clock.parse().ok() }?;
    let utc = clock.checked_sub(jiff::SignedDuration::from_secs(offset_seconds(zone)?)).ok()?;
    Some(format!("{utc}Z"))
}

fn offset_seconds(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = if has_shape(zone.as_bytes(), b"+00:00") {
        1
    } else if has_shape(zone.as_bytes(), b"-00:00") {
        -1
    } else {
        return None;
    };
    let (hours, minutes): (i64, i64) = (zone[1..3].parse().ok()?, zone[4..].parse().ok()?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

/// Whether a text has a digit wherever the shape has one, and the shape's own character elsewhere.
fn has_shape(text: &[u8], shape: &[u8]) -> bool {
    let fits = |(byte, shape): (&u8, &u8)| if *shape == b'0' { byte.is_ascii_digit() } else { byte == shape };
    text.len() == shape.len() && text.iter().zip(shape).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_go_duration_is_read_exactly() {
        for (text, expected) in [
            ("1h30m", 5_400_000_000_000),
            ("-1.5s", -1_500_000_000),
            ("+1.5s", 1_500_000_000),
            ("300ms", 300_000_000),
            ("2us", 2_000),
            ("2µs", 2_000),
            ("0", 0),
            ("-0", 0),
            (".5s", 500_000_000),
            ("1.s", 1_000_000_000),
            ("0.1234567890123456789ns", 0),
            ("1h0m0.000000001s", 3_600_000_000_001),
            ("9223372036854775807ns", i64::MAX),
            ("-9223372036854775808ns", i64::MIN),
        ] {
            assert_eq!(nanoseconds(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_go_refuses_as_a_duration_is_refused() {
        for text in [
            "",
            "-",
            "1",
            "1 s",
            " 1s",
            "1s ",
            "1d",
            "s",
            ".s",
            "1e3s",
            "--1s",
            "inf",
            "1hour",
            "1h30",
            "9223372036854775808ns",
            "99999999999999999999h",
            "2562047h48m",
            "-9223372036854775809ns",
            "1,5s",
        ] {
            assert_eq!(nanoseconds(text), None, "{text}");
        }
        assert_eq!(nanoseconds(&"2000000h".repeat(2_000)), None);
    }

    #[test]
    fn a_moment_is_told_in_utc() {
        for (text, expected) in [
            ("2023-10-11T10:00:00.000Z", "2023-10-11T10:00:00Z"),
            ("2023-10-11T10:00:00+02:00", "2023-10-11T08:00:00Z"),
            ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"),
            ("0001-01-01T01:00:00+01:00", "0001-01-01T00:00:00Z"),
            ("2023-10-11T00:30:00.5-01:00", "2023-10-11T01:30:00.5Z"),
            ("2024-02-29T00:00:00.123456789Z", "2024-02-29T00:00:00.123456789Z"),
        ] {
            assert_eq!(in_utc(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_rfc_3339_is_no_moment() {
        for text in [
            "",
            "now",
            "2023-10-11",
            "2023-10-11T10:00:00",
            "2023-10-11 10:00:00Z",
            "2023-10-11t10:00:00z",
            "2023-10-11T10:00:60Z",
            "2023-02-29T10:00:00Z",
            "2023-13-01T10:00:00Z",
            "2023-10-11T25:00:00Z",
            "2023-10-11T10:00:00.Z",
            "2023-10-11T10:00:00+0200",
            "2023-10-11T10:00:00Z[UTC]",
            "+002023-10-11T10:00:00Z",
            "2023-10-11T10:00Z",
            "2023-10-11T10:00:00,5Z",
            "1697018400",
            "2023-10-11T10:00:00+99:99",
            "9999-12-31T23:59:59-01:00",
            "2023-10-11T10:00:00+24:00",
            "é23-10-11T10:00:00Z",
            "2023-10-11T10:00:0é",
        ] {
            assert_eq!(in_utc(text), None, "{text}");
        }
    }
}
