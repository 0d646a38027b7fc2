//! The headers that repeat the parts of a modern message.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::header::{METHOD, Mirror, NAME, PROTOCOL_VERSION, encode, named};
use crate::json::View;
use crate::version::Version;

/// The headers of a message in a legacy session of this revision.
pub(crate) fn legacy(version: Version) -> HeaderMap {
    let named = (version >= Version::V2025_06_18).then(|| HeaderValue::from_static(version.as_str()));
    named.map(|version| (HeaderName::from_static(PROTOCOL_VERSION), version)).into_iter().collect()
}

/// The headers of a message with this method and these parameters; `mirrors` are those of the tool it calls.
pub(crate) fn modern(method: &str, params: Option<&[u8]>, mirrors: &[Mirror]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut put = |name: &str, value: Cow<'_, str>| {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(&*value)) {
            headers.insert(name, value);
        }
    };
    put(PROTOCOL_VERSION, Cow::Borrowed(Version::NEWEST.as_str()));
    put(METHOD, encode(method));
    let params = View::new(params.unwrap_or(b"{}"));
    if let Some(named) = named(method, params) {
        put(NAME, encode(&named));
    }
    if let Some(arguments) = params.get("arguments") {
        for mirror in mirrors {
            if let Some(value) = mirror.value(arguments) {
                put(&mirror.name(), Cow::Owned(value));
            }
        }
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Reader, Side, request};
    use crate::header::agree;
    use bytes::Bytes;

    #[test]
    fn the_headers_agree_with_the_body() {
        let mirrors = [Mirror { header: "Region".into(), path: vec!["region".into()] }];
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        for (method, params) in [
            ("tools/call", r#""name":"é","arguments":{"region":" eu "}"#),
            ("tools/call", r#""name":"read","arguments":{"region":null}"#),
            ("resources/read", r#""uri":"file:///a%20b""#),
            ("tools/list", r#""cursor":"x""#),
        ] {
            let params = format!("{{{params},{meta}}}");
            let body = Bytes::from(request(b"1", method, Some(params.as_bytes())).to_vec());
            let frame = Reader::new(Side::Client).one(&body).unwrap();
            let headers = modern(method, Some(params.as_bytes()), &mirrors);
            assert_eq!(agree(&headers, &frame, &mirrors), Ok(()), "{method} {params}");
        }
        let task = modern("tasks/get", Some(br#"{"taskId":"t1"}"#), &[]);
        assert_eq!(task[NAME], "t1");
    }
}
