//! Members set in objects of others: what is there is replaced in its place, the rest stays byte for byte.

use bytes::Bytes;

use crate::json::{Object, Shape, Span, View, quoted, without, write_quoted};
use crate::meta;
use crate::version::Version;

use super::settings::Settings;

/// The object with these members, whose values are JSON already. Written in one piece: this is done for every request.
pub(crate) fn set(object: &[u8], members: &[(&str, &[u8])]) -> Bytes {
    let view = View::new(object);
    let open = object.iter().position(|byte| *byte == b'{').map_or(0, |at| at + 1);
    let room: usize = members.iter().map(|(key, value)| key.len() + value.len() + 4).sum();
    let mut out = Vec::with_capacity(object.len() + room);
    out.extend_from_slice(&object[..open]);
    let mut edits: Vec<(Span, &[u8])> = Vec::new();
    for (key, value) in members {
        if let Some(old) = view.get(key) {
            edits.push((old.span_in(object), value));
            continue;
        }
        if out.len() > open {
            out.push(b',');
        }
        write_quoted(&mut out, key);
        out.push(b':');
        out.extend_from_slice(value);
    }
    if out.len() > open && view.members().next().is_some() {
        out.push(b',');
    }
    edits.sort_by_key(|(span, _)| *span);
    let mut at = open;
    for (span, value) in edits {
        out.extend_from_slice(&object[at..span.range().start]);
        out.extend_from_slice(value);
        at = span.range().end;
    }
    out.extend_from_slice(&object[at..]);
    Bytes::from(out)
}

/// Parameters with these members in their `_meta`.
pub(crate) fn set_meta(params: Option<&[u8]>, members: &[(&str, &[u8])]) -> Bytes {
    let params = params.unwrap_or(b"{}");
    let old = View::new(params).get("_meta").filter(|old| old.shape() == Shape::Object);
    let new = set(old.map_or(b"{}", View::bytes), members);
    set(params, &[("_meta", &new)])
}

/// What each modern request says about us.
pub(crate) fn speaking_for(settings: &Settings, params: Option<&[u8]>) -> Bytes {
    let version = quoted(Version::NEWEST.as_str());
    let members: [(&str, &[u8]); 3] = [
        (meta::PROTOCOL_VERSION, &version),
        (meta::CLIENT_CAPABILITIES, &settings.capabilities),
        (meta::CLIENT_INFO, &settings.info),
    ];
    set_meta(params, &members)
}

/// Parameters as a legacy peer may see them: without what a modern sender says about itself, which would make a peer that
/// speaks both ways answer the modern way.
pub(crate) fn for_legacy(params: &Bytes) -> Bytes {
    let Some(said) = View::new(params).get("_meta").filter(|said| said.shape() == Shape::Object) else {
        return params.clone();
    };
    let kept = meta::SENDER.iter().fold(Bytes::copy_from_slice(said.bytes()), |kept, key| without(kept, key));
    if kept.len() == said.bytes().len() { params.clone() } else { set(params, &[("_meta", &kept)]) }
}

/// The parameters of `initialize`.
pub(crate) fn initialize(settings: &Settings) -> Bytes {
    Object::new()
        .with("protocolVersion", Version::NEWEST_LEGACY.as_str())
        .raw("capabilities", &settings.capabilities)
        .raw("clientInfo", &settings.info)
        .finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_replaced_in_place_or_put_first() {
        let cases = [
            ("{}", r#"{"a":1,"b":2}"#),
            (r#"{ "x" : 1.0 }"#, r#"{"a":1,"b":2, "x" : 1.0 }"#),
            (r#"{"b" : 0, "x":1,"a":[]}"#, r#"{"b" : 2, "x":1,"a":1}"#),
            (r#"{"x":{"a":5}}"#, r#"{"a":1,"b":2,"x":{"a":5}}"#),
        ];
        for (object, expected) in cases {
            let found = set(object.as_bytes(), &[("a", b"1"), ("b", b"2")]);
            assert_eq!(String::from_utf8_lossy(&found), expected, "{object}");
        }
    }

    #[test]
    fn a_legacy_peer_hears_nothing_of_a_modern_sender() {
        let said = r#"{"a":1,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":7,
            "io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{},
            "io.modelcontextprotocol/logLevel":"info"}}"#;
        let heard = for_legacy(&Bytes::from_static(said.as_bytes()));
        assert_eq!(&heard[..], br#"{"a":1,"_meta":{"progressToken":7}}"#);
        let plain = Bytes::from_static(br#"{"_meta":{"x":1}}"#);
        assert_eq!(for_legacy(&plain), plain);
    }

    #[test]
    fn meta_is_made_extended_or_replaced_when_it_is_no_object() {
        let meta = |params: Option<&str>| set_meta(params.map(str::as_bytes), &[("t", b"1")]);
        assert_eq!(&meta(None)[..], br#"{"_meta":{"t":1}}"#);
        assert_eq!(&meta(Some(r#"{"_meta":{"u":2},"a":1}"#))[..], br#"{"_meta":{"t":1,"u":2},"a":1}"#);
        assert_eq!(&meta(Some(r#"{"_meta":5}"#))[..], br#"{"_meta":{"t":1}}"#);
    }
}
