//! What a request is answered with when it failed: JSON-RPC's error object, and the codes both eras know.

use bytes::Bytes;

use crate::json::{Object, View};
use crate::version::Era;

/// The codes of the protocol; gateways' own codes lie outside -32768..-32000.
pub mod code {
    /// The text is no JSON.
    pub const PARSE: i64 = -32700;
    /// The message is no request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// Nobody knows this method.
    pub const UNKNOWN_METHOD: i64 = -32601;
    /// The parameters are wrong.
    pub const INVALID_PARAMS: i64 = -32602;
    /// Something broke.
    pub const INTERNAL: i64 = -32603;
    /// There is no such resource; legacy peers only.
    pub const NO_RESOURCE: i64 = -32002;
    /// Headers and body disagree.
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The client did not declare what the answer needs.
    pub const MISSING_CAPABILITY: i64 = -32021;
    /// The revision is not spoken here.
    pub const UNSUPPORTED_VERSION: i64 = -32022;
    /// A URL must be visited first; legacy peers only.
    pub const URL_ELICITATION: i64 = -32042;
    /// The request was given up before it was answered; never sent to those who gave it up.
    pub const CANCELLED: i64 = -31_001;
    /// The peer did not answer in time.
    pub const TIMEOUT: i64 = -31_002;
    /// The connection to the peer is gone.
    pub const DISCONNECTED: i64 = -31_003;
    /// Too much is going on.
    pub const BUSY: i64 = -31_004;

    /// The codes only modern peers send.
    pub const MODERN: [i64; 3] = [HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION];
}

/// An error answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct Fault {
    /// What kind of error, for programs.
    pub code: i64,
    /// What happened, for people.
    pub message: String,
    /// More about it, as JSON.
    pub data: Option<Bytes>,
}

impl Fault {
    /// An error without more about it.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The parameters are wrong.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_PARAMS, message)
    }

    /// Nobody knows this method.
    pub fn unknown_method(method: &str) -> Self {
        Self::new(code::UNKNOWN_METHOD, format!("method not found: {method}"))
    }

    /// Something broke; what exactly is for the log, not for the peer.
    pub fn internal() -> Self {
        Self::new(code::INTERNAL, "internal error")
    }

    /// There is no such resource; each era hears its own code.
    pub fn no_resource(uri: &str) -> Self {
        let data = Object::new().with("uri", uri).finish();
        Self { data: Some(data), ..Self::new(code::NO_RESOURCE, format!("resource not found: {uri}")) }
    }

    /// The same with more about it, as JSON.
    #[must_use]
    pub fn with_data(self, data: Bytes) -> Self {
        Self { data: Some(data), ..self }
    }

    /// Reads the error object of an answer; the frame has checked its form.
    pub fn read(error: View<'_>) -> Self {
        let code = error.get("code").and_then(View::integer).unwrap_or(code::INTERNAL);
        let message = error.get("message").and_then(View::text).unwrap_or_default().into_owned();
        let data = error.get("data").map(|data| Bytes::copy_from_slice(data.bytes()));
        Self { code, message, data }
    }

    /// The error object, with the code this era uses for it.
    pub fn write(&self, era: Era) -> Bytes {
        let code = match (era, self.code) {
            (Era::Modern, code::NO_RESOURCE | code::URL_ELICITATION) => code::INVALID_PARAMS,
            (Era::Legacy, code) if code::MODERN.contains(&code) => code::INVALID_REQUEST,
            (_, code) => code,
        };
        let object = Object::new().with("code", &code).with("message", &self.message);
        match &self.data {
            Some(data) => object.raw("data", data).finish(),
            None => object.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_era_hears_its_own_code() {
        let fault = Fault::no_resource("file:///x");
        assert!(fault.write(Era::Legacy).starts_with(br#"{"code":-32002,"#));
        assert!(fault.write(Era::Modern).starts_with(br#"{"code":-32602,"#));
        assert_eq!(Fault::read(View::new(&fault.write(Era::Legacy))), fault);
    }

    #[test]
    fn codes_of_one_era_are_not_sent_to_the_other() {
        let written = |code: i64, era: Era| Fault::read(View::new(&Fault::new(code, "x").write(era))).code;
        assert_eq!(written(code::URL_ELICITATION, Era::Modern), code::INVALID_PARAMS);
        assert_eq!(written(code::URL_ELICITATION, Era::Legacy), code::URL_ELICITATION);
        for code in code::MODERN {
            assert_eq!(written(code, Era::Legacy), code::INVALID_REQUEST);
        }
        assert_eq!(written(code::MISSING_CAPABILITY, Era::Modern), code::MISSING_CAPABILITY);
    }

    #[test]
    fn own_codes_lie_outside_the_reserved_range() {
        for code in [code::CANCELLED, code::TIMEOUT, code::DISCONNECTED, code::BUSY] {
            assert!(!(-32768..=-32000).contains(&code), "{code}");
        }
    }
}
