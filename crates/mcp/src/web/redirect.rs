//! Decides on redirects; the only place a request follows to is its own origin.

use http::{HeaderValue, Method, StatusCode};
use url::Url;

/// What to do with an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It is no redirect.
    Stay,
    /// Ask again, with the same method, headers and body.
    Go(Url),
    /// It is a redirect that is not followed.
    Refuse,
}

/// What follows from the `status` and `Location` of an answer that `current` gave to `method`.
pub(super) fn next(
    method: &Method,
    status: StatusCode,
    current: &Url,
    location: Option<&HeaderValue>,
) -> Next {
    let same_method = match status.as_u16() {
        307 | 308 => true,
        // These turn other methods into GET, which would be another request than the caller's.
        301..=303 => method == Method::GET,
        _ => return Next::Stay,
    };
    let target = location.and_then(|location| std::str::from_utf8(location.as_bytes()).ok());
    let Some(mut target) = target.and_then(|location| current.join(location).ok()) else {
        return Next::Refuse;
    };
    target.set_fragment(None);
    let with_user = !target.username().is_empty() || target.password().is_some();
    if !same_method || with_user || target.origin() != current.origin() {
        tracing::debug!(%status, from = %origin(current), to = %origin(&target), "redirect not followed");
        return Next::Refuse;
    }
    Next::Go(target)
}

/// All of a URL that holds no secret.
fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(method: &Method, status: u16, current: &str, location: &str) -> Next {
        let location = HeaderValue::from_str(location).unwrap();
        next(method, StatusCode::from_u16(status).unwrap(), &Url::parse(current).unwrap(), Some(&location))
    }

    fn goes(url: &str) -> Next {
        Next::Go(Url::parse(url).unwrap())
    }

    #[test]
    fn a_redirect_within_the_origin_is_followed() {
        let from = "https://example.org/a/b?c";
        for (location, to) in [
            ("/x", "https://example.org/x"),
            ("x?y#z", "https://example.org/a/x?y"),
            ("https://EXAMPLE.org:443/x", "https://example.org/x"),
            ("//example.org/x", "https://example.org/x"),
        ] {
            for status in [307, 308] {
                assert_eq!(decide(&Method::POST, status, from, location), goes(to), "{status} {location}");
            }
            for status in [301, 302, 303, 307, 308] {
                assert_eq!(decide(&Method::GET, status, from, location), goes(to), "{status} {location}");
            }
        }
    }

    #[test]
    fn a_redirect_to_another_origin_is_refused() {
        for location in [
            "http://example.org/",
            "https://example.org:8443/",
            "https://www.example.org/",
            "https://example.org./",
            "//evil.net/",
            "\\\\evil.net\\",
            "https://169.254.169.254/",
            "https://example.org@evil.net/",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "https://[",
        ] {
            assert_eq!(
                decide(&Method::GET, 307, "https://example.org/", location),
                Next::Refuse,
                "{location}"
            );
        }
        assert_eq!(decide(&Method::GET, 301, "http://example.org/", "https://example.org/"), Next::Refuse);
    }

    #[test]
    fn a_redirect_with_a_user_or_without_a_place_is_refused() {
        let current = Url::parse("https://example.org/").unwrap();
        assert_eq!(decide(&Method::GET, 307, current.as_str(), "https://user@example.org/"), Next::Refuse);
        assert_eq!(decide(&Method::GET, 307, current.as_str(), "https://:secret@example.org/"), Next::Refuse);
        assert_eq!(next(&Method::GET, StatusCode::TEMPORARY_REDIRECT, &current, None), Next::Refuse);
    }

    #[test]
    fn a_redirect_that_would_change_the_method_is_refused() {
        for status in [301, 302, 303] {
            for method in [Method::POST, Method::DELETE] {
                assert_eq!(
                    decide(&method, status, "https://example.org/", "/x"),
                    Next::Refuse,
                    "{status} {method}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_redirect_stays() {
        for status in [200, 202, 300, 304, 305, 401, 404, 500] {
            assert_eq!(decide(&Method::GET, status, "https://example.org/", "/x"), Next::Stay, "{status}");
        }
    }
}
