//! From bytes to messages, in the scanner's one pass.

use std::borrow::Cow;

use bytes::Bytes;

use super::part::{Part, Parts, Place};
use super::{Frame, Kind, Malformed, Reason};
use crate::json::{self, Limits, Member, Pass, Scanner, Shape, Span, View};

/// How many messages one array may hold.
pub const MAX_BATCH: usize = 100;

/// Who sent the message; clients are held to more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// No repeated key anywhere, and the small limits.
    Client,
    /// No repeated key in the envelope; further down they are counted.
    Server,
}

/// What one text holds.
#[derive(Clone, Debug)]
pub enum Incoming {
    /// One message.
    One(Frame),
    /// An array of messages.
    Batch(Vec<Frame>),
}

/// Reads messages of one side; keeps the scanner's memory between them.
#[derive(Debug)]
pub struct Reader {
    side: Side,
    scanner: Scanner,
}

impl Reader {
    /// A reader of what this side sends.
    pub fn new(side: Side) -> Self {
        Self { side, scanner: Scanner::new() }
    }

    /// Reads a text that must be one message.
    pub fn one(&mut self, bytes: &Bytes) -> Result<Frame, Malformed> {
        match self.read(bytes)? {
            Incoming::One(frame) => Ok(frame),
            Incoming::Batch(_) => Err(Reason::Unclear.into()),
        }
    }

    /// Reads a text: one message, or an array of them.
    pub fn read(&mut self, bytes: &Bytes) -> Result<Incoming, Malformed> {
        let limits = match self.side {
            Side::Client => Limits::CLIENT,
            Side::Server => Limits::SERVER,
        };
        let mut pass = self.scanner.begin(bytes, limits)?;
        pass.space();
        if pass.peek() == Some(b'[') { self.batch(bytes, limits) } else { self.single(bytes, limits) }
    }

    fn single(&mut self, bytes: &Bytes, limits: Limits) -> Result<Incoming, Malformed> {
        let mut pass = self.scanner.begin(bytes, limits)?;
        pass.space();
        let envelope = Envelope::walk(&mut pass)?;
        pass.end()?;
        let whole = Span { start: 0, end: pass.position() };
        Ok(Incoming::One(envelope.frame(bytes, whole, self.side)?))
    }

    fn batch(&mut self, bytes: &Bytes, limits: Limits) -> Result<Incoming, Malformed> {
        let mut pass = self.scanner.begin(bytes, limits)?;
        pass.space();
        let mut found: Vec<(Envelope, Span)> = Vec::new();
        let mut large = false;
        pass.array(|pass| {
            large |= found.len() == MAX_BATCH;
            if large {
                return pass.fail(json::Fault::Elements);
            }
            let start = pass.position();
            let envelope = Envelope::walk(pass)?;
            found.push((envelope, Span { start, end: pass.position() }));
            Ok(())
        })
        .map_err(|error| if large { Reason::LargeBatch } else { Reason::Json(error) })?;
        pass.end()?;
        if found.is_empty() {
            return Err(Reason::EmptyBatch.into());
        }
        let frames = found.into_iter().map(|(envelope, span)| envelope.frame(bytes, span, self.side));
        Ok(Incoming::Batch(frames.collect::<Result<_, _>>()?))
    }
}

/// What the walk over one message noted.
#[derive(Debug, Default)]
struct Envelope {
    parts: Parts,
    disguised: Option<&'static str>,
    repeated_here: bool,
    repeated: u32,
}

impl Envelope {
    fn walk(pass: &mut Pass<'_>) -> Result<Self, json::Error> {
        let mut envelope = Self::default();
        let before = pass.repeated;
        if pass.peek() != Some(b'{') {
            pass.value()?;
            return Ok(envelope);
        }
        pass.object(|pass, member| {
            envelope.repeated_here |= member.repeated;
            let part = envelope.know(Place::Envelope, member);
            let is_object = pass.peek() == Some(b'{');
            let span = match part {
                Some(Part::Params) if is_object => envelope.inside(pass, Place::Params)?,
                Some(Part::Result) if is_object => envelope.inside(pass, Place::Result)?,
                _ => pass.spanned()?,
            };
            if let Some(part) = part {
                envelope.parts.set(part, span);
            }
            Ok(())
        })?;
        envelope.repeated = pass.repeated - before;
        Ok(envelope)
    }

