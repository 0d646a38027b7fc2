//! From flags, variables and context to a client: which daemon, by which way, with which token.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use url::{Host, Url};

use crate::Surroundings;
use crate::args::{Address, Connection};
use crate::context::Context;
use crate::failure::Failure;
use crate::http::{Client, Target};

/// The client for the daemon that was chosen.
pub fn client(
    connection: &Connection,
    surroundings: &Surroundings,
    context: &Context,
) -> Result<Client, Failure> {
    let socket_in = |directory: &Path| surroundings.absolute(directory).join("outfitter.sock");
    match (&connection.address, &context.server) {
        (Some(Address::Socket(path)), _) => Ok(Client::socket(surroundings.absolute(path))),
        (Some(Address::DataDir(directory)), _) => Ok(Client::socket(socket_in(directory))),
        (Some(Address::Server(url)), _) | (None, Some(url)) => over_tcp(url, connection, surroundings),
        (None, None) => {
            let directory = surroundings.default_data_dir().ok_or_else(|| {
                Failure::usage("there is no home directory in which to look for the daemon's socket")
                    .hint("name it with `--socket PATH` or `--server URL`")
            })?;
            Ok(Client::socket(socket_in(&directory)))
        }
    }
}

/// Checks that `text` names a daemon: an http(s) URL with a host and nothing after it.
pub fn check_url(text: &str) -> Result<Url, Failure> {
    let refuse = |why: &str| {
        Failure::usage(format!("`{text}` is not a server's URL: {why}"))
            .hint("write it like https://outfitter.example.com or http://127.0.0.1:9850")
    };
    let url = Url::parse(text).map_err(|error| refuse(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refuse("it must begin with http:// or https://"));
    }
    if url.host().is_none() || !matches!(url.path(), "" | "/") || url.query().is_some() {
        return Err(refuse("it must be a host and a port, without a path"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse("it must not hold a user name or password; use OUTFITTER_TOKEN"));
    }
    Ok(url)
}

fn over_tcp(text: &str, connection: &Connection, surroundings: &Surroundings) -> Result<Client, Failure> {
    let url = check_url(text)?;
    let token = token(connection, surroundings)?;
    let secure = url.scheme() == "https";
    if !secure && token.is_some() && !is_loopback(&url) {
        return Err(Failure::usage(format!("refused to send the token in the clear to {url}"))
            .hint("use https://, or reach the daemon through an SSH tunnel on 127.0.0.1"));
    }
    let tls = if secure { Some(tls(connection, surroundings)?) } else { None };
    Ok(Client::new(Target::Tcp { url, tls }, token))
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn token(connection: &Connection, surroundings: &Surroundings) -> Result<Option<String>, Failure> {
    let (text, origin) = match (&surroundings.token, &connection.token_file) {
        (Some(token), _) if !token.trim().is_empty() => (token.clone(), "OUTFITTER_TOKEN".to_owned()),
        (_, Some(path)) => (read(&surroundings.absolute(path))?, path.display().to_string()),
        _ => return Ok(None),
    };
    let token = text.trim();
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Failure::usage(format!("{origin} holds no usable token"))
            .hint("a token is one line of printable ASCII without blanks"));
    }
    Ok(Some(token.to_owned()))
}

fn read(path: &PathBuf) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| {
        Failure::usage(format!("cannot read {}: {error}", path.display()))
            .hint("look at the path and its permissions")
    })
}

fn tls(connection: &Connection, surroundings: &Surroundings) -> Result<Arc<rustls::ClientConfig>, Failure> {
    let mut roots = rustls::RootCertStore::empty();
    // A broken certificate among the system's is no reason to refuse the others.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = &connection.ca_cert {
        let path = surroundings.absolute(path);
        let refuse = |why: String| {
            Failure::usage(format!("cannot use the certificates in {}: {why}", path.display()))
                .hint("it must be a readable PEM file with at least one certificate")
        };
        let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(&path)
            .and_then(Iterator::collect)
            .map_err(|error| refuse(error.to_string()))?;
        if certificates.is_empty() {
            return Err(refuse("there are none".to_owned()));
        }
        for certificate in certificates {
            roots.add(certificate).map_err(|error| refuse(error.to_string()))?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Failure::usage(format!("cannot set up TLS: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

#[cfg(test)]
mod tests {
    use super::{check_url, client};
    use crate::Surroundings;
    use crate::args::{Address, Connection};
    use crate::context::Context;

    fn reached(
        address: Option<Address>,
        server: Option<&str>,
        token: Option<&str>,
    ) -> Result<String, String> {
        let connection = Connection { address, ..Connection::default() };
        let surroundings = Surroundings {
            home: Some("/people/a".into()),
            current_dir: "/here".into(),
            token: token.map(str::to_owned),
            ..Surroundings::default()
        };
        let context = Context { server: server.map(str::to_owned), ..Context::default() };
        client(&connection, &surroundings, &context).map(|c| c.place()).map_err(|failure| failure.to_string())
    }

    #[test]
    fn the_command_line_wins_over_the_context_and_that_over_the_default_socket() {
        let default = "the socket /people/a/.local/share/outfitter/outfitter.sock";
        assert_eq!(reached(None, None, None).unwrap(), default);
        assert_eq!(reached(None, Some("http://127.0.0.1:1"), None).unwrap(), "http://127.0.0.1:1/");
        let flag = Some(Address::DataDir("d".into()));
        assert_eq!(reached(flag, Some("http://x"), None).unwrap(), "the socket /here/d/outfitter.sock");
    }

    #[test]
    fn a_token_never_travels_in_the_clear() {
        let to = |url: &str, token| reached(Some(Address::Server(url.into())), None, token);
        assert!(to("http://example.com", Some("t")).unwrap_err().contains("in the clear"));
        for (url, token) in [
            ("http://example.com", None),
            ("http://127.0.0.1:9850", Some("t")),
            ("http://[::1]:9850", Some("t")),
            ("http://localhost", Some("t")),
        ] {
            assert!(to(url, token).is_ok(), "{url}");
        }
        assert!(to("http://localhost", Some("a b")).unwrap_err().contains("no usable token"));
    }

    #[test]
    fn a_server_is_a_scheme_a_host_and_a_port() {
        for bad in ["example.com", "ftp://x", "http://x/api", "http://u:p@x", "http://x?y", ""] {
            assert!(check_url(bad).is_err(), "{bad}");
        }
        assert!(check_url("https://x.test:8443/").is_ok());
    }
}
