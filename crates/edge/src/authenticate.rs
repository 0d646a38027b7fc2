//! From a connection and its headers to a caller.

use access::Caller;
use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, header};

use crate::Failure;
use crate::oidc::Verifier;
use crate::ports::Identities;

/// Who is at the other end of a connection, as the kernel says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Peer {
    /// A TCP client: anyone.
    Network,
    /// A local user on the Unix socket.
    User(u32),
}

/// Who sends this request. `None` if nothing was claimed; a claim that does not hold is a failure.
pub(crate) async fn authenticate(
    identities: &dyn Identities,
    issuer: Option<&Verifier>,
    peer: Peer,
    headers: &HeaderMap,
) -> Result<Option<Caller>, Failure> {
    let mut claims = headers.get_all(header::AUTHORIZATION).iter();
    match (claims.next(), claims.next()) {
        (Some(claim), None) => {
            let token = claim.to_str().ok().and_then(bearer);
            let token = token.ok_or_else(|| Failure::unauthorized("the token is not valid"))?;
            match issuer {
                Some(issuer) if !crate::token::is_one(token) => {
                    signed(identities, issuer, token).await.map(Some)
                }
                _ => identities
                    .bearer(token)
                    .map(Some)
                    .map_err(|refused| Failure::unauthorized(refused.to_string())),
            }
        }
        (Some(_), Some(_)) => Err(Failure::unauthorized("more than one Authorization header")),
        (None, _) => match peer {
            Peer::Network => Ok(None),
            Peer::User(uid) => identities.local_user(uid).map(Some).ok_or_else(|| {
                Failure::unauthorized(format!("local user {uid} has no account here; use a token"))
            }),
        },
    }
}

/// The caller whom a JWT of the issuer names.
async fn signed(identities: &dyn Identities, issuer: &Verifier, token: &str) -> Result<Caller, Failure> {
    match issuer.verify(token).await {
        Ok(claims) => {
            identities.issued(&claims).map_err(|refused| Failure::unauthorized(refused.to_string()))
        }
        Err(rejected) => {
            metrics::counter!("outfitter_jwt_rejected_total", "reason" => rejected.code()).increment(1);
            tracing::info!(reason = rejected.code(), "a JWT was refused");
            // Which check failed helps whoever set the issuer up; it tells a forger nothing new.
            Err(Failure::unauthorized(format!("the token is not valid: {rejected}")))
        }
    }
}

fn bearer(claim: &str) -> Option<&str> {
    let (scheme, token) = claim.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}

/// The caller of a route that needs one. The edge puts it in before any router sees the request.
#[derive(Clone, Debug)]
pub struct Authenticated(pub Caller);

impl<S: Send + Sync> FromRequestParts<S> for Authenticated {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        parts.extensions.get::<Self>().cloned().ok_or_else(|| {
            Failure::unauthorized(
                "this needs a token: send `Authorization: Bearer …` (the operator's is in operator.token)",
            )
        })
    }
}
