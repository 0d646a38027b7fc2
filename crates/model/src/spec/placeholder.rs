//! `${VAR}` placeholders: finding them, and checking text that holds them. `$${` stands for a literal `${`.

/// The variables that `text` refers to, or what is malformed.
pub fn names(text: &str) -> Result<Vec<&str>, String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        if rest[..start].ends_with('$') {
            rest = &rest[start + 2..];
            continue;
        }
        let tail = &rest[start + 2..];
        let end = tail.find('}').ok_or("`${` is not closed")?;
        let name = &tail[..end];
        let valid = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !valid {
            return Err(format!("`${{{}}}` is not a variable's name", name.escape_debug()));
        }
        names.push(name);
        rest = &tail[end + 1..];
    }
    Ok(names)
}

/// Checks an absolute http(s) URL that may hold placeholders.
pub fn check_url(text: &str) -> Result<(), String> {
    let names = names(text)?;
    if text.starts_with("${") {
        return Ok(());
    }
    let filled = names.iter().fold(text.to_owned(), |text, name| text.replace(&format!("${{{name}}}"), "1"));
    super::url_check::http(&filled)
}

#[cfg(test)]
mod tests {
    use super::{check_url, names};

    #[test]
    fn placeholders_are_found_and_escapes_are_not() {
        assert_eq!(names("Bearer ${TOKEN} and $${NOT} ${_X1}").unwrap(), ["TOKEN", "_X1"]);
        for bad in ["${", "${}", "${a-b}", "${1A}", "${A B}"] {
            assert!(names(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_url_must_be_absolute_and_http() {
        for good in
            ["https://x.test/mcp", "http://localhost:3000", "https://${HOST}:${PORT}/x", "${BASE}/mcp"]
        {
            assert_eq!(check_url(good), Ok(()), "{good}");
        }
        for (bad, why) in [
            ("example.com/mcp", "missing scheme"),
            ("ftp://x", "scheme must be http or https"),
            ("javascript:alert(1)", "scheme must be http or https"),
            ("https://", "empty host"),
            ("https://user:pw@x/", "must not hold a user name or password"),
            ("https://x y/", "must not hold blanks"),
            ("https://x/ y", "must not hold blanks"),
            ("http://x/\r\nEvil: 1", "must not hold blanks or control characters"),
        ] {
            let error = check_url(bad).unwrap_err();
            assert!(error.contains(why), "{bad}: {error}");
        }
    }
}
