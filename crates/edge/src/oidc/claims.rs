//! What a token whose signature holds must say to be accepted now.
//!
//! Issuer, audience and expiry are never optional.

use serde_json::{Map, Value};

use super::{Options, Rejected};

/// How far the issuer's clock and ours may differ.
pub const LEEWAY_SECONDS: u64 = 60;

/// Who an accepted token names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// The issuer's name for the person or program.
    pub subject: String,
    /// The value of the claim that names the account.
    pub account: String,
    /// When the token ends, in seconds since 1970, without leeway.
    pub expires_at: u64,
}

impl Claims {
    /// The claims in `payload`, if they are for us and hold at `now`.
    pub(super) fn checked(
        payload: &Map<String, Value>,
        options: &Options,
        now: u64,
    ) -> Result<Self, Rejected> {
        match payload.get("iss") {
            None => return Err(Rejected::IssuerMissing),
            Some(Value::String(issuer)) if *issuer == options.identifier => {}
            Some(Value::String(_)) => return Err(Rejected::IssuerMismatch),
            Some(_) => return Err(Rejected::ClaimKind("iss")),
        }
        check_audience(payload.get("aud"), &options.audience)?;
        let expires_at = moment(payload, "exp")?.ok_or(Rejected::ExpiryMissing)?;
        if now >= expires_at.saturating_add(LEEWAY_SECONDS) {
            return Err(Rejected::Expired);
        }
        let latest = now.saturating_add(LEEWAY_SECONDS);
        if moment(payload, "nbf")?.is_some_and(|start| start > latest) {
            return Err(Rejected::NotYetValid);
        }
        if moment(payload, "iat")?.is_some_and(|issued| issued > latest) {
            return Err(Rejected::IssuedInFuture);
        }
        let subject = text(payload.get("sub"), "sub")?.ok_or(Rejected::SubjectMissing)?;
        let account =
            text(payload.get(&options.account_claim), "account claim")?.ok_or(Rejected::AccountMissing)?;
        Ok(Self { subject, account, expires_at })
    }
}

fn check_audience(claimed: Option<&Value>, ours: &str) -> Result<(), Rejected> {
    let named = match claimed {
        None => return Err(Rejected::AudienceMissing),
        Some(Value::String(one)) => one == ours,
        Some(Value::Array(list)) => {
            if !list.iter().all(Value::is_string) {
                return Err(Rejected::ClaimKind("aud"));
            }
            list.iter().any(|one| one.as_str() == Some(ours))
        }
        Some(_) => return Err(Rejected::ClaimKind("aud")),
    };
    if named { Ok(()) } else { Err(Rejected::AudienceMismatch) }
}

/// A moment in whole seconds; the standard allows fractions.
fn moment(payload: &Map<String, Value>, name: &'static str) -> Result<Option<u64>, Rejected> {
    let Some(value) = payload.get(name) else { return Ok(None) };
    if let Some(seconds) = value.as_u64() {
        return Ok(Some(seconds));
    }
    match value.as_f64() {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the sign is checked, and a moment beyond u64 is the last one there is"
        )]
        Some(seconds) if seconds >= 0.0 => Ok(Some(seconds as u64)),
        _ => Err(Rejected::ClaimKind(name)),
    }
}

fn text(value: Option<&Value>, name: &'static str) -> Result<Option<String>, Rejected> {
    match value {
        None => Ok(None),
        Some(Value::String(text)) if text.is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(Rejected::ClaimKind(name)),
    }
}

#[cfg(test)]
mod tests;
