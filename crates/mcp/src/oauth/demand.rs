//! What a challenge asks for.

use rmcp::transport::auth::WWWAuthenticateParams;
use url::Url;

use crate::client::Challenge;

/// What the server wants.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// A token, or a better one.
    Token,
    /// A token with more scopes.
    Scopes(Vec<String>),
    /// Nothing that a token could give.
    Nothing,
}

impl Demand {
    pub(super) fn of(challenge: &Challenge, server: &Url) -> Self {
        let params = header(challenge).map(|header| WWWAuthenticateParams::parse(header, server));
        match (challenge.status, params) {
            (401, _) => Self::Token,
            (403, Some(params)) if params.is_insufficient_scope() => {
                Self::Scopes(words(&params.scope.unwrap_or_default()))
            }
            _ => Self::Nothing,
        }
    }
}

/// The scopes that a challenge names.
pub(super) fn scopes(challenge: &Challenge, server: &Url) -> Vec<String> {
    let params = header(challenge).map(|header| WWWAuthenticateParams::parse(header, server));
    words(&params.and_then(|params| params.scope).unwrap_or_default())
}

/// The header that speaks of bearer tokens.
pub(super) fn header(challenge: &Challenge) -> Option<&str> {
    let bearer =
        |header: &str| header.split([' ', ',', '\t']).any(|word| word.eq_ignore_ascii_case("bearer"));
    challenge.www_authenticate.iter().map(String::as_str).find(|header| bearer(header))
}

/// Adds what is not there yet.
pub(super) fn unite(scopes: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    for scope in more {
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
}

fn words(text: &str) -> Vec<String> {
    let mut scopes = Vec::new();
    unite(&mut scopes, text.split_ascii_whitespace().map(str::to_owned));
    scopes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(status: u16, headers: &[&str]) -> Demand {
        let www_authenticate = headers.iter().map(ToString::to_string).collect();
        let server = Url::parse("https://mcp.example/mcp").unwrap();
        Demand::of(&Challenge { status, www_authenticate }, &server)
    }

    #[test]
    fn a_challenge_is_read_from_its_bearer_header() {
        let lacking = r#"Bearer error="insufficient_scope", scope="a b a""#;
        let scopes = Demand::Scopes(vec!["a".into(), "b".into()]);
        for (status, headers, expected) in [
            (401, vec![], Demand::Token),
            (401, vec![r#"Bearer error="invalid_token""#], Demand::Token),
            (403, vec![r#"Basic realm="x""#, lacking], scopes),
            (403, vec![r#"Basic error="insufficient_scope", scope="a""#], Demand::Nothing),
            (403, vec!["Bearer"], Demand::Nothing),
            (403, vec![], Demand::Nothing),
        ] {
            assert_eq!(demand(status, &headers), expected, "{status} {headers:?}");
        }
    }
}
