//! What can go wrong between a server, its authorization server and a person; no text repeats what a peer sent.

use rmcp::transport::auth::AuthError;

use super::store::StoreError;

/// Why there is no token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting cannot be used; names it.
    #[error("{0}")]
    Settings(&'static str),
    /// Neither the server nor its authorization server published usable metadata, or they could not be reached.
    #[error("the server's authorization metadata could not be read")]
    Metadata,
    /// The metadata is of another resource.
    #[error("the server's metadata names another resource")]
    Resource,
    /// An endpoint in the metadata is no URL to send anybody or anything to.
    #[error("the authorization server's {0} is not an acceptable URL")]
    Endpoint(&'static str),
    /// The authorization server does not advertise PKCE with S256.
    #[error("the authorization server does not support PKCE with S256")]
    Pkce,
    /// Metadata, client or answer belong to another issuer than expected.
    #[error("the issuer is not the one expected")]
    Issuer,
    /// The authorization server did not register the client.
    #[error("the authorization server did not register the client")]
    Registration,
    /// The callback is not one of a sign-in under way: unknown, used, too late, or to another address.
    #[error("the callback belongs to no sign-in under way")]
    Callback,
    /// The authorization server or the person refused.
    #[error("the authorization was refused")]
    Refused,
    /// The authorization server gave no token that can be used.
    #[error("the authorization server gave no usable token")]
    Token,
    /// A person has to sign in, and nobody is there to do so.
    #[error("a person has to sign in")]
    SignIn,
    /// People were asked to sign in too often.
    #[error("too many sign-ins in a short time")]
    TooMany,
    /// It took too long.
    #[error("the sign-in took too long")]
    Deadline,
    /// The person's browser did not come back.
    #[error("the browser gave no answer")]
    Browser,
    /// The credentials could not be loaded or saved.
    #[error("the credential store failed: {0}")]
    Store(#[from] StoreError),
}

impl Error {
    /// What a failed discovery means.
    pub(super) fn of_discovery(error: &AuthError) -> Self {
        match error {
            AuthError::AuthorizationServerMismatch { .. }
            | AuthError::AuthorizationServerMissingIssuer { .. } => Self::Issuer,
            AuthError::MetadataError(text) if text.contains("resource mismatch") => Self::Resource,
            AuthError::PkceUnsupported => Self::Pkce,
            _ => Self::Metadata,
        }
    }

    /// What a failed token request means.
    pub(super) fn of_token(error: &AuthError) -> Self {
        match error {
            AuthError::AuthorizationServerMismatch { .. }
            | AuthError::AuthorizationServerMissingIssuer { .. } => Self::Issuer,
            _ => Self::Token,
        }
    }
}
