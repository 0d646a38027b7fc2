//! A bearer JWT's compact form, read without believing it.
//!
//! What passes here has an algorithm we verify, and a header that brings no key and asks for no extension.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::Algorithm;
use serde_json::{Map, Value};

use super::{Rejected, json};

/// No longer token is looked at.
pub const MAX_TOKEN_BYTES: usize = 16 * 1024;

const FOREIGN_KEYS: [&str; 4] = ["jku", "jwk", "x5u", "x5c"];
const EXTENSIONS: [&str; 2] = ["crit", "b64"];

/// The parts of a token whose signature is still to be looked at.
pub(super) struct Token<'a> {
    /// The algorithm it claims.
    pub(super) algorithm: Algorithm,
    /// Header and payload as they were signed.
    pub(super) message: &'a str,
    /// The signature, still encoded.
    pub(super) signature: &'a str,
    key_id: Option<String>,
    payload: &'a str,
}

impl<'a> Token<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, Rejected> {
        if text.len() > MAX_TOKEN_BYTES {
            return Err(Rejected::TooLong);
        }
        let (message, signature) = text.rsplit_once('.').ok_or(Rejected::Malformed)?;
        let (header, payload) = message.split_once('.').ok_or(Rejected::Malformed)?;
        if payload.contains('.') {
            return Err(Rejected::Malformed);
        }
        let header = decoded(header)?;
        let algorithm = header.get("alg").and_then(Value::as_str).and_then(algorithm);
        let algorithm = algorithm.ok_or(Rejected::Algorithm)?;
        check_type(header.get("typ"))?;
        if FOREIGN_KEYS.iter().any(|name| header.contains_key(*name)) {
            return Err(Rejected::KeyInHeader);
        }
        if EXTENSIONS.iter().any(|name| header.contains_key(*name)) {
            return Err(Rejected::Critical);
        }
        let key_id = match header.get("kid") {
            None => None,
            Some(Value::String(id)) => Some(id.clone()),
            Some(_) => return Err(Rejected::Malformed),
        };
        Ok(Self { algorithm, message, signature, key_id, payload })
    }

    /// The key it claims. Only ever compared with the issuer's.
    pub(super) fn key_id(&self) -> Option<&str> {
        self.key_id.as_deref()
    }

    /// The claims. To be believed only once the signature holds.
    pub(super) fn payload(&self) -> Result<Map<String, Value>, Rejected> {
        decoded(self.payload)
    }
}

fn decoded(part: &str) -> Result<Map<String, Value>, Rejected> {
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| Rejected::Malformed)?;
    json::object(&bytes).ok_or(Rejected::Malformed)
}

/// The algorithm called `name`, if it is one we verify: none is symmetric.
pub(super) fn algorithm(name: &str) -> Option<Algorithm> {
    Some(match name {
        "RS256" => Algorithm::RS256,
        "RS384" => Algorithm::RS384,
        "RS512" => Algorithm::RS512,
        "PS256" => Algorithm::PS256,
        "PS384" => Algorithm::PS384,
        "PS512" => Algorithm::PS512,
        "ES256" => Algorithm::ES256,
        "ES384" => Algorithm::ES384,
        "EdDSA" => Algorithm::EdDSA,
        _ => return None,
    })
}

