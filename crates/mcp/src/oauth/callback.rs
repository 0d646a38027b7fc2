//! Where the authorization server sent the person back to; it has to be our address, exactly, and name its issuer.

use url::Url;

use super::address::has_single_parameters;
use super::error::Error;
use super::secret::Secret;

/// A callback, not yet believed.
#[derive(Debug)]
pub(super) struct Callback {
    pub(super) state: String,
    pub(super) issuer: Option<String>,
    code: Option<Secret>,
}

impl Callback {
    pub(super) fn read(url: &Url, redirect: &Url) -> Result<Self, Error> {
        let mut bare = url.clone();
        bare.set_query(None);
        if bare != *redirect || !has_single_parameters(url) {
            return Err(Error::Callback);
        }
        let parameter = |wanted: &str| {
            url.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
        };
        let refused = parameter("error").is_some();
        let code = parameter("code").filter(|code| !code.is_empty() && !refused).map(Secret::from);
        let state = parameter("state").ok_or(Error::Callback)?;
        Ok(Self { state, issuer: parameter("iss"), code })
    }

    /// The code, once the issuer is certain: compared as text, and missing only where it was not promised. A refusal
    /// is believed as little as a code.
    pub(super) fn code(&self, issuer: &str, promised: bool) -> Result<&str, Error> {
        let certain = match &self.issuer {
            Some(named) => named == issuer,
            None => !promised,
        };
        if !certain {
            return Err(Error::Issuer);
        }
        self.code.as_ref().map(Secret::expose).ok_or(Error::Refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISSUER: &str = "https://as.example";

    fn read(url: &str) -> Result<Callback, Error> {
        let redirect = Url::parse("https://gateway.example/callback").unwrap();
        Callback::read(&Url::parse(url).unwrap(), &redirect)
    }

    #[test]
    fn a_callback_comes_to_the_redirect_exactly() {
        assert!(read("https://gateway.example/callback?code=c&state=s").is_ok());
        for url in [
            "https://gateway.example/callback2?code=c&state=s",
            "https://gateway.example/callback/?code=c&state=s",
            "https://gateway.example/callbac?code=c&state=s",
            "https://gateway.example/Callback?code=c&state=s",
            "https://gateway.example:8443/callback?code=c&state=s",
            "http://gateway.example/callback?code=c&state=s",
            "https://gateway.example/callback?code=c&state=s#x",
            "https://gateway.example/callback?code=c",
            "https://gateway.example/callback?code=c&state=s&state=s",
            "https://gateway.example/callback?code=c&state=s&iss=a&iss=b",
        ] {
            assert_eq!(read(url).err(), Some(Error::Callback), "{url}");
        }
    }

    #[test]
    fn the_issuer_is_compared_as_text_even_when_refused() {
        let outcome = |query: &str, promised| {
            let callback = read(&format!("https://gateway.example/callback?state=s&{query}")).unwrap();
            callback.code(ISSUER, promised).map(str::to_owned)
        };
        for (query, promised, expected) in [
            ("code=c&iss=https%3A%2F%2Fas.example", true, Ok("c")),
            ("code=c&iss=https://as.example", false, Ok("c")),
            ("code=c", false, Ok("c")),
            ("code=c", true, Err(Error::Issuer)),
            ("code=c&iss=https://as.example/", true, Err(Error::Issuer)),
            ("code=c&iss=https://AS.example", false, Err(Error::Issuer)),
            ("code=c&iss=https://evil.example", false, Err(Error::Issuer)),
            ("error=access_denied&iss=https://evil.example", false, Err(Error::Issuer)),
            ("error=access_denied", true, Err(Error::Issuer)),
            ("error=access_denied&iss=https://as.example", true, Err(Error::Refused)),
            ("error=access_denied&code=c", false, Err(Error::Refused)),
            ("code=", false, Err(Error::Refused)),
        ] {
            assert_eq!(outcome(query, promised), expected.map(str::to_owned), "{query} {promised}");
        }
    }
}
