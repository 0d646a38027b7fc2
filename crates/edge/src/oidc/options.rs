//! Which issuer is trusted, and for whom its tokens must be.
//!
//! There is never an issuer without an audience: any other client's token would then be accepted.

use rustls::pki_types::CertificateDer;
use url::{Host, Url};

const DEFAULT_ACCOUNT_CLAIM: &str = "sub";

/// The issuer to trust. Made by [`Options::checked`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Where the issuer is.
    pub issuer: Url,
    /// The issuer as it was written: what `iss` must equal, to the byte.
    pub identifier: String,
    /// What `aud` must contain.
    pub audience: String,
    /// The claim that names the account.
    pub account_claim: String,
    /// Authorities trusted for the issuer's certificate besides the system's.
    pub extra_roots: Vec<CertificateDer<'static>>,
}

/// Why an issuer cannot be trusted as configured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    /// An issuer alone.
    #[error(
        "--oidc-issuer needs --oidc-audience: without one, a token made for any other service would be accepted"
    )]
    AudienceMissing,
    /// Not a URL.
    #[error("--oidc-issuer is not a URL: {0}")]
    IssuerUrl(url::ParseError),
    /// Keys would be fetched in the clear.
    #[error("--oidc-issuer must be an https:// URL; http:// is for loopback hosts only")]
    IssuerScheme,
    /// More than scheme, host, port and path.
    #[error("--oidc-issuer must have no blanks, user, password, query or fragment")]
    IssuerParts,
    /// An empty claim.
    #[error("--oidc-account-claim is empty; leave it out for `{DEFAULT_ACCOUNT_CLAIM}`")]
    ClaimEmpty,
}

impl Options {
    /// The options, if they are safe to start with.
    pub fn checked(issuer: &str, audience: Option<&str>, claim: Option<&str>) -> Result<Self, OptionsError> {
        let audience = audience.filter(|audience| !audience.trim().is_empty());
        let audience = audience.ok_or(OptionsError::AudienceMissing)?.to_owned();
        let account_claim = claim.unwrap_or(DEFAULT_ACCOUNT_CLAIM).to_owned();
        if account_claim.is_empty() {
            return Err(OptionsError::ClaimEmpty);
        }
        // The URL parser drops these silently, and an empty user before `@` too.
        if issuer.chars().any(|c| c.is_whitespace() || c.is_control()) || names_user(issuer) {
            return Err(OptionsError::IssuerParts);
        }
        let url = Url::parse(issuer).map_err(OptionsError::IssuerUrl)?;
        if !is_private_to_us(&url, true) {
            return Err(OptionsError::IssuerScheme);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(OptionsError::IssuerParts);
        }
        Ok(Self {
            issuer: url,
            identifier: issuer.to_owned(),
            audience,
            account_claim,
            extra_roots: Vec::new(),
        })
    }
}

fn names_user(url: &str) -> bool {
    let rest = url.split_once(':').map_or(url, |(_, rest)| rest).trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    authority.contains('@')
}

/// Whether nobody on the way can change what `url` answers: TLS, or this machine where `loopback` allows it.
pub(super) fn is_private_to_us(url: &Url, loopback: bool) -> bool {
    let local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => return false,
    };
    url.scheme() == "https" || (loopback && local && url.scheme() == "http")
}

#[cfg(test)]
mod tests {
    use super::{Options, OptionsError};

    #[test]
    fn an_issuer_without_an_audience_is_refused() {
        for audience in [None, Some(""), Some("  ")] {
            let error = Options::checked("https://issuer.example", audience, None).unwrap_err();
            assert_eq!(error, OptionsError::AudienceMissing);
            assert!(error.to_string().starts_with("--oidc-issuer needs --oidc-audience"), "{error}");
        }
    }

    #[test]
    fn the_account_claim_is_sub_unless_named() {
        let claim = |claim| Options::checked("https://issuer.example", Some("a"), claim);
        assert_eq!(claim(None).unwrap().account_claim, "sub");
        assert_eq!(claim(Some("email")).unwrap().account_claim, "email");
        assert_eq!(claim(Some("")).unwrap_err(), OptionsError::ClaimEmpty);
    }

    #[test]
    fn an_issuer_is_https_or_loopback_and_nothing_more_than_a_place() {
        use OptionsError::{IssuerParts, IssuerScheme};
        for (issuer, expected) in [
            ("https://issuer.example", Ok(())),
            ("https://issuer.example:8443/realms/one/", Ok(())),
            ("https://issuer.example/@team", Ok(())),
            ("http://127.0.0.1:9000", Ok(())),
            ("http://127.9.9.9", Ok(())),
            ("http://[::1]:9000/x", Ok(())),
            ("http://localhost:9000", Ok(())),
            ("http://issuer.example", Err(IssuerScheme)),
            ("http://localhost.example", Err(IssuerScheme)),
            ("http://10.0.0.1", Err(IssuerScheme)),
            ("ftp://127.0.0.1", Err(IssuerScheme)),
            ("file:///etc/passwd", Err(IssuerScheme)),
            ("https://user@issuer.example", Err(IssuerParts)),
            ("https://user:word@issuer.example/a", Err(IssuerParts)),
            ("https://@issuer.example", Err(IssuerParts)),
            ("https:\\\\@issuer.example", Err(IssuerParts)),
            ("https://issuer.example?a=b", Err(IssuerParts)),
            ("https://issuer.example/?", Err(IssuerParts)),
            ("https://issuer.example#", Err(IssuerParts)),
            (" https://issuer.example", Err(IssuerParts)),
            ("https://issuer.exa\nmple", Err(IssuerParts)),
        ] {
            assert_eq!(Options::checked(issuer, Some("a"), None).map(drop), expected, "{issuer:?}");
        }
        assert!(matches!(
            Options::checked("issuer.example", Some("a"), None),
            Err(OptionsError::IssuerUrl(_))
        ));
    }
}
