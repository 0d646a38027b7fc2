//! From bytes to messages, in the scanner's one pass.

use bytes::Bytes;

use super::{Frame, Kind, Malformed, Parts, Reason};
use crate::json::{self, Limits, Pass, Scanner, Shape, Span, View};

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
    jsonrpc: Option<Span>,
    disguised: Option<&'static str>,
    repeated_here: bool,
    repeated: u32,
}

const ENVELOPE: &[&str] = &["jsonrpc", "id", "method", "params", "result", "error"];
const PARAMS: &[&str] = &["name", "uri", "_meta", "arguments"];
const RESULT: &[&str] = &["resultType"];

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
            let known = envelope.know(member.key, member.escaped, ENVELOPE);
            let span = match known {
                Some("params") if pass.peek() == Some(b'{') => envelope.inside(pass, PARAMS)?,
                Some("result") if pass.peek() == Some(b'{') => envelope.inside(pass, RESULT)?,
                _ => pass.spanned()?,
            };
            envelope.note(known, span);
            Ok(())
        })?;
        envelope.repeated = pass.repeated - before;
        Ok(envelope)
    }

    /// Walks over the parameters or the result, noting the members that are decided on.
    fn inside(&mut self, pass: &mut Pass<'_>, names: &'static [&'static str]) -> Result<Span, json::Error> {
        let start = pass.position();
        pass.object(|pass, member| {
            let known = self.know(member.key, member.escaped, names);
            self.repeated_here |= member.repeated && known.is_some();
            let span = pass.spanned()?;
            self.note(known, span);
            Ok(())
        })?;
        Ok(Span { start, end: pass.position() })
    }

    /// Which of the names the key is; notes a key that only some readers would take for one of them.
    fn know(&mut self, key: &[u8], escaped: bool, names: &'static [&'static str]) -> Option<&'static str> {
        if escaped {
            let mut quoted = Vec::with_capacity(key.len() + 2);
            quoted.push(b'"');
            quoted.extend_from_slice(key);
            quoted.push(b'"');
            let meant = View::new(&quoted).text().unwrap_or_default();
            self.disguised =
                self.disguised.or(names.iter().copied().find(|name| meant.eq_ignore_ascii_case(name)));
            return None;
        }
        let name = names.iter().copied().find(|name| key.eq_ignore_ascii_case(name.as_bytes()))?;
        if name.as_bytes() == key {
            return Some(name);
        }
        self.disguised = Some(name);
        None
    }

    fn note(&mut self, known: Option<&'static str>, span: Span) {
        let parts = &mut self.parts;
        let place = match known {
            Some("jsonrpc") => &mut self.jsonrpc,
            Some("id") => &mut parts.id,
            Some("method") => &mut parts.method,
            Some("params") => &mut parts.params,
            Some("result") => &mut parts.result,
            Some("error") => &mut parts.error,
            Some("name") => &mut parts.name,
            Some("uri") => &mut parts.uri,
            Some("_meta") => &mut parts.meta,
            Some("arguments") => &mut parts.arguments,
            Some("resultType") => &mut parts.result_type,
            _ => return,
        };
        *place = Some(span);
    }

    fn frame(self, bytes: &Bytes, whole: Span, side: Side) -> Result<Frame, Malformed> {
        if self.repeated_here || (side == Side::Client && self.repeated > 0) {
            return Err(Reason::Repeated.into());
        }
        if let Some(name) = self.disguised {
            return Err(Reason::Disguised(name).into());
        }
        let view = |span: Option<Span>| span.map(|span| View::new(span.of(bytes)));
        if view(self.jsonrpc).is_none_or(|version| version.bytes() != b"\"2.0\"") {
            return Err(Reason::Version.into());
        }
        let kind = self.kind(&view)?;
        let parts = self.parts.since(whole.start);
        Ok(Frame { bytes: bytes.slice(whole.range()), kind, parts, repeated: self.repeated })
    }

    fn kind<'a>(&self, view: &impl Fn(Option<Span>) -> Option<View<'a>>) -> Result<Kind, Malformed> {
        let parts = &self.parts;
        let id = view(parts.id);
        let is_null = id.is_some_and(|id| id.shape() == Shape::Null);
        if id.is_some_and(|id| !is_null && !is_id(id)) {
            return Err(Reason::Id.into());
        }
        let of_shape = |span, shape| view(span).is_none_or(|value: View<'_>| value.shape() == shape);
        let kind = match (parts.method.is_some(), parts.result.is_some(), parts.error.is_some()) {
            (true, false, false) if id.is_none() => Kind::Notification,
            (true, false, false) => Kind::Request,
            (false, true, false) if id.is_some() => Kind::Answer,
            (false, false, true) => Kind::Failure,
            _ => return Err(Reason::Unclear.into()),
        };
        if is_null && kind != Kind::Failure {
            return Err(Reason::Id.into());
        }
        if view(parts.method).is_some_and(|method| method.text().is_none()) {
            return Err(Reason::Method.into());
        }
        if !of_shape(parts.params, Shape::Object) {
            return Err(Reason::Params.into());
        }
        if !of_shape(parts.result, Shape::Object) {
            return Err(Reason::Result.into());
        }
        if view(parts.error).is_some_and(|error| !is_error(error)) {
            return Err(Reason::Error.into());
        }
        Ok(kind)
    }
}

impl Parts {
    /// The same parts in a text that begins at `base`.
    fn since(self, base: u32) -> Self {
        let shift = |span: Option<Span>| span.map(|span| span.since(base));
        Self {
            id: shift(self.id),
            method: shift(self.method),
            params: shift(self.params),
            name: shift(self.name),
            uri: shift(self.uri),
            meta: shift(self.meta),
            arguments: shift(self.arguments),
            result: shift(self.result),
            result_type: shift(self.result_type),
            error: shift(self.error),
        }
    }
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
