//! Reading an answer from the wire.

use std::io::{BufRead, Read};

use serde_json::Value;

use super::Error;
use super::body::{Body, Framing};

/// A whole answer.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The headers in their order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, unchunked.
    pub body: Vec<u8>,
}

impl Response {
    /// The first header of this name, given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// When it is not JSON: a test that asks for JSON has nothing else to go on.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|problem| panic!("status {}, not JSON ({problem}): {}", self.status, self.text()))
    }
}

pub(super) struct Head {
    pub(super) status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    /// How the body that follows is delimited.
    pub(super) fn framing(&self, bodiless: bool) -> Result<Framing, Error> {
        if bodiless || matches!(self.status, 204 | 304) {
            return Ok(Framing::Length(0));
        }
        if find(&self.headers, "transfer-encoding")
            .is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"))
        {
            return Ok(Framing::chunked());
        }
        match find(&self.headers, "content-length") {
            Some(length) => length
                .parse()
                .map(Framing::Length)
                .map_err(|_| Error::Malformed(format!("content-length `{length}`"))),
            None => Ok(Framing::ToEnd),
        }
    }

    fn keeps_alive(&self) -> bool {
        !find(&self.headers, "connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

/// Reads one answer, and says whether the connection can be used again.
pub(super) fn read(reader: &mut impl BufRead, bodiless: bool) -> Result<(Response, bool), Error> {
    let head = read_head(reader)?;
    let framing = head.framing(bodiless)?;
    let reusable = head.keeps_alive() && !matches!(framing, Framing::ToEnd);
    let mut body = Vec::new();
    Body::new(reader, framing).read_to_end(&mut body)?;
    Ok((Response { status: head.status, headers: head.headers, body }, reusable))
}

/// Reads status and headers, passing over interim answers.
pub(super) fn read_head(reader: &mut impl BufRead) -> Result<Head, Error> {
    loop {
        let status_line = line(reader)?;
        let status = status_line
            .strip_prefix("HTTP/1.")
            .and_then(|rest| rest.split(' ').nth(1))
            .and_then(|code| code.parse().ok())
            .ok_or_else(|| Error::Malformed(format!("status line `{status_line}`")))?;
        let mut headers = Vec::new();
        loop {
            let field = line(reader)?;
            if field.is_empty() {
                break;
            }
            let (name, value) =
                field.split_once(':').ok_or_else(|| Error::Malformed(format!("header `{field}`")))?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        if status >= 200 {
            return Ok(Head { status, headers });
        }
    }
}

fn line(reader: &mut impl BufRead) -> Result<String, Error> {
    let mut bytes = Vec::new();
    reader.read_until(b'\n', &mut bytes)?;
    if bytes.pop() != Some(b'\n') {
        return Err(Error::Closed);
    }
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    String::from_utf8(bytes).map_err(|_| Error::Malformed("a header that is not UTF-8".into()))
}

fn find<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
