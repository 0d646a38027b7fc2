//! The headers that repeat parts of a modern request, how values are written in them, and whether they agree with the body.

mod agreement;
mod mirror;
mod sentinel;

use std::borrow::Cow;

use crate::json::View;

pub use agreement::{Disagreement, agree};
pub use mirror::{InvalidMirror, Mirror, mirrors};
pub use sentinel::{BadSentinel, decode, encode};

/// The methods whose `Mcp-Name` repeats a parameter.
pub const NAMED: [&str; 6] =
    ["tools/call", "prompts/get", "resources/read", "tasks/get", "tasks/update", "tasks/cancel"];

/// What `Mcp-Name` repeats of a method's parameters.
pub fn named<'a>(method: &str, params: View<'a>) -> Option<Cow<'a, str>> {
    let key = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ if NAMED.contains(&method) => "taskId",
        _ => return None,
    };
    params.get(key).and_then(View::text)
}

/// The revision a message is written in.
pub const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// The session of a legacy client.
pub const SESSION_ID: &str = "mcp-session-id";
/// The method of the body.
pub const METHOD: &str = "mcp-method";
/// The name or URI of the body.
pub const NAME: &str = "mcp-name";
/// What headers begin with that repeat an argument.
pub const PARAM_PREFIX: &str = "mcp-param-";
/// Where a broken stream goes on.
pub const LAST_EVENT_ID: &str = "last-event-id";
