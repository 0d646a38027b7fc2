//! Why a message is refused.

use crate::fault::{Fault, code};
use crate::json;

/// A message that is refused, with the error to answer it with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub Reason);

/// What is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// It is no JSON, or more of it than allowed.
    #[error("{0}")]
    Json(#[from] json::Error),
    /// A key comes twice.
    #[error("a key is repeated")]
    Repeated,
    /// A key of the envelope, or one that is decided on, is written so that readers could disagree about it.
    #[error("`{0}` is not written as itself")]
    Disguised(&'static str),
    /// `jsonrpc` is not "2.0".
    #[error("`jsonrpc` must be \"2.0\"")]
    Version,
    /// The id is neither a string nor a whole number.
    #[error("`id` must be a string or a whole number")]
    Id,
    /// The method is no string.
    #[error("`method` must be a string")]
    Method,
    /// The parameters are no object.
    #[error("`params` must be an object")]
    Params,
    /// The result is no object.
    #[error("`result` must be an object")]
    Result,
    /// The error has no code and message.
    #[error("`error` must have a whole `code` and a `message`")]
    Error,
    /// Neither request, notification nor answer.
    #[error("neither a request nor a notification nor an answer")]
    Unclear,
    /// An array of messages without any.
    #[error("an empty batch")]
    EmptyBatch,
    /// An array of too many messages.
    #[error("a batch of more than {max} messages", max = super::MAX_BATCH)]
    LargeBatch,
}

impl Malformed {
    /// The error to answer with.
    pub fn fault(&self) -> Fault {
        let code = match self.0 {
            Reason::Json(_) => code::PARSE,
            Reason::Params => code::INVALID_PARAMS,
            _ => code::INVALID_REQUEST,
        };
        Fault::new(code, self.0.to_string())
    }
}

impl<T: Into<Reason>> From<T> for Malformed {
    fn from(reason: T) -> Self {
        Self(reason.into())
    }
}
