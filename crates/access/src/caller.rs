//! Who asks, and how they proved it.

use model::Account;

/// How a caller proved who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// The kernel vouched for the user at the other end of the Unix socket.
    Socket,
    /// A bearer token.
    Token,
}

impl Via {
    /// The word for audit rows.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Socket => "socket",
            Self::Token => "token",
        }
    }
}

/// An authenticated caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The account they act as.
    pub account: Account,
    /// Whether they operate the platform.
    pub operator: bool,
    /// How they proved it.
    pub via: Via,
}
