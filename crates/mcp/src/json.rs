//! JSON as it travels: one strict pass over the bytes, then views and splices; a text is never parsed by two minds.

mod canonical;
mod keys;
mod scan;
mod string;
mod view;
mod write;

pub use canonical::digest;
pub use scan::{Scanner, Span};
pub use view::{Members, Shape, View};
pub use write::{Object, quoted, splice, without, write_quoted};

pub(crate) use scan::{Member, Pass};
pub(crate) use string::unescape as unescaped;

/// How much a text may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How deep arrays and objects may nest.
    pub depth: u32,
    /// How many values a text may hold, at every depth together.
    pub elements: u32,
}

impl Limits {
    /// What a client may send.
    pub const CLIENT: Self = Self { depth: 64, elements: 100_000 };
    /// What a server may send: lists of ten thousand tools are real.
    pub const SERVER: Self = Self { depth: 64, elements: 2_000_000 };
}

/// Why a text is refused, and at which byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault} at byte {at}")]
pub struct Error {
    /// What is wrong.
    pub fault: Fault,
    /// The byte it was noticed at.
    pub at: usize,
}

/// What can be wrong with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The text is not JSON.
    #[error("not valid JSON")]
    Grammar,
    /// The text ends too early.
    #[error("the text ends early")]
    Truncated,
    /// A string is not UTF-8.
    #[error("not valid UTF-8")]
    Utf8,
    /// Deeper than allowed.
    #[error("nested too deeply")]
    Depth,
    /// More values than allowed.
    #[error("too many elements")]
    Elements,
    /// The text is longer than ranges can say.
    #[error("the text is too long")]
    Length,
    /// Something follows the value.
    #[error("something follows the value")]
    Trailing,
}
