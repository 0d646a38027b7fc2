//! Bearer JWTs against an issuer that answers on loopback, at a time the test chooses.

#[path = "oidc/fetching.rs"]
mod fetching;
#[path = "oidc/issuer.rs"]
mod issuer;
#[path = "oidc/keys.rs"]
mod keys;
#[path = "oidc/signer.rs"]
mod signer;
#[path = "oidc/tokens.rs"]
mod tokens;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use edge::oidc::{Options, Verifier};
use serde_json::{Value, json};

use issuer::Issuer;
use signer::Signer;

const START: u64 = 1_800_000_000;
const AUDIENCE: &str = "outfitter";

/// A clock that stands still until it is moved.
#[derive(Clone)]
struct Time(Arc<AtomicU64>);

impl Time {
    fn new() -> Self {
        Self(Arc::new(AtomicU64::new(START)))
    }

    fn pass(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }

    fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

fn options(issuer: &Issuer) -> Options {
    let mut options = Options::checked(&issuer.url, Some(AUDIENCE), None).unwrap();
    options.extra_roots.clone_from(&issuer.roots);
    options
}

fn verifier(issuer: &Issuer, time: &Time) -> Verifier {
    let time = time.clone();
    Verifier::new(options(issuer), Arc::new(move || time.now()))
}

/// Claims that hold for an hour from `time`.
fn claims(issuer: &Issuer, time: &Time) -> Value {
    json!({ "iss": issuer.url, "aud": AUDIENCE, "sub": "person-1", "exp": time.now() + 3600, "iat": time.now() })
}

fn token(signer: &Signer, issuer: &Issuer, time: &Time) -> String {
    signer.token(&claims(issuer, time))
}

/// The reason code, or `accepted`.
async fn outcome(verifier: &Verifier, token: &str) -> &'static str {
    match verifier.verify(token).await {
        Ok(_) => "accepted",
        Err(rejected) => rejected.code(),
    }
}

/// Waits until `token` has `expected` as its outcome, as it will once a fetch in the background ends.
async fn eventually(verifier: &Verifier, token: &str, expected: &str) {
    for _ in 0..1000 {
        if outcome(verifier, token).await == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("never {expected}");
}
