//! What looks like a secret. Rather one too many: a secret written into a manifest cannot be taken back.

const WORDS: [&str; 11] = [
    "TOKEN",
    "KEY",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "AUTH",
    "CREDENTIAL",
    "COOKIE",
    "SIGNATURE",
    "BEARER",
];
const SEGMENTS: [&str; 5] = ["PAT", "PWD", "PASS", "JWT", "DSN"];
const PREFIXES: [&str; 16] = [
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "sk-",
    "sk_live_",
    "rk_live_",
    "xoxb-",
    "xoxp-",
    "xapp-",
    "AKIA",
    "eyJ",
    "npm_",
    "hf_",
    "-----BEGIN",
];

/// Whether a variable, header or flag of this name holds a secret.
pub fn named(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    WORDS.iter().any(|word| upper.contains(word))
        || upper.split(|c: char| !c.is_ascii_alphanumeric()).any(|segment| SEGMENTS.contains(&segment))
}

/// Whether a value gives itself away as a secret.
pub fn valued(value: &str) -> bool {
    let bare = value.trim();
    PREFIXES.iter().any(|prefix| bare.len() > prefix.len() + 8 && bare.starts_with(prefix))
        || url_password(bare)
}

/// `scheme://user:password@host`.
fn url_password(value: &str) -> bool {
    let Some((_, rest)) = value.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
}

/// Where the secret begins in an argument, and what it is called; `before` is the argument before it.
pub fn in_argument(before: Option<&str>, argument: &str) -> Option<(String, usize)> {
    let is_flag = |text: &str| text.starts_with('-');
    if let Some((name, value)) = argument.split_once('=') {
        let plain = name.trim_start_matches('-');
        if !value.is_empty() && is_word(plain) && (named(plain) || valued(value)) {
            return Some((plain.to_owned(), name.len() + 1));
        }
    }
    if let Some((name, value)) = argument.split_once(':')
        && is_word(name)
        && named(name)
        && !value.starts_with("//")
        && !value.trim().is_empty()
    {
        let start = argument.len() - scheme_stripped(value.trim_start()).len();
        return Some((name.to_owned(), start));
    }
    if is_flag(argument) || argument.is_empty() {
        return None;
    }
    match before.filter(|before| is_flag(before) && !before.contains('=')) {
        Some(flag) if named(flag) => Some((flag.trim_start_matches('-').to_owned(), 0)),
        _ if valued(argument) => Some(("SECRET".to_owned(), 0)),
        _ => None,
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// A credential without its scheme: `Bearer x` gives `x`.
pub fn scheme_stripped(value: &str) -> &str {
    match value.split_once(' ') {
        Some((scheme, rest))
            if ["bearer", "basic", "token", "apikey"].contains(&scheme.to_ascii_lowercase().as_str()) =>
        {
            rest.trim_start()
        }
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::{in_argument, named, scheme_stripped, valued};

    #[test]
    fn names_and_values_that_look_secret_are_taken_for_secrets() {
        for name in
            ["GITHUB_TOKEN", "api_key", "X-Api-Key", "Authorization", "GH_PAT", "DB_PASS", "clientSecret"]
        {
            assert!(named(name), "{name}");
        }
        for name in ["LOG_LEVEL", "PATH", "HOME", "COMPASS", "REGION"] {
            assert!(!named(name), "{name}");
        }
        assert!(valued("ghp_0123456789abcdef") && valued("postgres://u:p@host/db"));
        assert!(!valued("https://host/a@b:c") && !valued("sk-") && !valued("info"));
    }

    #[test]
    fn arguments_hide_secrets_in_many_shapes() {
        let found = |before: &str, argument: &str| {
            in_argument(Some(before), argument).map(|(name, at)| (name, argument[at..].to_owned()))
        };
        let some = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
        assert_eq!(found("-y", "--api-key=abc"), some("api-key", "abc"));
        assert_eq!(found("--api-key", "abc"), some("api-key", "abc"));
        assert_eq!(found("-e", "GITHUB_TOKEN=abc"), some("GITHUB_TOKEN", "abc"));
        assert_eq!(found("--header", "Authorization: Bearer abc"), some("Authorization", "abc"));
        assert_eq!(found("x", "ghp_0123456789abcdef"), some("SECRET", "ghp_0123456789abcdef"));
        for (before, argument) in [
            ("-e", "GITHUB_TOKEN"),
            ("-y", "@scope/server"),
            ("--port", "80"),
            ("--token", "--verbose"),
            ("", ""),
        ] {
            assert_eq!(found(before, argument), None, "{before} {argument}");
        }
        assert_eq!(scheme_stripped("Bearer x"), "x");
        assert_eq!(scheme_stripped("x y"), "x y");
    }
}
