//! Which hosts may be spoken to and which pages may speak: the protection against rebound names.

use http::HeaderMap;
use http::header::{HOST, ORIGIN};

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Who may speak to a server over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Whoever embeds the server has checked already.
    Embedder,
    /// Requests must name one of these hosts, and pages must come from one of these origins.
    Listed {
        /// Hosts without port.
        hosts: Vec<String>,
        /// Origins, exactly as browsers write them; loopback pages are listed by their hosts.
        origins: Vec<String>,
    },
}

impl Guard {
    /// Only this machine's own names, and pages served from them.
    pub fn loopback() -> Self {
        Self::Listed { hosts: LOOPBACK.map(String::from).to_vec(), origins: Vec::new() }
    }

    /// Whether a request with these headers is let in. `authority` is that of the request line, if it has one.
    pub(super) fn admits(&self, headers: &HeaderMap, authority: Option<&str>) -> bool {
        let Self::Listed { hosts, origins } = self else { return true };
        let mut named = headers.get_all(HOST).iter();
        let host = match (named.next(), named.next()) {
            (Some(host), None) => host.to_str().ok(),
            (None, _) => authority,
            (Some(_), Some(_)) => None,
        };
        if !host.is_some_and(|host| is_listed(hosts, host)) {
            return false;
        }
        let mut given = headers.get_all(ORIGIN).iter();
        match (given.next(), given.next()) {
            (None, _) => true,
            (Some(origin), None) => {
                origin.to_str().is_ok_and(|origin| is_known_origin(origin, hosts, origins))
            }
            (Some(_), Some(_)) => false,
        }
    }
}

fn is_known_origin(origin: &str, hosts: &[String], origins: &[String]) -> bool {
    if origins.iter().any(|known| known == origin) {
        return true;
    }
    let place = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    let local: Vec<String> = hosts.iter().filter(|host| LOOPBACK.contains(&host.as_str())).cloned().collect();
    place.is_some_and(|place| is_listed(&local, place))
}

/// Whether a host, with or without a port, is one of those listed.
fn is_listed(hosts: &[String], authority: &str) -> bool {
    let bare = match authority.rsplit_once(':') {
        Some((bare, port)) if !bare.is_empty() && is_port(port) => bare,
        _ => authority,
    };
    hosts.iter().any(|host| host.eq_ignore_ascii_case(bare))
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        Guard::loopback().admits(&headers, None)
    }

    #[test]
    fn only_this_machines_names_are_let_in() {
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:9850", "[::1]:1", "[::1]"] {
            assert!(admits(host, None), "{host}");
            assert!(admits(host, Some(&format!("http://{}", host.to_lowercase()))), "{host}");
        }
        for host in [
            "evil.com",
            "localhost.evil.com",
            "127.0.0.1.nip.io",
            "127.0.0.2",
            "localhost:x",
            "localhost:99999",
            ":80",
            "",
        ] {
            assert!(!admits(host, None), "{host}");
        }
    }

    #[test]
    fn only_pages_of_this_machine_are_let_in() {
        for origin in [
            "null",
            "http://evil.com",
            "http://localhost.evil.com",
            "http://127.0.0.1.nip.io",
            "file://",
            "ftp://localhost",
            "",
        ] {
            assert!(!admits("localhost", Some(origin)), "{origin}");
        }
    }
}
