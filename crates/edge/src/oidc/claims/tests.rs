//! Tables of claims and what becomes of them.

use serde_json::{Value, json};

use super::{Claims, LEEWAY_SECONDS};
use crate::oidc::{Options, Rejected};

const NOW: u64 = 1_000_000;

fn base() -> Value {
    json!({ "iss": "https://issuer.example", "aud": "us", "exp": NOW + 300, "sub": "s-1", "email": "a@b.example" })
}

/// The base with `changes` laid over it; null removes.
fn checked_with(changes: &Value, account_claim: &str) -> Result<Claims, Rejected> {
    let options = Options::checked("https://issuer.example", Some("us"), Some(account_claim)).unwrap();
    let mut payload = base().as_object().unwrap().clone();
    for (name, value) in changes.as_object().unwrap() {
        payload.remove(name);
        if !value.is_null() {
            payload.insert(name.clone(), value.clone());
        }
    }
    Claims::checked(&payload, &options, NOW)
}

fn checked(changes: &Value) -> Result<(), Rejected> {
    checked_with(changes, "sub").map(drop)
}

#[test]
fn issuer_and_audience_must_be_present_and_ours() {
    for (changes, expected) in [
        (json!({}), Ok(())),
        (json!({ "iss": null }), Err(Rejected::IssuerMissing)),
        (json!({ "iss": "https://issuer.example/" }), Err(Rejected::IssuerMismatch)),
        (json!({ "iss": "https://ISSUER.example" }), Err(Rejected::IssuerMismatch)),
        (json!({ "iss": "" }), Err(Rejected::IssuerMismatch)),
        (json!({ "iss": ["https://issuer.example"] }), Err(Rejected::ClaimKind("iss"))),
        (json!({ "aud": null }), Err(Rejected::AudienceMissing)),
        (json!({ "aud": "them" }), Err(Rejected::AudienceMismatch)),
        (json!({ "aud": "us " }), Err(Rejected::AudienceMismatch)),
        (json!({ "aud": "US" }), Err(Rejected::AudienceMismatch)),
        (json!({ "aud": "" }), Err(Rejected::AudienceMismatch)),
        (json!({ "aud": [] }), Err(Rejected::AudienceMismatch)),
        (json!({ "aud": ["them", "others"] }), Err(Rejected::AudienceMismatch)),
        (json!({ "aud": ["them", "us"] }), Ok(())),
        (json!({ "aud": ["us", 7] }), Err(Rejected::ClaimKind("aud"))),
        (json!({ "aud": [["us"]] }), Err(Rejected::ClaimKind("aud"))),
        (json!({ "aud": { "us": true } }), Err(Rejected::ClaimKind("aud"))),
    ] {
        assert_eq!(checked(&changes), expected, "{changes}");
    }
}

#[test]
fn times_hold_to_the_second_with_a_minute_of_leeway() {
    assert_eq!(LEEWAY_SECONDS, 60);
    for (changes, expected) in [
        (json!({ "exp": null }), Err(Rejected::ExpiryMissing)),
        (json!({ "exp": NOW - 59 }), Ok(())),
        (json!({ "exp": NOW - 60 }), Err(Rejected::Expired)),
        (json!({ "exp": 0 }), Err(Rejected::Expired)),
        (json!({ "exp": u64::MAX }), Ok(())),
        (json!({ "exp": 1e300 }), Ok(())),
        (json!({ "exp": 1_000_299.9 }), Ok(())),
        (json!({ "exp": 999_940.9 }), Err(Rejected::Expired)),
        (json!({ "exp": -1 }), Err(Rejected::ClaimKind("exp"))),
        (json!({ "exp": -0.5 }), Err(Rejected::ClaimKind("exp"))),
        (json!({ "exp": (NOW + 300).to_string() }), Err(Rejected::ClaimKind("exp"))),
        (json!({ "exp": true }), Err(Rejected::ClaimKind("exp"))),
        (json!({ "nbf": NOW + 60 }), Ok(())),
        (json!({ "nbf": NOW + 61 }), Err(Rejected::NotYetValid)),
        (json!({ "nbf": u64::MAX }), Err(Rejected::NotYetValid)),
        (json!({ "nbf": "0" }), Err(Rejected::ClaimKind("nbf"))),
        (json!({ "iat": NOW + 60 }), Ok(())),
        (json!({ "iat": NOW + 61 }), Err(Rejected::IssuedInFuture)),
        (json!({ "iat": "now" }), Err(Rejected::ClaimKind("iat"))),
    ] {
        assert_eq!(checked(&changes), expected, "{changes}");
    }
}

#[test]
fn the_account_is_a_string_in_the_claim_that_was_chosen() {
    let claims = checked_with(&json!({}), "email").unwrap();
    let expected =
        Claims { subject: "s-1".to_owned(), account: "a@b.example".to_owned(), expires_at: NOW + 300 };
    assert_eq!(claims, expected);
    assert_eq!(checked_with(&json!({}), "sub").unwrap().account, "s-1");
    for (changes, expected) in [
        (json!({ "email": null }), Rejected::AccountMissing),
        (json!({ "email": "" }), Rejected::AccountMissing),
        (json!({ "email": 7 }), Rejected::ClaimKind("account claim")),
        (json!({ "email": ["a@b.example"] }), Rejected::ClaimKind("account claim")),
        (json!({ "sub": null }), Rejected::SubjectMissing),
        (json!({ "sub": "" }), Rejected::SubjectMissing),
        (json!({ "sub": 7 }), Rejected::ClaimKind("sub")),
    ] {
        assert_eq!(checked_with(&changes, "email"), Err(expected), "{changes}");
    }
}

#[test]
fn a_claim_that_is_null_is_no_claim_of_its_kind() {
    let options = Options::checked("https://issuer.example", Some("us"), None).unwrap();
    for name in ["iss", "aud", "exp", "nbf", "iat", "sub"] {
        let mut payload = base().as_object().unwrap().clone();
        payload.insert(name.to_owned(), Value::Null);
        assert_eq!(Claims::checked(&payload, &options, NOW), Err(Rejected::ClaimKind(name)), "{name}");
    }
}
