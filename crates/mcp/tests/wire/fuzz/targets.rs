//! The readers of the wire as plain functions, each with what it promises for any text.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use mcp::frame::{Frame, Incoming, Kind, Reader, Side};
use mcp::header::{self, Mirror};
use mcp::json::{Limits, Scanner, View, without};
use mcp::line::Lines;
use mcp::sse::Parser;
use serde_json::value::RawValue;
use testkit::fuzz::{Target, Verdict};

/// Where the texts lie.
pub const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz-corpus");

/// All of them.
pub const ALL: [Target; 5] = [
    Target { name: "scan", run: scan },
    Target { name: "frames", run: frames },
    Target { name: "events", run: events },
    Target { name: "headers", run: headers },
    Target { name: "lines", run: lines },
];

fn is_json(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| serde_json::from_str::<&RawValue>(text).is_ok())
}

fn expect(truth: bool, complaint: &str) -> Verdict {
    if truth { Ok(()) } else { Err(complaint.to_owned()) }
}

/// What the reference refuses is refused; what it takes is taken unless it is too deep; views lose nothing.
fn scan(text: &[u8]) -> Verdict {
    let taken = Scanner::new().check(text, Limits::SERVER);
    if taken.is_err() {
        let deep = taken.is_err_and(|error| error.fault == mcp::json::Fault::Depth);
        return expect(deep || !is_json(text), "valid JSON was refused");
    }
    expect(is_json(text), "invalid JSON was taken")?;
    walk(View::new(text))?;
    let rest = without(Bytes::copy_from_slice(text), "a");
    expect(is_json(&rest), "taking a member out broke the text")
}

fn walk(view: View<'_>) -> Verdict {
    expect(is_json(view.bytes()), "a view is no value")?;
    for (_, value) in view.members() {
        walk(value)?;
    }
    view.items().try_for_each(walk)
}

/// One message or an array: what is read can be written with another id and read again, and says the same otherwise.
fn frames(text: &[u8]) -> Verdict {
    let bytes = Bytes::copy_from_slice(text);
    for side in [Side::Client, Side::Server] {
        match Reader::new(side).read(&bytes) {
            Ok(Incoming::One(frame)) => frame_survives(&frame, side)?,
            Ok(Incoming::Batch(frames)) => frames.iter().try_for_each(|frame| frame_survives(frame, side))?,
            Err(_) => {}
        }
    }
    Ok(())
}

fn frame_survives(frame: &Frame, side: Side) -> Verdict {
    let sent = frame.with_id_and_name(b"\"other\"", b"\"renamed\"");
    let again =
        Reader::new(side).one(&sent).map_err(|error| format!("unreadable after the change: {error}"))?;
    expect(again.kind() == frame.kind() && again.method() == frame.method(), "the change changed more")?;
    expect(frame.id().is_none() || again.id() == Some(b"\"other\""), "the id did not change")?;
    expect(frame.name().is_none() || again.name().as_deref() == Some("renamed"), "the name did not change")?;
    let same =
        |left: Option<View<'_>>, right: Option<View<'_>>| left.map(View::bytes) == right.map(View::bytes);
    expect(
        same(again.arguments(), frame.arguments()) && same(again.meta(), frame.meta()),
        "other parts changed",
    )?;
    expect(same(again.result(), frame.result()) && same(again.error(), frame.error()), "the answer changed")
}

/// Wherever a stream is cut into chunks, the same events come out.
fn events(text: &[u8]) -> Verdict {
    let whole = Parser::new().push(text);
    for size in [1, 3, 7] {
        let mut parser = Parser::new();
        let mut all = Vec::new();
        for chunk in text.chunks(size) {
            match parser.push(chunk) {
                Ok(events) => all.extend(events),
                Err(_) => break,
            }
        }
        if let Ok(whole) = &whole {
            expect(all == *whole, "the events depend on the chunks")?;
        }
    }
    Ok(())
}

/// A message with its own headers is agreed on, and with one of them changed it is not. The text is a message, and after
/// the first line break a schema.
fn headers(text: &[u8]) -> Verdict {
    let (message, schema) = text.split_at(text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len()));
    let mirrors = match Scanner::new().check(schema, Limits::SERVER) {
        Ok(_) => header::mirrors(View::new(schema)).unwrap_or_default(),
        Err(_) => Vec::new(),
    };
    let Ok(message) = Reader::new(Side::Client).one(&Bytes::copy_from_slice(message)) else { return Ok(()) };
    if message.kind() != Kind::Request {
        return Ok(());
    }
    let Some(own) = own_headers(&message, &mirrors) else { return Ok(()) };
    expect(header::agree(&own, &message, &mirrors).is_ok(), "its own headers are refused")?;
    for name in own.keys() {
        let mut changed = own.clone();
        changed.insert(name.clone(), HeaderValue::from_static("=?base64?c29tZXRoaW5nIGVsc2U=?="));
        let known = message.meta().and_then(|meta| meta.get(mcp::meta::PROTOCOL_VERSION)).is_some();
        let counts = *name != header::PROTOCOL_VERSION || known;
        expect(
            !counts || header::agree(&changed, &message, &mirrors).is_err(),
            "a wrong header is agreed on",
        )?;
    }
    Ok(())
}

/// The headers a client would write for a message; `None` when a value cannot be written.
fn own_headers(message: &Frame, mirrors: &[Mirror]) -> Option<HeaderMap> {
    let version = match message.meta().and_then(|meta| meta.get(mcp::meta::PROTOCOL_VERSION)) {
        Some(version) => version.text()?,
        None => "2026-07-28".into(),
    };
    let mut headers = HeaderMap::new();
    let plain = HeaderValue::from_str(&version).ok().filter(|value| value.to_str().is_ok());
    headers.insert(header::PROTOCOL_VERSION, plain?);
    headers.insert(header::METHOD, HeaderValue::from_str(&header::encode(&message.method())).ok()?);
    let named = match &*message.method() {
        "tools/call" | "prompts/get" => message.name(),
        "resources/read" => message.uri(),
        _ => None,
    };
    if let Some(named) = named {
        headers.insert(header::NAME, HeaderValue::from_str(&header::encode(&named)).ok()?);
    }
    for mirror in mirrors {
        let Some(argument) = message.arguments().and_then(|arguments| mirror.argument(arguments)) else {
            continue;
        };
        let value = mirror.value(message.arguments()?)?;
        let _ = argument;
        headers.insert(HeaderName::try_from(mirror.name()).ok()?, HeaderValue::from_str(&value).ok()?);
    }
    Some(headers)
}

/// Lines come out whole and without their ends, however they arrive.
fn lines(text: &[u8]) -> Verdict {
    let read = |text: &[u8]| -> Vec<Bytes> {
        let mut lines = Lines::new(text);
        let mut all = Vec::new();
        while let Some(Ok(Some(line))) = futures_util::FutureExt::now_or_never(lines.next()) {
            all.push(line);
        }
        all
    };
    let once = read(text);
    expect(once.iter().all(|line| !line.contains(&b'\n')), "a line holds a line break")?;
    let joined: Vec<u8> = once.iter().flat_map(|line| [&line[..], b"\n"].concat()).collect();
    expect(read(&joined) == once, "lines read again are others")
}
