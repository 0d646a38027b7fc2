//! Why a bearer JWT is not accepted.
//!
//! No reason repeats anything of the token, so each may be logged and shown.

/// Why a token is refused, or cannot be decided on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// The text is longer than any token we read.
    #[error("the token is longer than 16 KiB")]
    TooLong,
    /// Not three parts of base64url that hold JSON objects without repeated names.
    #[error("the token is not a well-formed JWT")]
    Malformed,
    /// `alg` is none, symmetric, unknown or not a string.
    #[error("the token's algorithm is not accepted")]
    Algorithm,
    /// `typ` says that this is something else.
    #[error("the token's type is neither `JWT` nor `at+jwt`")]
    Type,
    /// The header brings its own key or says where to get one.
    #[error("the token's header names a key of its own (`jku`, `jwk`, `x5u` or `x5c`)")]
    KeyInHeader,
    /// The header asks for an extension.
    #[error("the token's header needs an extension (`crit` or `b64`)")]
    Critical,
    /// The issuer publishes no such key.
    #[error("the issuer publishes no key that the token names")]
    UnknownKey,
    /// Without `kid`, and more than one key could be meant.
    #[error("the token names no key, and the issuer publishes several")]
    KeyUnnamed,
    /// The issuer's key is for something else, too weak or unreadable.
    #[error("the issuer's key is not for the token's algorithm, or cannot be used")]
    KeyUnfit,
    /// The signature does not hold.
    #[error("the token's signature does not hold")]
    Signature,
    /// No `iss`.
    #[error("the token has no `iss`")]
    IssuerMissing,
    /// Another issuer.
    #[error("the token's `iss` is not the configured issuer")]
    IssuerMismatch,
    /// No `aud`.
    #[error("the token has no `aud`")]
    AudienceMissing,
    /// For somebody else.
    #[error("the token's `aud` does not name this daemon's audience")]
    AudienceMismatch,
    /// No `exp`.
    #[error("the token has no `exp`")]
    ExpiryMissing,
    /// `exp` has passed.
    #[error("the token has expired")]
    Expired,
    /// `nbf` is to come.
    #[error("the token is not valid yet")]
    NotYetValid,
    /// `iat` is to come.
    #[error("the token was issued in the future")]
    IssuedInFuture,
    /// No `sub`, or an empty one.
    #[error("the token has no `sub`")]
    SubjectMissing,
    /// The claim that names the account is absent or empty.
    #[error("the token lacks the claim that names the account")]
    AccountMissing,
    /// A claim we read is of another kind than it must be.
    #[error("the token's `{0}` is of the wrong kind")]
    ClaimKind(&'static str),
    /// The issuer does not answer, and no key we hold fits.
    #[error("the issuer's keys cannot be fetched now")]
    Unavailable,
}

impl Rejected {
    /// A word for logs, metrics and the audit that stays the same across versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLong => "token_too_long",
            Self::Malformed => "token_malformed",
            Self::Algorithm => "algorithm_refused",
            Self::Type => "type_refused",
            Self::KeyInHeader => "key_in_header",
            Self::Critical => "critical_header",
            Self::UnknownKey => "key_unknown",
            Self::KeyUnnamed => "key_unnamed",
            Self::KeyUnfit => "key_unfit",
            Self::Signature => "signature_invalid",
            Self::IssuerMissing => "issuer_missing",
            Self::IssuerMismatch => "issuer_mismatch",
            Self::AudienceMissing => "audience_missing",
            Self::AudienceMismatch => "audience_mismatch",
            Self::ExpiryMissing => "expiry_missing",
            Self::Expired => "expired",
            Self::NotYetValid => "not_yet_valid",
            Self::IssuedInFuture => "issued_in_future",
            Self::SubjectMissing => "subject_missing",
            Self::AccountMissing => "account_missing",
            Self::ClaimKind(_) => "claim_kind",
            Self::Unavailable => "issuer_unavailable",
        }
    }
}
