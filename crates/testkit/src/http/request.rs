//! A request as bytes, with full control over its headers.

use serde_json::Value;

/// A request; `Host` and `Content-Length` are added unless the test sets or withholds them.
#[derive(Clone, Debug)]
pub struct Request {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    withheld: Vec<String>,
    body: Vec<u8>,
}

impl Request {
    /// A request without a body.
    pub fn new(method: &str, path: &str) -> Self {
        Self {
            method: method.into(),
            path: path.into(),
            headers: Vec::new(),
            withheld: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Adds a header, also a second one of the same name; replaces what the client would have sent.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Leaves out a header that the client would have sent.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.withheld.push(name.into());
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.header("content-type", content_type)
    }

    /// Sets a JSON body.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    pub(super) fn is_head(&self) -> bool {
        self.method.eq_ignore_ascii_case("HEAD")
    }

    pub(super) fn bytes(&self, host: &str, defaults: &[(String, String)]) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        let mut line = |name: &str, value: &str| {
            head.push_str(name);
            head.push_str(": ");
            head.push_str(value);
            head.push_str("\r\n");
        };
        if self.leaves_room_for("host") {
            line("host", host);
        }
        for (name, value) in defaults.iter().filter(|(name, _)| self.leaves_room_for(name)) {
            line(name, value);
        }
        for (name, value) in &self.headers {
            line(name, value);
        }
        let sized = !self.body.is_empty() || matches!(self.method.as_str(), "POST" | "PUT" | "PATCH");
        if sized && self.leaves_room_for("content-length") && self.leaves_room_for("transfer-encoding") {
            line("content-length", &self.body.len().to_string());
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }

    fn leaves_room_for(&self, name: &str) -> bool {
        let set = self.headers.iter().map(|(name, _)| name).chain(&self.withheld);
        !set.into_iter().any(|taken| taken.eq_ignore_ascii_case(name))
    }
}
