//! Secret text: held in memory that is wiped, printed as nothing.

use std::fmt;

/// A secret's value. Neither `Debug` nor serialisation shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(zeroize::Zeroizing<String>);

impl SecretText {
    /// Wraps a value.
    pub fn new(value: String) -> Self {
        Self(zeroize::Zeroizing::new(value))
    }

    /// The value itself; call only where it leaves towards its process or seal.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(…)")
    }
}

/// What a write says about one secret of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretWrite {
    /// No value was written: whatever is stored stays.
    Keep,
    /// This value, sealed, unless it is the stored one already.
    Set(SecretText),
    /// An empty value was written: the stored one goes.
    Clear,
}
