//! What counts as an http(s) URL.

use url::{ParseError, Url};

/// Accepts an absolute http or https URL without credentials.
pub(super) fn http(text: &str) -> Result<(), String> {
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err("must not hold blanks or control characters".to_owned());
    }
    let url = Url::parse(text).map_err(|error| match error {
        ParseError::RelativeUrlWithoutBase => "missing scheme".to_owned(),
        other => other.to_string(),
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(match text.split_once("://") {
            None if text
                .split(':')
                .nth(1)
                .is_some_and(|port| port.starts_with(|c: char| c.is_ascii_digit())) =>
            {
                "missing scheme".to_owned()
            }
            _ => "scheme must be http or https".to_owned(),
        });
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not hold a user name or password".to_owned());
    }
    Ok(())
}
