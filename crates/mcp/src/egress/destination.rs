//! Where a URL leads; every spelling of an address is read as that address, so that no spelling avoids judgement.

use http::Uri;
use rustls::pki_types::ServerName;
use url::Host;

use super::rules::without_dot;

/// The scheme, host and port of a URL.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Destination {
    pub(super) secure: bool,
    pub(super) host: Host<String>,
    pub(super) port: u16,
}

impl Destination {
    /// Nothing, if the URL is not of HTTP, names no host, or carries a user.
    pub(super) fn read(uri: &Uri) -> Option<Self> {
        let secure = match uri.scheme_str()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let authority = uri.authority()?;
        if authority.as_str().contains('@') {
            return None;
        }
        let host = Host::parse(authority.host()).ok()?;
        Some(Self { secure, host, port: authority.port_u16().unwrap_or(if secure { 443 } else { 80 }) })
    }

    /// The name the peer's certificate must be for.
    pub(super) fn server_name(&self) -> Option<ServerName<'static>> {
        match &self.host {
            Host::Domain(name) => ServerName::try_from(without_dot(name).to_owned()).ok(),
            Host::Ipv4(address) => Some(ServerName::IpAddress((*address).into())),
            Host::Ipv6(address) => Some(ServerName::IpAddress((*address).into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(uri: &str) -> Option<Destination> {
        Destination::read(&uri.parse().unwrap())
    }

    #[test]
    fn every_spelling_of_an_address_is_that_address() {
        let spellings =
            ["127.0.0.1", "0x7f.1", "0x7f000001", "017700000001", "2130706433", "127.1", "127.0.0.1."];
        for spelling in spellings.into_iter().chain(["0177.0.0.01"]) {
            let found = read(&format!("http://{spelling}/")).unwrap().host;
            assert_eq!(found, Host::<String>::Ipv4([127, 0, 0, 1].into()), "{spelling}");
        }
        let mapped = read("http://[::ffff:127.0.0.1]/").unwrap().host;
        assert_eq!(mapped, Host::<String>::Ipv6("::ffff:7f00:1".parse().unwrap()));
    }

    #[test]
    fn the_port_follows_the_scheme_unless_written() {
        for (uri, secure, port) in [
            ("http://a", false, 80),
            ("https://a", true, 443),
            ("http://a:8080", false, 8080),
            ("https://a:80", true, 80),
        ] {
            assert_eq!(
                read(uri),
                Some(Destination { secure, host: Host::Domain("a".into()), port }),
                "{uri}"
            );
        }
    }

    #[test]
    fn a_user_another_scheme_or_no_host_leads_nowhere() {
        for uri in
            ["http://user@example.org/", "http://user:secret@example.org/", "ftp://example.org/", "/path"]
        {
            assert_eq!(read(uri), None, "{uri}");
        }
    }

    #[test]
    fn a_certificate_is_for_the_host_without_its_final_dot() {
        let name = read("https://example.org./").unwrap().server_name().unwrap();
        assert_eq!(name, ServerName::try_from("example.org").unwrap());
    }
}
