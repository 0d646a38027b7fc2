//! Whether the headers of a modern request say what its body says.

use http::HeaderMap;

use super::{METHOD, Mirror, NAME, NAMED, PROTOCOL_VERSION, decode, named};
use crate::fault::{Fault, code};
use crate::frame::Frame;
use crate::meta;

/// A header that does not say what the body says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Disagreement {
    /// The header is not there.
    #[error("the header `{0}` is missing")]
    Missing(String),
    /// The header is there more than once.
    #[error("the header `{0}` is repeated")]
    Repeated(String),
    /// The header cannot be read.
    #[error("the header `{0}` cannot be read")]
    Unreadable(String),
    /// The header says something else.
    #[error("the header `{0}` does not match the body")]
    Different(String),
}

impl Disagreement {
    /// The fault to answer with.
    pub fn fault(&self) -> Fault {
        Fault::new(code::HEADER_MISMATCH, self.to_string())
    }
}

/// Checks every header a modern message must repeat; `mirrors` are those of the tool it calls.
pub fn agree(headers: &HeaderMap, message: &Frame, mirrors: &[Mirror]) -> Result<(), Disagreement> {
    let version = message.meta().and_then(|meta| meta.get(meta::PROTOCOL_VERSION));
    let header =
        single(headers, PROTOCOL_VERSION)?.ok_or_else(|| Disagreement::Missing(PROTOCOL_VERSION.into()))?;
    if version.is_some_and(|version| !version.is(header)) {
        return Err(Disagreement::Different(PROTOCOL_VERSION.into()));
    }
    expect(headers, METHOD, &message.method())?;
    let named = message.params().and_then(|params| named(&message.method(), params));
    match named {
        Some(named) => expect(headers, NAME, &named)?,
        None if NAMED.contains(&&*message.method()) && headers.contains_key(NAME) => {
            return Err(Disagreement::Different(NAME.into()));
        }
        None => {}
    }
    mirrors.iter().try_for_each(|mirror| agree_on(headers, message, mirror))
}

fn agree_on(headers: &HeaderMap, message: &Frame, mirror: &Mirror) -> Result<(), Disagreement> {
    let name = mirror.name();
    let argument = message.arguments().and_then(|arguments| mirror.argument(arguments));
    match (single(headers, &name)?, argument) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(Disagreement::Missing(name)),
        (Some(_), None) => Err(Disagreement::Different(name)),
        (Some(header), Some(argument)) => {
            let said = decode(header).map_err(|_| Disagreement::Unreadable(name.clone()))?;
            if Mirror::agrees(argument, &said) { Ok(()) } else { Err(Disagreement::Different(name)) }
        }
    }
}

fn expect(headers: &HeaderMap, name: &str, value: &str) -> Result<(), Disagreement> {
    let header = single(headers, name)?.ok_or_else(|| Disagreement::Missing(name.into()))?;
    let said = decode(header).map_err(|_| Disagreement::Unreadable(name.into()))?;
    if said == value { Ok(()) } else { Err(Disagreement::Different(name.into())) }
}

/// The one value of a header.
fn single<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Disagreement> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(Disagreement::Repeated(name.into()));
    }
    first.map(|value| value.to_str().map_err(|_| Disagreement::Unreadable(name.into()))).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Reader, Side};
    use bytes::Bytes;

    fn call(name: &str) -> Frame {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{{"region":"eu"}},
            "_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}}}}"#
        );
        Reader::new(Side::Client).one(&Bytes::from(text)).unwrap()
    }

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&str, &str)| {
            (http::HeaderName::try_from(*name).unwrap(), http::HeaderValue::from_str(value).unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    const GOOD: [(&str, &str); 4] = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "read_file"),
        ("mcp-param-region", "eu"),
    ];

    #[test]
    fn headers_must_say_what_the_body_says() {
        let mirrors = [Mirror { header: "Region".into(), path: vec!["region".into()] }];
        let check = |pairs: &[(&str, &str)]| agree(&headers(pairs), &call("read_file"), &mirrors);
        assert_eq!(check(&GOOD), Ok(()));
        for (index, good) in GOOD.into_iter().enumerate() {
            let (name, _) = good;
            let mut pairs = GOOD.to_vec();
            pairs.remove(index);
            assert_eq!(check(&pairs), Err(Disagreement::Missing(name.into())));
            pairs.push((name, "other"));
            assert_eq!(check(&pairs), Err(Disagreement::Different(name.into())));
            let mut pairs = GOOD.to_vec();
            pairs.push(good);
            assert_eq!(check(&pairs), Err(Disagreement::Repeated(name.into())));
        }
        let mut pairs = GOOD.to_vec();
        pairs[2].1 = "=?base64?cmVhZF9maWxl?=";
        assert_eq!(check(&pairs), Ok(()));
        pairs[2].1 = "=?base64?cmVhZF9maWxl!?=";
        assert_eq!(check(&pairs), Err(Disagreement::Unreadable("mcp-name".into())));
        assert_eq!(Disagreement::Missing("x".into()).fault().code, code::HEADER_MISMATCH);
    }
}
