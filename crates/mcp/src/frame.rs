//! One JSON-RPC message: its raw bytes, and where the parts lie that decisions read. Bytes are never changed in place.

mod malformed;
mod part;
mod read;

use std::borrow::Cow;

use bytes::Bytes;

use crate::json::{Object, Span, View, splice};

use part::{Part, Parts};

pub use malformed::{Malformed, Reason};
pub use read::{Incoming, MAX_BATCH, Reader, Side};

/// What sort of message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Has an id and wants an answer.
    Request,
    /// Has no id and gets no answer.
    Notification,
    /// A result.
    Answer,
    /// An error.
    Failure,
}

/// A message that passed the scanner.
#[derive(Clone, Debug)]
pub struct Frame {
    bytes: Bytes,
    kind: Kind,
    parts: Parts,
    repeated: u32,
}

impl Frame {
    /// What sort of message it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The whole message as it came.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    fn view(&self, part: Part) -> Option<View<'_>> {
        self.parts.get(part).map(|span| View::new(span.of(&self.bytes)))
    }

    /// The bytes of a part, sharing the message's memory.
    fn share(&self, part: Part) -> Option<Bytes> {
        self.parts.get(part).map(|span| self.bytes.slice(span.range()))
    }

    /// The id as it was written, quotes and all; `null` in errors about messages nobody could read.
    pub fn id(&self) -> Option<&[u8]> {
        self.parts.get(Part::Id).map(|span| span.of(&self.bytes))
    }

    /// The id, sharing the message's memory.
    pub fn shared_id(&self) -> Option<Bytes> {
        self.share(Part::Id)
    }

    /// The method of a request or notification; empty for answers.
    pub fn method(&self) -> Cow<'_, str> {
        self.view(Part::Method).and_then(View::text).unwrap_or_default()
    }

    /// The parameters, an object.
    pub fn params(&self) -> Option<View<'_>> {
        self.view(Part::Params)
    }

    /// The parameters, sharing the message's memory.
    pub fn shared_params(&self) -> Option<Bytes> {
        self.share(Part::Params)
    }

    /// One of the parameters.
    pub fn param(&self, key: &str) -> Option<View<'_>> {
        match key {
            "name" => self.view(Part::Name),
            "uri" => self.view(Part::Uri),
            "_meta" => self.meta(),
            "arguments" => self.arguments(),
            _ => self.params()?.get(key),
        }
    }

    /// `params.name`, when it is a string.
    pub fn name(&self) -> Option<Cow<'_, str>> {
        self.view(Part::Name)?.text()
    }

    /// `params.uri`, when it is a string.
    pub fn uri(&self) -> Option<Cow<'_, str>> {
        self.view(Part::Uri)?.text()
    }

    /// `params._meta`.
    pub fn meta(&self) -> Option<View<'_>> {
        self.view(Part::Meta)
    }

    /// `params.arguments`.
    pub fn arguments(&self) -> Option<View<'_>> {
        self.view(Part::Arguments)
    }

    /// The result of an answer, an object.
    pub fn result(&self) -> Option<View<'_>> {
        self.view(Part::Result)
    }

    /// The result, sharing the message's memory.
    pub fn shared_result(&self) -> Option<Bytes> {
        self.share(Part::Result)
    }

    /// `result.resultType`.
    pub fn result_type(&self) -> Option<View<'_>> {
        self.view(Part::ResultType)
    }

    /// The error of a failure, an object with `code` and `message`.
    pub fn error(&self) -> Option<View<'_>> {
        self.view(Part::Error)
    }

    /// How many keys are repeated below the envelope.
    pub fn repeated(&self) -> u32 {
        self.repeated
    }

    /// The message with another id, everything else byte for byte.
    pub fn with_id(&self, id: &[u8]) -> Bytes {
        match self.parts.get(Part::Id) {
            Some(span) => splice(&self.bytes, &[(span, id)]),
            None => self.bytes.clone(),
        }
    }

    /// The message with another id and another `params.name`.
    pub fn with_id_and_name(&self, id: &[u8], name: &[u8]) -> Bytes {
        let mut edits: Vec<(Span, &[u8])> = Vec::with_capacity(2);
        edits.extend(self.parts.get(Part::Id).map(|span| (span, id)));
        edits.extend(self.parts.get(Part::Name).map(|span| (span, name)));
        edits.sort_by_key(|(span, _)| *span);
        splice(&self.bytes, &edits)
    }
}

/// Writes a request; the id and the parameters are JSON already.
pub fn request(id: &[u8], method: &str, params: Option<&[u8]>) -> Bytes {
    let object = envelope(params).raw("id", id).with("method", method);
    with_params(object, params)
}

/// Writes a notification; the parameters are JSON already.
pub fn notification(method: &str, params: Option<&[u8]>) -> Bytes {
    with_params(envelope(params).with("method", method), params)
}

/// Writes an answer with a result, which is JSON already. Exactly as long as it must be: answers are the most there is.
pub fn answer(id: &[u8], result: &[u8]) -> Bytes {
    let pieces: [&[u8]; 5] = [br#"{"jsonrpc":"2.0","id":"#, id, br#","result":"#, result, b"}"];
    Bytes::from(pieces.concat())
}

/// Writes an answer with an error object, which is JSON already; without an id when none could be read.
pub fn failure(id: Option<&[u8]>, error: &[u8]) -> Bytes {
    let object = envelope(Some(error));
    match id {
        Some(id) => object.raw("id", id),
        None => object,
    }
    .raw("error", error)
    .finish()
}

fn envelope(content: Option<&[u8]>) -> Object {
    Object::with_capacity(content.map_or(0, <[u8]>::len) + 96).with("jsonrpc", "2.0")
}

fn with_params(object: Object, params: Option<&[u8]>) -> Bytes {
    match params {
        Some(params) => object.raw("params", params).finish(),
        None => object.finish(),
    }
}

#[cfg(test)]
mod tests;
