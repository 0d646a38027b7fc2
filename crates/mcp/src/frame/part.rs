//! The parts of a message that decisions read, and where they lie.

use crate::json::Span;

/// A part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    Name,
    Uri,
    Meta,
    Arguments,
    ResultType,
}

/// Which object of a message a key stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Envelope,
    Params,
    Result,
}

const ENVELOPE: [(&str, Part); 6] = [
    ("jsonrpc", Part::Jsonrpc),
    ("id", Part::Id),
    ("method", Part::Method),
    ("params", Part::Params),
    ("result", Part::Result),
    ("error", Part::Error),
];
const PARAMS: [(&str, Part); 4] =
    [("name", Part::Name), ("uri", Part::Uri), ("_meta", Part::Meta), ("arguments", Part::Arguments)];
const RESULT: [(&str, Part); 1] = [("resultType", Part::ResultType)];

/// Further parameters that something decides on.
const GUARDED: [&str; 9] = [
    "taskId",
    "requestState",
    "inputResponses",
    "requestId",
    "progressToken",
    "cursor",
    "level",
    "protocolVersion",
    "notifications",
];

impl Place {
    /// The keys that name a part here.
    pub(super) fn names(self) -> &'static [(&'static str, Part)] {
        match self {
            Self::Envelope => &ENVELOPE,
            Self::Params => &PARAMS,
            Self::Result => &RESULT,
        }
    }

    /// The part a key names, exactly as written.
    pub(super) fn part(self, key: &[u8]) -> Option<Part> {
        self.names().iter().find(|(name, _)| name.as_bytes() == key).map(|(_, part)| *part)
    }

    /// The name that some readers would take a key for, though it is not written as that name.
    pub(super) fn alike(self, written: &[u8], meant: &[u8]) -> Option<&'static str> {
        let guarded: &[&str] = if self == Self::Params { &GUARDED } else { &[] };
        let mut names = self.names().iter().map(|(name, _)| *name).chain(guarded.iter().copied());
        names.find(|name| name.as_bytes() != written && folds_to(meant, name.as_bytes()))
    }
}

/// Whether a reader that does not look at case takes the key for the name. Two letters beyond ASCII fold into it: the
/// long s and the sign for kelvin.
fn folds_to(key: &[u8], name: &[u8]) -> bool {
    let mut rest = key;
    for letter in name {
        let (read, folded) = match rest {
            [0xc5, 0xbf, ..] => (2, b's'),
            [0xe2, 0x84, 0xaa, ..] => (3, b'k'),
            [byte, ..] => (1, byte.to_ascii_lowercase()),
            [] => return false,
        };
        if folded != letter.to_ascii_lowercase() {
            return false;
        }
        rest = &rest[read..];
    }
    rest.is_empty()
}

/// Where each part lies; no part is empty, so an empty range stands for a part that is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts([Span; 11]);

impl Parts {
    pub(super) fn get(&self, part: Part) -> Option<Span> {
        let span = self.0[part as usize];
        (span.end > span.start).then_some(span)
    }

    pub(super) fn set(&mut self, part: Part, span: Span) {
        self.0[part as usize] = span;
    }

    /// The same parts in a text that begins at `base`.
    pub(super) fn since(self, base: u32) -> Self {
        Self(self.0.map(|span| if span.end > span.start { span.since(base) } else { span }))
    }
}
