//! Names of resources and variables out of whatever a client allows.

/// Longest name of a resource.
const MAX_NAME: usize = 63;

/// `My Server` becomes `my-server`; a name that is taken gets a number.
pub fn slug(name: &str, taken: &[String]) -> String {
    let mut slug = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    let slug = match slug.chars().next() {
        None => "server".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("server-{slug}"),
        Some(_) => slug.to_owned(),
    };
    let slug = slug.get(..MAX_NAME).unwrap_or(&slug).trim_end_matches('-').to_owned();
    let mut candidate = slug.clone();
    let mut number = 1;
    while taken.contains(&candidate) {
        number += 1;
        candidate = numbered(&slug, number);
    }
    candidate
}

fn numbered(slug: &str, number: u32) -> String {
    let suffix = format!("-{number}");
    let kept = slug.get(..MAX_NAME - suffix.len()).unwrap_or(slug);
    format!("{kept}{suffix}")
}

/// `my-server`, `X-Api-Key` becomes `MY_SERVER_X_API_KEY`.
pub fn variable(parts: &[&str]) -> String {
    let joined = parts.join("_");
    let name: String = joined
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// Whether a text can name a variable.
pub fn is_variable(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && text.len() <= 256
}

#[cfg(test)]
mod tests {
    use super::{slug, variable};

    #[test]
    fn every_name_becomes_a_slug_and_stays_unique() {
        let long = "a".repeat(80);
        for (name, expected) in [
            ("My Server", "my-server"),
            ("GitHub", "github"),
            ("@scope/pkg.x", "scope-pkg-x"),
            ("42", "server-42"),
            ("日本", "server"),
            ("", "server"),
            ("--a--", "a"),
            (long.as_str(), &long[..63]),
        ] {
            assert_eq!(slug(name, &[]), expected, "{name}");
            assert!(slug(name, &[]).parse::<model::Name>().is_ok(), "{name}");
        }
        let taken = ["a".to_owned(), "a-2".to_owned(), "b".repeat(63)];
        assert_eq!(slug("A", &taken), "a-3");
        assert_eq!(slug(&"b".repeat(63), &taken), format!("{}-2", "b".repeat(61)));
    }

    #[test]
    fn a_variable_is_upper_case_and_never_starts_with_a_digit() {
        assert_eq!(variable(&["my-server", "X-Api-Key"]), "MY_SERVER_X_API_KEY");
        assert_eq!(variable(&["1a"]), "_1A");
    }
}
