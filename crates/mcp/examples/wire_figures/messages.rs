//! The shapes that are measured.

use bytes::Bytes;
use mcp::frame::Side;
use serde_json::{Map, Value, json};

/// Each shape with its name and the side it comes from.
pub fn shapes() -> [(&'static str, Side, Bytes); 3] {
    [
        ("one long string", Side::Server, long_string()),
        ("60 short keys", Side::Client, short_keys()),
        ("100 tools", Side::Server, tools()),
    ]
}

fn text(value: &Value) -> Bytes {
    Bytes::from(serde_json::to_vec(value).expect("a value is JSON"))
}

fn long_string() -> Bytes {
    let text_of_a_megabyte = "All work and no play makes a dull gateway. ".repeat(24_000);
    text(
        &json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": [{ "type": "text", "text": text_of_a_megabyte }] } }),
    )
}

fn short_keys() -> Bytes {
    let arguments: Map<String, Value> =
        (0..60).map(|number| (format!("key{number}"), json!(number))).collect();
    text(
        &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "store", "arguments": arguments } }),
    )
}

fn tools() -> Bytes {
    let tool = |number: usize| {
        json!({
            "name": format!("tool_{number}"),
            "title": format!("Tool number {number}"),
            "description": "Reads one file from the project and returns its text, or why that is not possible.",
            "inputSchema": { "type": "object", "required": ["path"], "additionalProperties": false, "properties": {
                "path": { "type": "string", "description": "Where the file lies, relative to the project" },
                "limit": { "type": "integer", "minimum": 1, "maximum": 10_000, "default": 100 },
                "encoding": { "type": "string", "enum": ["utf-8", "latin-1"] },
            } },
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        })
    };
    let tools: Vec<Value> = (0..100).map(tool).collect();
    text(&json!({ "jsonrpc": "2.0", "id": 1, "result": { "tools": tools } }))
}