fn check_type(claimed: Option<&Value>) -> Result<(), Rejected> {
    match claimed {
        None => Ok(()),
        Some(Value::String(name))
            if ["jwt", "at+jwt"].iter().any(|known| name.eq_ignore_ascii_case(known)) =>
        {
            Ok(())
        }
        Some(_) => Err(Rejected::Type),
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD};

    use super::{MAX_TOKEN_BYTES, Token};
    use crate::oidc::Rejected;

    fn parsed(header: &str) -> Result<(), Rejected> {
        let text = format!("{}.e30.c2ln", URL_SAFE_NO_PAD.encode(header));
        Token::parse(&text).map(drop)
    }

    #[test]
    fn only_asymmetric_algorithms_are_read() {
        for name in ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"] {
            assert_eq!(parsed(&format!(r#"{{"alg":"{name}"}}"#)), Ok(()), "{name}");
        }
        for name in
            ["none", "None", "nOnE", "", "HS256", "HS384", "HS512", "rs256", "ES512", "ES256K", "RS256 "]
        {
            assert_eq!(parsed(&format!(r#"{{"alg":"{name}"}}"#)), Err(Rejected::Algorithm), "{name}");
        }
        for header in ["{}", r#"{"alg":null}"#, r#"{"alg":["RS256"]}"#, r#"{"ALG":"RS256"}"#] {
            assert_eq!(parsed(header), Err(Rejected::Algorithm), "{header}");
        }
    }

    #[test]
    fn a_header_brings_no_key_and_asks_for_no_extension() {
        for (more, expected) in [
            (r#""kid":"a","x5t":"abc","cty":"x""#, Ok(())),
            (r#""typ":"JWT""#, Ok(())),
            (r#""typ":"at+jwt""#, Ok(())),
            (r#""typ":"AT+JWT""#, Ok(())),
            (r#""typ":"dpop+jwt""#, Err(Rejected::Type)),
            (r#""typ":"""#, Err(Rejected::Type)),
            (r#""typ":null"#, Err(Rejected::Type)),
            (r#""jku":"http://127.0.0.1/k""#, Err(Rejected::KeyInHeader)),
            (r#""jku":null"#, Err(Rejected::KeyInHeader)),
            (r#""jwk":{"kty":"oct","k":"AA"}"#, Err(Rejected::KeyInHeader)),
            (r#""x5u":"http://127.0.0.1/k""#, Err(Rejected::KeyInHeader)),
            (r#""x5c":[]"#, Err(Rejected::KeyInHeader)),
            (r#""crit":["exp"]"#, Err(Rejected::Critical)),
            (r#""crit":[]"#, Err(Rejected::Critical)),
            (r#""b64":false,"crit":["b64"]"#, Err(Rejected::Critical)),
            (r#""b64":false"#, Err(Rejected::Critical)),
            (r#""kid":7"#, Err(Rejected::Malformed)),
            (r#""alg":"RS256""#, Err(Rejected::Malformed)),
            (r#""kid":"a","kid":"b""#, Err(Rejected::Malformed)),
        ] {
            assert_eq!(parsed(&format!(r#"{{"alg":"RS256",{more}}}"#)), expected, "{more}");
        }
    }

    #[test]
    fn a_token_is_three_parts_of_strict_base64url() {
        let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"RS256"}"#);
        let padded = URL_SAFE.encode(r#"{"alg":"RS256" }"#);
        assert!(padded.ends_with('='));
        let standard = STANDARD.encode("{\"alg\":\"RS256\",\"kid\":\"\u{7ff}\u{7ff}~~~\"}");
        assert!(standard.contains(['+', '/']));
        assert!(Token::parse(&format!("{header}.e30.c2ln")).is_ok());
        for text in [
            String::new(),
            ".".to_owned(),
            "..".to_owned(),
            header.clone(),
            format!("{header}.e30"),
            format!("{header}.e30.c2ln.c2ln"),
            format!("{header}.e30.a.b.c"),
            format!("{padded}.e30.c2ln"),
            format!("{standard}.e30.c2ln"),
            format!(" {header}.e30.c2ln"),
            format!("{}.e30.c2ln", URL_SAFE_NO_PAD.encode("[]")),
        ] {
            assert_eq!(Token::parse(&text).map(drop), Err(Rejected::Malformed), "{text}");
        }
    }

    #[test]
    fn a_token_too_long_is_not_decoded() {
        let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"RS256"}"#);
        let fits = format!("{header}.{}", ".".repeat(MAX_TOKEN_BYTES - header.len() - 1));
        assert_eq!(Token::parse(&fits).map(drop), Err(Rejected::Malformed));
        assert_eq!(Token::parse(&format!("{fits}.")).map(drop), Err(Rejected::TooLong));
        let long = format!("{header}.e30.{}", "A".repeat(MAX_TOKEN_BYTES));
        assert_eq!(Token::parse(&long).map(drop), Err(Rejected::TooLong));
    }
}
