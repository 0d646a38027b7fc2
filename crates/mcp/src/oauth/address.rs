//! Which URLs of other parties are acceptable: plain web addresses that no shell, browser or parser reads as anything
//! else, and never in the clear except on this machine.

use url::{Host, Url};

/// Reads an endpoint as written in metadata.
pub(super) fn endpoint(text: &str) -> Option<Url> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/?&=%+,@[]".contains(c);
    let url = Url::parse(text).ok()?;
    (text.chars().all(plain) && is_confidential(&url)).then_some(url)
}

/// A web address that names a host, no user, no fragment, and is encrypted or on this machine.
pub(super) fn is_confidential(url: &Url) -> bool {
    let scheme = match url.scheme() {
        "https" => true,
        "http" => is_loopback(url),
        _ => false,
    };
    let bare = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    scheme && bare && url.host().is_some()
}

/// Whether the URL names this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Whether every parameter of the query has one value, so that all readers take the same one.
pub(super) fn has_single_parameters(url: &Url) -> bool {
    let mut names: Vec<_> = url.query_pairs().map(|(name, _)| name).collect();
    names.sort_unstable();
    names.windows(2).all(|pair| pair[0] != pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_web_addresses_are_endpoints() {
        for text in [
            "https://as.example/authorize",
            "https://as.example:8443/tenant/authorize?p=policy",
            "http://127.0.0.1:1/a",
            "http://[::1]:1/a",
            "http://localhost/a",
        ] {
            assert!(endpoint(text).is_some(), "{text}");
        }
        for text in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "ftp://as.example/",
            "$(calc)",
            "https://as.example/$(calc)",
            "https://$(calc).example/",
            "https://as.example/`id`",
            "https://as.example/a b",
            " https://as.example/",
            "https://as.example/\n",
            "https://as.example/\u{7f}",
            "https://as.example/ü",
            "https://as.example/\"",
            "https://as.example/';",
            "https://as.example/a|b",
            "https:\\\\as.example/",
            "https://as.example/a#b",
            "-flag",
            "--version",
            "/relative",
            "",
            "https://user@as.example/",
            "https://user:secret@as.example/",
            "http://as.example/",
            "http://127.0.0.1.example/",
            "http://localhost.example/",
            "http://10.0.0.1/",
        ] {
            assert!(endpoint(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_parameter_given_twice_is_noticed() {
        for (query, single) in [("", true), ("a=1&b=1", true), ("a=1&b=2&a=1", false), ("state&state", false)]
        {
            let url = Url::parse(&format!("https://as.example/?{query}")).unwrap();
            assert_eq!(has_single_parameters(&url), single, "{query}");
        }
    }
}