    /// Walks over the parameters or the result, noting the parts that are decided on.
    fn inside(&mut self, pass: &mut Pass<'_>, place: Place) -> Result<Span, json::Error> {
        let start = pass.position();
        pass.object(|pass, member| {
            let part = self.know(place, member);
            self.repeated_here |= member.repeated && part.is_some();
            let span = pass.spanned()?;
            if let Some(part) = part {
                self.parts.set(part, span);
            }
            Ok(())
        })?;
        Ok(Span { start, end: pass.position() })
    }

    /// Which part a key names; notes a key that only some readers would take for one.
    fn know(&mut self, place: Place, member: Member<'_>) -> Option<Part> {
        let part = place.part(member.key);
        if part.is_none() {
            let meant = if member.escaped { json::unescaped(member.key) } else { Cow::Borrowed(member.key) };
            self.disguised = self.disguised.or_else(|| place.alike(member.key, &meant));
        }
        part
    }

    fn frame(self, bytes: &Bytes, whole: Span, side: Side) -> Result<Frame, Malformed> {
        if self.repeated_here || (side == Side::Client && self.repeated > 0) {
            return Err(Reason::Repeated.into());
        }
        if let Some(name) = self.disguised {
            return Err(Reason::Disguised(name).into());
        }
        let view = |part: Part| self.parts.get(part).map(|span| View::new(span.of(bytes)));
        if view(Part::Jsonrpc).is_none_or(|version| version.bytes() != b"\"2.0\"") {
            return Err(Reason::Version.into());
        }
        let kind = kind(&view)?;
        let parts = self.parts.since(whole.start);
        Ok(Frame { bytes: bytes.slice(whole.range()), kind, parts, repeated: self.repeated })
    }
}

fn kind<'a>(view: &impl Fn(Part) -> Option<View<'a>>) -> Result<Kind, Malformed> {
    let id = view(Part::Id);
    let is_null = id.is_some_and(|id| id.shape() == Shape::Null);
    if id.is_some_and(|id| !is_null && !is_id(id)) {
        return Err(Reason::Id.into());
    }
    let has = |part: Part| view(part).is_some();
    let kind = match (has(Part::Method), has(Part::Result), has(Part::Error)) {
        (true, false, false) if id.is_none() => Kind::Notification,
        (true, false, false) => Kind::Request,
        (false, true, false) if id.is_some() => Kind::Answer,
        (false, false, true) => Kind::Failure,
        _ => return Err(Reason::Unclear.into()),
    };
    if is_null && kind != Kind::Failure {
        return Err(Reason::Id.into());
    }
    let is_object = |part: Part| view(part).is_none_or(|value| value.shape() == Shape::Object);
    if view(Part::Method).is_some_and(|method| method.text().is_none()) {
        return Err(Reason::Method.into());
    }
    if !is_object(Part::Params) {
        return Err(Reason::Params.into());
    }
    if !is_object(Part::Result) {
        return Err(Reason::Result.into());
    }
    if view(Part::Error).is_some_and(|error| !is_error(error)) {
        return Err(Reason::Error.into());
    }
    Ok(kind)
}

fn is_id(id: View<'_>) -> bool {
    match id.shape() {
        Shape::String => true,
        Shape::Number => id.bytes().iter().all(|byte| byte.is_ascii_digit() || *byte == b'-'),
        _ => false,
    }
}

fn is_error(error: View<'_>) -> bool {
    let whole = error.get("code").and_then(View::integer).is_some();
    whole && error.get("message").is_some_and(|message| message.shape() == Shape::String)
}
