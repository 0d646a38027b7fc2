//! The keys of `_meta` that the protocol itself uses, and what a modern request says about its sender.

use std::borrow::Cow;

use bytes::Bytes;

use crate::fault::{Fault, code};
use crate::frame::Frame;
use crate::json::{Object, Shape, Span, View, splice};
use crate::version::{Era, Version};

/// The revision a modern request is written in.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// What the client can do.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// What the client is.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// From which level on the request wants log messages.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// All that a modern request says about its sender.
pub const SENDER: [&str; 4] = [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL];
/// What the server is; in results.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// Which subscription a notification belongs to.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The token that progress of a request is reported under.
pub const PROGRESS_TOKEN: &str = "progressToken";

/// Whether the request speaks for itself, which makes it modern whatever revision it names.
pub fn is_modern(request: &Frame) -> bool {
    request.meta().is_some_and(|meta| meta.get(PROTOCOL_VERSION).is_some())
}

/// What a modern request says about its sender.
#[derive(Clone, Copy, Debug)]
pub struct Sender<'a> {
    /// The revision.
    pub version: Version,
    /// The client's capabilities, an object.
    pub capabilities: View<'a>,
    /// What the client is, when it says so.
    pub info: Option<View<'a>>,
    /// From which level on it wants log messages.
    pub log_level: Option<View<'a>>,
}

impl<'a> Sender<'a> {
    /// Reads it from a request; what is missing or unknown is the fault to answer with.
    pub fn read(request: &'a Frame) -> Result<Self, Fault> {
        let meta = request.meta().filter(|meta| meta.shape() == Shape::Object);
        let missing = |key: &str| Fault::invalid_params(format!("`_meta` must hold `{key}`"));
        let meta = meta.ok_or_else(|| missing(PROTOCOL_VERSION))?;
        let asked =
            meta.get(PROTOCOL_VERSION).and_then(View::text).ok_or_else(|| missing(PROTOCOL_VERSION))?;
        let version = modern_version(&asked)?;
        let capabilities = meta.get(CLIENT_CAPABILITIES).filter(|value| value.shape() == Shape::Object);
        let capabilities = capabilities.ok_or_else(|| missing(CLIENT_CAPABILITIES))?;
        Ok(Self { version, capabilities, info: meta.get(CLIENT_INFO), log_level: meta.get(LOG_LEVEL) })
    }
}

fn modern_version(asked: &str) -> Result<Version, Fault> {
    let known = asked.parse().ok().filter(|version: &Version| version.era() == Era::Modern);
    known.ok_or_else(|| unsupported_version(asked))
}

/// The fault for a revision that is not spoken here.
pub fn unsupported_version(asked: &str) -> Fault {
    let supported = [Version::NEWEST.as_str()];
    let data = Object::new().with("supported", &supported).with("requested", asked).finish();
    Fault::new(code::UNSUPPORTED_VERSION, "unsupported protocol version").with_data(data)
}

/// The token under which progress of the request is reported, as it was written.
pub fn progress_token(request: &Frame) -> Option<Bytes> {
    let token = request.meta()?.get(PROGRESS_TOKEN)?;
    matches!(token.shape(), Shape::String | Shape::Number).then(|| Bytes::copy_from_slice(token.bytes()))
}

/// An object with members added to its `_meta`, which is made when absent; members already there stay as they are.
/// The additions are an object.
pub fn add(object: &[u8], additions: &[u8]) -> Bytes {
    let added = View::new(additions);
    let Some(old) = View::new(object).get("_meta") else {
        return insert_first(object, &[b"\"_meta\":", additions].concat());
    };
    let span = old.span_in(object);
    if old.shape() != Shape::Object {
        return splice(object, &[(span, additions)]);
    }
    let had: Vec<Cow<'_, [u8]>> = old.members().map(|(key, _)| key).collect();
    let mut new = fresh_members(added, &had);
    if !had.is_empty() && !new.is_empty() {
        new.push(b',');
    }
    let start = span.start + 1;
    splice(object, &[(Span { start, end: start }, &new)])
}

fn fresh_members(added: View<'_>, had: &[Cow<'_, [u8]>]) -> Vec<u8> {
    let mut out = Vec::new();
    for (key, value) in added.members().filter(|(key, _)| !had.contains(key)) {
        if !out.is_empty() {
            out.push(b',');
        }
        out.extend_from_slice(&crate::json::quoted(&String::from_utf8_lossy(&key)));
        out.push(b':');
        out.extend_from_slice(value.bytes());
    }
    out
}

/// An object with members, written as text without brackets, put before its own.
pub fn insert_first(object: &[u8], members: &[u8]) -> Bytes {
    let empty = View::new(object).members().next().is_none();
    let at = u32::try_from(object.iter().position(|byte| *byte == b'{').unwrap_or(0) + 1).unwrap_or(1);
    let text = if empty { members.to_vec() } else { [members, b","].concat() };
    splice(object, &[(Span { start: at, end: at }, &text)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Reader, Side};

    fn frame(meta: &str) -> Frame {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{meta}}}}}"#);
        Reader::new(Side::Client).one(&Bytes::from(text)).unwrap()
    }

    #[test]
    fn a_modern_request_must_name_revision_and_capabilities() {
        let whole = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        assert_eq!(Sender::read(&frame(whole)).unwrap().version, Version::V2026_07_28);
        for missing in ["{}", r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#] {
            assert_eq!(Sender::read(&frame(missing)).unwrap_err().code, code::INVALID_PARAMS, "{missing}");
        }
        let fault = Sender::read(&frame(&whole.replace("2026-07-28", "2025-11-25"))).unwrap_err();
        assert_eq!(fault.code, code::UNSUPPORTED_VERSION);
        assert_eq!(&fault.data.unwrap()[..], br#"{"supported":["2026-07-28"],"requested":"2025-11-25"}"#);
    }

    #[test]
    fn members_are_added_to_meta_without_touching_the_rest() {
        let cases = [
            (r#"{"a":1}"#, r#"{"_meta":{"x":1},"a":1}"#),
            ("{ }", r#"{"_meta":{"x":1} }"#),
            (r#"{"_meta":{}, "b":2}"#, r#"{"_meta":{"x":1}, "b":2}"#),
            (r#"{"_meta":{"y":2}}"#, r#"{"_meta":{"x":1,"y":2}}"#),
            (r#"{"_meta":{"x":3}}"#, r#"{"_meta":{"x":3}}"#),
            (r#"{"_meta":null,"a":1}"#, r#"{"_meta":{"x":1},"a":1}"#),
        ];
        for (object, expected) in cases {
            assert_eq!(String::from_utf8_lossy(&add(object.as_bytes(), br#"{"x":1}"#)), expected);
        }
    }
}
