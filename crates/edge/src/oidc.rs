//! Bearer JWTs of one OIDC issuer: from a token's text to who it names.
//!
//! Nothing in a token chooses where its key comes from: keys are the issuer's own, found by its discovery
//! document, and a claim is believed only after a signature by one of them.

mod claims;
mod discovery;
mod fetch;
mod freshness;
mod json;
mod key;
mod key_set;
mod keys;
mod options;
mod rejected;
mod token;

use std::fmt;
use std::sync::Arc;

pub use claims::{Claims, LEEWAY_SECONDS};
pub use options::{Options, OptionsError};
pub use rejected::Rejected;
pub use token::MAX_TOKEN_BYTES;

use discovery::Source;
use keys::Keys;
use token::Token;

/// Tells the time as seconds since 1970.
pub type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Decides on the issuer's bearer JWTs. Clones share the cached keys.
#[derive(Clone)]
pub struct Verifier {
    shared: Arc<Shared>,
}

struct Shared {
    options: Arc<Options>,
    keys: Keys,
    clock: Clock,
}

impl Verifier {
    /// A verifier without keys yet: the first token fetches them.
    pub fn new(options: Options, clock: Clock) -> Self {
        let options = Arc::new(options);
        let keys = Keys::new(Source::new(Arc::clone(&options)), Arc::clone(&clock));
        Self { shared: Arc::new(Shared { options, keys, clock }) }
    }

    /// Who `token` names, if the issuer signed it for us and it holds now.
    pub async fn verify(&self, token: &str) -> Result<Claims, Rejected> {
        let Shared { options, keys, clock } = &*self.shared;
        let token = Token::parse(token)?;
        let candidates = keys.find(token.key_id(), token.algorithm).await?;
        if !candidates.iter().any(|key| key.signed(&token)) {
            return Err(Rejected::Signature);
        }
        Claims::checked(&token.payload()?, options, clock())
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verifier").field("options", &self.shared.options).finish_non_exhaustive()
    }
}
