//! Host and Origin checks: a web page that rebinds a name to this machine gets nothing.

use std::net::SocketAddr;

use http::{HeaderMap, StatusCode, Uri, header};

use crate::Failure;

/// The names by which a listener may be called, matched exactly.
#[derive(Clone, Debug)]
pub struct AllowedHosts {
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl AllowedHosts {
    /// For a TCP listener: its loopback names, or its address, and the names an operator added.
    pub fn tcp(address: SocketAddr, tls: bool, extra: &[String]) -> Self {
        let port = address.port();
        let extra: Vec<String> = extra.iter().map(|host| host.to_ascii_lowercase()).collect();
        let mut names = extra.clone();
        if address.ip().is_loopback() || address.ip().is_unspecified() {
            names.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
        }
        if !address.ip().is_unspecified() {
            let host = SocketAddr::new(address.ip(), 0).to_string();
            names.push(host.trim_end_matches(":0").to_owned());
        }
        let scheme = if tls { "https" } else { "http" };
        let default_port = if tls { 443 } else { 80 };
        let mut allowed = Self { hosts: Vec::new(), origins: Vec::new() };
        for name in names {
            let named_port = name.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
            let mut forms = vec![if named_port { name.clone() } else { format!("{name}:{port}") }];
            if !named_port && (port == default_port || extra.contains(&name)) {
                forms.push(name);
            }
            allowed.origins.extend(forms.iter().map(|form| format!("{scheme}://{form}")));
            allowed.origins.extend(
                forms.iter().filter(|form| extra.contains(form)).map(|form| format!("https://{form}")),
            );
            allowed.hosts.extend(forms);
        }
        allowed
    }

    /// For the Unix socket, which no web page can reach: one conventional name.
    pub fn unix() -> Self {
        Self { hosts: vec!["localhost".to_owned()], origins: Vec::new() }
    }

    /// Refuses a request that was addressed to another name, or sent by another site's page.
    pub(crate) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Failure> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let named = hosts.next().map(|host| host.to_str().unwrap_or_default().to_ascii_lowercase());
        let authority = uri.authority().map(|authority| authority.as_str().to_ascii_lowercase());
        let agree = match (&named, &authority) {
            (Some(host), Some(authority)) => host == authority,
            (None, None) => false,
            _ => true,
        };
        let known = named.or(authority).is_some_and(|host| self.hosts.contains(&host));
        if !agree || !known || hosts.next().is_some() {
            return Err(Failure::new(
                StatusCode::MISDIRECTED_REQUEST,
                "this daemon does not answer to that host name; start it with --allowed-host to add one",
            ));
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if !origins.all(|origin| {
            origin.to_str().is_ok_and(|origin| self.origins.iter().any(|known| known == origin))
        }) {
            return Err(Failure::new(StatusCode::FORBIDDEN, "requests from that web origin are not allowed"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};

    use super::AllowedHosts;

    fn ask(allowed: &AllowedHosts, host: &str, origin: Option<&str>) -> Option<StatusCode> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        allowed.check(&Uri::from_static("/"), &headers).err().map(|failure| failure.status)
    }

    #[test]
    fn only_exact_names_and_origins_pass() {
        let allowed = AllowedHosts::tcp("127.0.0.1:9850".parse().unwrap(), false, &[]);
        for host in ["localhost:9850", "127.0.0.1:9850", "[::1]:9850", "LOCALHOST:9850"] {
            assert_eq!(ask(&allowed, host, None), None, "{host}");
        }
        for host in
            ["evil.com", "localhost", "localhost:80", "localhost.evil.com:9850", "127.0.0.1.nip.io:9850", ""]
        {
            assert_eq!(ask(&allowed, host, None), Some(StatusCode::MISDIRECTED_REQUEST), "{host}");
        }
        assert_eq!(ask(&allowed, "localhost:9850", Some("http://localhost:9850")), None);
        for origin in [
            "null",
            "http://evil.com",
            "http://localhost",
            "https://localhost:9850",
            "http://localhost:9850.evil.com",
        ] {
            assert_eq!(
                ask(&allowed, "localhost:9850", Some(origin)),
                Some(StatusCode::FORBIDDEN),
                "{origin}"
            );
        }
    }

    #[test]
    fn an_added_host_passes_with_and_without_the_port() {
        let extra = ["Tools.example.com".to_owned()];
        let allowed = AllowedHosts::tcp("0.0.0.0:443".parse().unwrap(), true, &extra);
        assert_eq!(ask(&allowed, "tools.example.com", Some("https://tools.example.com")), None);
        assert_eq!(ask(&allowed, "tools.example.com:443", None), None);
        assert_eq!(ask(&allowed, "0.0.0.0:443", None), Some(StatusCode::MISDIRECTED_REQUEST));
    }

    #[test]
    fn two_host_headers_are_refused() {
        let allowed = AllowedHosts::unix();
        let mut headers = HeaderMap::new();
        headers.append(header::HOST, HeaderValue::from_static("localhost"));
        headers.append(header::HOST, HeaderValue::from_static("evil.com"));
        assert!(allowed.check(&Uri::from_static("/"), &headers).is_err());
    }
}
