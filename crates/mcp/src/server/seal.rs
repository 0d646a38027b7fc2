//! The state modern clients carry between the rounds of a call: sealed, so that nobody else can use or change it.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};

const NONCE: usize = 24;

/// What finds a parked call again.
pub(super) type Handle = [u8; 16];

/// Seals handles with a key that lives as long as the process.
pub(super) struct Seal {
    cipher: XChaCha20Poly1305,
}

impl std::fmt::Debug for Seal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Seal")
    }
}

/// What a sealed state is bound to: it opens for the same caller with the same call only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding<'a> {
    pub(super) caller: &'a str,
    pub(super) digest: &'a [u8; 32],
}

impl Binding<'_> {
    fn bytes(&self) -> Vec<u8> {
        [&self.digest[..], self.caller.as_bytes()].concat()
    }
}

/// Random bytes of the system.
pub(super) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    bytes
}

impl Seal {
    pub(super) fn new() -> Self {
        Self { cipher: XChaCha20Poly1305::new(&Key::from(random::<32>())) }
    }

    /// Seals a handle that is good until `expires`, a time since the server began.
    pub(super) fn close(&self, handle: &Handle, expires: Duration, binding: Binding<'_>) -> String {
        let nonce = random::<NONCE>();
        let expires = u64::try_from(expires.as_millis()).unwrap_or(u64::MAX);
        let text = [&handle[..], &expires.to_be_bytes()].concat();
        let payload = Payload { msg: &text, aad: &binding.bytes() };
        let sealed =
            self.cipher.encrypt(&XNonce::from(nonce), payload).expect("24 bytes are not too many to seal");
        URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat())
    }

    /// The handle, when the state is whole, bound to this call of this caller, and in time.
    pub(super) fn open(&self, state: &str, now: Duration, binding: Binding<'_>) -> Option<Handle> {
        let bytes = URL_SAFE_NO_PAD.decode(state).ok()?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE>()?;
        let payload = Payload { msg: sealed, aad: &binding.bytes() };
        let text = self.cipher.decrypt(&XNonce::from(*nonce), payload).ok()?;
        let (handle, expires) = text.split_first_chunk::<16>()?;
        let expires = u64::from_be_bytes(expires.try_into().ok()?);
        (now.as_millis() <= u128::from(expires)).then_some(*handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_opens_for_the_same_call_of_the_same_caller_in_time() {
        let seal = Seal::new();
        let binding = Binding { caller: "ann", digest: &[1; 32] };
        let late = Duration::from_secs(10);
        let state = seal.close(&[7; 16], late, binding);
        assert_eq!(seal.open(&state, late, binding), Some([7; 16]));
        assert_eq!(seal.open(&state, late + Duration::from_millis(1), binding), None);
        assert_eq!(seal.open(&state, late, Binding { caller: "bob", ..binding }), None);
        assert_eq!(seal.open(&state, late, Binding { digest: &[2; 32], ..binding }), None);
        assert_eq!(Seal::new().open(&state, late, binding), None);
        assert_eq!(seal.open(&format!("{state}-TAMPERED"), late, binding), None);
        for at in 0..state.len() {
            let mut bytes = state.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(seal.open(std::str::from_utf8(&bytes).unwrap(), late, binding), None, "byte {at}");
        }
    }
}
